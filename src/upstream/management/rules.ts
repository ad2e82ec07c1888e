import type { Problem } from '../error.ts';
import type { BackupConfigurationRecord } from './records.ts';
import type {
  ActivitiesQuery,
  CreateApiKeyRequest,
  PasswordRequest,
  UpdateApiKeyRequest,
  UsageCostQuery,
} from './requests.ts';
import { notNegative } from './scaling-rules.ts';

const dateTime =
  /^\d{4}-(0[1-9]|1[0-2])-(0[1-9]|[12]\d|3[01])T([01]\d|2[0-3]):[0-5]\d(:([0-5]\d|60)([.,]\d+)?)?(Z|[+-]([01]\d|2[0-3])(:?[0-5]\d)?)?$/i;

/** Whether the text is a day that exists, as `YYYY-MM-DD`. */
const isDate = (text: string): boolean => {
  const date = new Date(`${text}T00:00:00Z`);
  // Years of six digits with a sign are dates for JavaScript, too.
  return (
    /^\d{4}-/.test(text) &&
    !Number.isNaN(date.getTime()) &&
    date.toISOString() === `${text}T00:00:00.000Z`
  );
};

/** Whether the text is an ISO 8601 date-time in extended form, on a day that exists. */
export const isDateTime = (text: string): boolean =>
  dateTime.test(text) && isDate(text.slice(0, 10));

/**
 * The documented rules that can be checked on a request alone. Rules that depend on tiers, paid plans, the first service
 * of a warehouse or a pipe's state are left to the upstream. Absent and null members break only rules that require something.
 */

const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Beyond the reference. */
export const backupConfigurationRule = ({
  backupPeriodInHours,
  backupRetentionPeriodInHours,
  backupStartTime,
}: BackupConfigurationRecord): Problem[] => [
  ...notNegative('backupPeriodInHours', backupPeriodInHours),
  ...notNegative('backupRetentionPeriodInHours', backupRetentionPeriodInHours),
  ...(typeof backupStartTime === 'string' && !timeOfDay.test(backupStartTime)
    ? [
        {
          field: ['backupStartTime'],
          message: `backupStartTime must be a time of day in UTC as HH:MM, got ${JSON.stringify(backupStartTime.slice(0, 64))}.`,
        },
      ]
    : []),
];

const expiry = ({ expireAt }: CreateApiKeyRequest): Problem[] =>
  expireAt && !isDateTime(expireAt)
    ? [
        {
          field: ['expireAt'],
          message: `expireAt must be an ISO 8601 date-time, or null or empty for a key that never expires, got ${JSON.stringify(expireAt.slice(0, 64))}.`,
        },
      ]
    : [];

/** Rule 2: at least one role; an expiry that is a date-time, or null or empty for "never". */
export const apiKeyRule = (body: CreateApiKeyRequest): Problem[] => [
  ...(body.roles?.length
    ? []
    : [{ field: ['roles'], message: 'roles must hold at least one role, got none.' }]),
  ...expiry(body),
];

/** The same rule for a service where the organization's own roles can be given instead. */
export const assignedRolesRule = (body: CreateApiKeyRequest): Problem[] => [
  ...(body.roles?.length || body.assignedRoleIds?.length
    ? []
    : [
        {
          field: ['roles'],
          message: 'roles or assignedRoleIds must hold at least one role, got none.',
        },
      ]),
  ...expiry(body),
];

/**
 * Beyond the reference: the service refuses an empty expiry. No roles at all cannot be meant, since a key needs one (rule 2);
 * an empty list or null of one kind beside roles of the other kind can.
 */
export const updateApiKeyRule = ({
  expireAt,
  roles,
  assignedRoleIds,
}: UpdateApiKeyRequest): Problem[] => [
  ...((roles !== undefined || assignedRoleIds !== undefined) &&
  !roles?.length &&
  !assignedRoleIds?.length
    ? [
        {
          field: [roles === undefined ? 'assignedRoleIds' : 'roles'],
          message:
            'roles or assignedRoleIds must hold at least one role, got none. To switch a key off, give the state DISABLED.',
        },
      ]
    : []),
  ...(expireAt === ''
    ? [
        {
          field: ['expireAt'],
          message:
            'expireAt must be an ISO 8601 date-time, or null for a key that never expires, got "".',
        },
      ]
    : []),
];

const isBase64OfSha256 = (value: string): boolean =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) && Buffer.from(value, 'base64').toString('base64') === value;

/** Rule 4. The messages tell lengths, never the hash. `newDoubleSha1Hash` may be given alone. */
export const passwordRule = ({
  newPasswordHash,
  newDoubleSha1Hash,
}: PasswordRequest): Problem[] => [
  ...(typeof newPasswordHash === 'string' && !isBase64OfSha256(newPasswordHash)
    ? [
        {
          field: ['newPasswordHash'],
          message: `newPasswordHash must be the base64 form (44 characters) of a SHA-256 digest, got ${newPasswordHash.length} characters that are not.`,
        },
      ]
    : []),
  ...(typeof newDoubleSha1Hash === 'string' && !/^[0-9a-f]{40}$/i.test(newDoubleSha1Hash)
    ? [
        {
          field: ['newDoubleSha1Hash'],
          message: `newDoubleSha1Hash must be 40 hexadecimal digits, got ${newDoubleSha1Hash.length} characters that are not.`,
        },
      ]
    : []),
];

/** Of ClickHouse Cloud: two days in their order. How far they may be apart is the service's to say. */
export const usageCostRule = (query: UsageCostQuery): Problem[] => {
  const notDates = (['from', 'to'] as const).filter((name) => !isDate(query[name]));
  if (notDates.length > 0) {
    return notDates.map((name) => ({
      field: [name],
      message: `${name} must be a day, for example 2026-11-01, got ${JSON.stringify(query[name].slice(0, 64))}.`,
    }));
  }
  if (Date.parse(query.to) >= Date.parse(query.from)) return [];
  return [{ field: ['to'], message: 'to must not be before from.' }];
};

/** Whether the text is one moment, for every reader. */
const isMoment = (text: string): boolean => /Z$/.test(text) && !Number.isNaN(Date.parse(text));

/** Of ClickHouse Cloud: two times in their order. */
export const activitiesRule = (query: ActivitiesQuery): Problem[] => {
  const problems = (['from', 'to'] as const).flatMap((name) => {
    const text = query[name] ?? undefined;
    if (text === undefined || isMoment(text)) return [];
    const message = `${name} must be a time with its zone, for example 2026-11-01T00:00:00Z, got ${JSON.stringify(text.slice(0, 64))}.`;
    return [{ field: [name], message }];
  });
  if (problems.length > 0) return problems;
  return query.from && query.to && Date.parse(query.to) < Date.parse(query.from)
    ? [{ field: ['to'], message: 'to must not be before from.' }]
    : [];
};
