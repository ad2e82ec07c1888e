import type { Problem } from '../../error.ts';
import { patch, type Wire } from '../../operation.ts';

type PasswordRecord = Wire<{ password: string }>;

type PasswordRequest = Wire<{ newPasswordHash: string; newDoubleSha1Hash: string }>;

const isBase64OfSha256 = (value: string): boolean =>
  /^[A-Za-z0-9+/]{43}=$/.test(value) && Buffer.from(value, 'base64').toString('base64') === value;

/** Documented rule 4. Messages contain the length of a hash, never the hash. `newDoubleSha1Hash` may be given alone. */
const passwordRule = ({ newPasswordHash, newDoubleSha1Hash }: PasswordRequest): Problem[] => [
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

export const rows = {
  /** Documented rule 4 does not say what the answer is if a hash was given; it may be empty. */
  updateServicePassword: patch('/v1/organizations/{organizationId}/services/{serviceId}/password', {
    permission: 'control-plane:service:manage',
    changes: ['listActivities'],
  })
    .body<PasswordRequest>({ rule: passwordRule })
    .oneOrNone<PasswordRecord>(),
};
