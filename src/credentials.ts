import type { Credential } from './upstream/call.ts';
import type { UpstreamName } from './upstream/error.ts';

const maxLength = 4096;

const rules = {
  management: { own: 'management-authorization', scheme: 'Basic' },
  observability: { own: 'observability-authorization', scheme: 'Bearer' },
} as const;

const absent: Credential = { kind: 'absent' };

/** Schemes may be written in any case (RFC 9110, section 11.1). */
const isOf = (scheme: string, value: string): boolean =>
  value.slice(0, scheme.length).toLowerCase() === scheme.toLowerCase() &&
  (value.length === scheme.length || value[scheme.length] === ' ');

/** Accepts `<scheme> <visible ASCII>`, and says of anything else what is wrong, without quoting it. */
const check = (header: string, value: string, scheme: string): Credential => {
  const refused = (detail: string): Credential => ({
    kind: 'refused',
    detail: `${header} ${detail}; expected "${scheme} …"`,
  });
  if (value.length > maxLength) return refused(`is longer than ${maxLength} bytes`);
  if (!isOf(scheme, value)) return refused(`is not of the scheme ${scheme}`);
  const token = value.slice(scheme.length).replace(/^ +/, '');
  if (token === '') return refused('has no value after the scheme');
  if (!/^[\x21-\x7e]+$/.test(token)) return refused('holds bytes outside visible ASCII');
  return { kind: 'given', value };
};

const credentialFor = (
  upstream: UpstreamName,
  header: (name: string) => string | null,
): Credential => {
  const { own, scheme } = rules[upstream];
  const ownValue = header(own);
  if (ownValue !== null) return check(own, ownValue, scheme);
  const shared = header('authorization');
  if (shared === null) return absent;
  // The plain header belongs to the upstream of its scheme; both refuse a scheme of neither.
  const other = upstream === 'management' ? rules.observability : rules.management;
  if (isOf(other.scheme, shared)) return absent;
  return check('authorization', shared, scheme);
};

/**
 * Request headers → the Authorization value of each upstream (design, section 2). An upstream's own
 * header wins over the plain one, also when it is refused: a bad credential never falls back to another.
 */
export const credentialsOf = (
  header: (name: string) => string | null,
): Readonly<Record<UpstreamName, Credential>> => ({
  management: credentialFor('management', header),
  observability: credentialFor('observability', header),
});
