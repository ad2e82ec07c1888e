import type { Credential } from '../upstream/call.ts';
import type { UpstreamName } from '../upstream/error.ts';

const maxLength = 4096;

const rules = {
  management: {
    own: 'management-authorization',
    scheme: 'Basic',
    accepted: /^basic +([\x21-\x7e]+)$/i,
  },
  observability: {
    own: 'observability-authorization',
    scheme: 'Bearer',
    accepted: /^bearer +([\x21-\x7e]+)$/i,
  },
} as const;

/** The headers that may hold a credential, accepted or not. */
export const credentialHeaders: readonly string[] = [
  'authorization',
  rules.management.own,
  rules.observability.own,
];

type CredentialRule = (typeof rules)[UpstreamName];

const absent: Credential = { kind: 'absent' };

/** Schemes are case-insensitive (RFC 9110, section 11.1). */
const isOf = (scheme: string, value: string): boolean =>
  value.slice(0, scheme.length).toLowerCase() === scheme.toLowerCase() &&
  (value.length === scheme.length || value[scheme.length] === ' ');

/** Why a credential is not accepted, without quoting it. */
const faultOf = (value: string, { scheme }: CredentialRule): string => {
  if (value.length > maxLength) return `is longer than ${maxLength} bytes`;
  if (!isOf(scheme, value)) return `is not of the scheme ${scheme}`;
  return /[^ ]/.test(value.slice(scheme.length))
    ? 'holds bytes outside visible ASCII'
    : 'has no value after the scheme';
};

/** Accepts `<scheme> <visible ASCII>`. Returns the scheme in its usual spelling, since some upstreams accept no other. */
const check = (header: string, value: string, rule: CredentialRule): Credential => {
  const [, token] = value.length <= maxLength ? (rule.accepted.exec(value) ?? []) : [];
  if (token !== undefined) return { kind: 'given', value: `${rule.scheme} ${token}` };
  const detail = `${header} ${faultOf(value, rule)}; expected "${rule.scheme} …"`;
  return { kind: 'refused', detail };
};

const credentialFor = (
  upstream: UpstreamName,
  header: (name: string) => string | null,
): Credential => {
  const rule = rules[upstream];
  const ownValue = header(rule.own);
  if (ownValue !== null) return check(rule.own, ownValue, rule);
  const shared = header('authorization');
  if (shared === null) return absent;
  // The shared header is for the upstream that uses its scheme. If neither does, both refuse it.
  const other = upstream === 'management' ? rules.observability : rules.management;
  if (isOf(other.scheme, shared)) return absent;
  return check('authorization', shared, rule);
};

/**
 * The Authorization value for each upstream, from the request's headers (docs/architecture.md). An upstream's own
 * header has priority over the shared header, even if its value is refused: a bad credential never falls back to
 * another.
 */
export const credentialsOf = (
  header: (name: string) => string | null,
): Readonly<Record<UpstreamName, Credential>> => ({
  management: credentialFor('management', header),
  observability: credentialFor('observability', header),
});
