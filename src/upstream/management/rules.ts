import type { Problem } from '../error.ts';
import type { BackupConfigurationRecord } from './records.ts';
import type {
  ActivitiesQuery,
  CreateApiKeyRequest,
  PasswordRequest,
  ScalingRequest,
  UpdateApiKeyRequest,
  UsageCostQuery,
} from './requests.ts';

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

const integer = (
  field: string,
  value: number | null | undefined,
  holds: (value: number) => boolean,
  expected: string,
): Problem[] =>
  value === null || value === undefined || (Number.isInteger(value) && holds(value))
    ? []
    : [{ field: [field], message: `${field} must be ${expected}, got ${value}.` }];

const isTotalMemory = (gb: number): boolean => gb >= 24 && gb <= 1068 && gb % 12 === 0;
const totalMemory = 'a multiple of 12 from 24 to 1068';

const replicas = (field: string, value: number | null | undefined): Problem[] =>
  integer(field, value, (n) => n >= 1 && n <= 20, 'an integer from 1 to 20');

const idleTimeout = ({ idleTimeoutMinutes }: ScalingRequest): Problem[] =>
  integer('idleTimeoutMinutes', idleTimeoutMinutes, (n) => n >= 5, 'an integer of at least 5');

/** Rule 3 and the section "Limits". */
export const scalingRule = (body: ScalingRequest): Problem[] => [
  ...integer('minTotalMemoryGb', body.minTotalMemoryGb, isTotalMemory, totalMemory),
  ...integer('maxTotalMemoryGb', body.maxTotalMemoryGb, isTotalMemory, totalMemory),
  ...replicas('numReplicas', body.numReplicas),
  ...idleTimeout(body),
];

const isReplicaMemory = (gb: number): boolean => gb >= 8 && gb <= 356 && gb % 4 === 0;
const replicaMemory = 'a multiple of 4 from 8 to 356';

/** The members that only the successor of the documented path takes. */
const replicaMembers = [
  'minReplicaMemoryGb',
  'maxReplicaMemoryGb',
  'autoscalingMode',
  'minReplicas',
  'maxReplicas',
] as const;

const isSet = (value: unknown): boolean => value !== null && value !== undefined;

/** Those of them that have a value. A null alone does not need the successor: a form may send it for an empty field. */
export const replicaMembersOf = (body: ScalingRequest): readonly string[] =>
  replicaMembers.filter((name) => isSet(body[name]));

const without = (body: ScalingRequest, names: readonly string[]): ScalingRequest =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** The body for the documented path. */
export const totalScaling = (body: ScalingRequest): ScalingRequest => without(body, replicaMembers);

/** The body for its successor. */
export const replicaScaling = (body: ScalingRequest): ScalingRequest =>
  without(body, ['minTotalMemoryGb', 'maxTotalMemoryGb']);

const noTotal = (end: 'min' | 'max', body: ScalingRequest): Problem[] => {
  const [name, successor] = [`${end}TotalMemoryGb`, `${end}ReplicaMemoryGb`] as const;
  if (!isSet(body[name])) return [];
  const advice = isSet(body[successor]) ? '' : `: give ${successor} instead`;
  const message = `${name} must not be given together with ${replicaMembersOf(body).join(', ')}${advice}.`;
  return [{ field: [name], message }];
};

/** Beyond the reference. No path takes members of both. */
export const replicaScalingRule = (body: ScalingRequest): Problem[] => [
  ...noTotal('min', body),
  ...noTotal('max', body),
  ...integer('minReplicaMemoryGb', body.minReplicaMemoryGb, isReplicaMemory, replicaMemory),
  ...integer('maxReplicaMemoryGb', body.maxReplicaMemoryGb, isReplicaMemory, replicaMemory),
  ...replicas('numReplicas', body.numReplicas),
  ...replicas('minReplicas', body.minReplicas),
  ...replicas('maxReplicas', body.maxReplicas),
  ...idleTimeout(body),
];

const isRetention = (hours: number): boolean => hours >= 24 && hours <= 1080 && hours % 24 === 0;
const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Beyond the reference. */
export const backupConfigurationRule = ({
  backupRetentionPeriodInHours,
  backupStartTime,
}: BackupConfigurationRecord): Problem[] => [
  ...integer(
    'backupRetentionPeriodInHours',
    backupRetentionPeriodInHours,
    isRetention,
    'a multiple of 24 from 24 to 1080',
  ),
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

/** Beyond the reference: the service refuses an empty expiry. */
export const updateApiKeyRule = ({ expireAt }: UpdateApiKeyRequest): Problem[] =>
  expireAt === ''
    ? [
        {
          field: ['expireAt'],
          message:
            'expireAt must be an ISO 8601 date-time, or null for a key that never expires, got "".',
        },
      ]
    : [];

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

const dayMs = 86_400_000;

/** Of ClickHouse Cloud: two days, at most 31 days apart. */
export const usageCostRule = (query: UsageCostQuery): Problem[] => {
  const notDates = (['from', 'to'] as const).filter((name) => !isDate(query[name]));
  if (notDates.length > 0) {
    return notDates.map((name) => ({
      field: [name],
      message: `${name} must be a day, for example 2026-11-01, got ${JSON.stringify(query[name].slice(0, 64))}.`,
    }));
  }
  const days = (Date.parse(query.to) - Date.parse(query.from)) / dayMs;
  if (days < 0) return [{ field: ['to'], message: 'to must not be before from.' }];
  if (days <= 31) return [];
  return [{ field: ['to'], message: `to must be at most 31 days after from, got ${days} days.` }];
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
