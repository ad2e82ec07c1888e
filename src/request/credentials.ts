import type { Credential } from '../upstream/call.ts';
import { type UpstreamName, upstreamNames } from '../upstream/error.ts';
import type { RestInterface } from '../upstream/interface.ts';
import type { Interfaces } from '../upstream/profiles.ts';

type Scheme = RestInterface['scheme'];
type HeaderOf = (name: string) => string | null;

const maxLength = 4096;

/** The header for the credential of one upstream alone. */
const ownHeaders: Readonly<Record<UpstreamName, string>> = {
  management: 'Management-Authorization',
  observability: 'Observability-Authorization',
};

/** The headers that may hold a credential, accepted or not. */
export const credentialHeaders: readonly string[] = [
  'authorization',
  ...Object.values(ownHeaders).map((name) => name.toLowerCase()),
];

const accepted: Readonly<Record<Scheme, RegExp>> = {
  Basic: /^basic +([\x21-\x7e]+)$/i,
  Bearer: /^bearer +([\x21-\x7e]+)$/i,
};

/** Schemes are case-insensitive (RFC 9110, section 11.1). */
const isOf = (scheme: Scheme, value: string): boolean =>
  value.slice(0, scheme.length).toLowerCase() === scheme.toLowerCase() &&
  (value.length === scheme.length || value[scheme.length] === ' ');

/** Why a credential is not accepted, without quoting it. */
const faultOf = (value: string, scheme: Scheme): string => {
  if (value.length > maxLength) return `is longer than ${maxLength} bytes`;
  if (!isOf(scheme, value)) return `is not of the scheme ${scheme}`;
  return /[^ ]/.test(value.slice(scheme.length))
    ? 'holds bytes outside visible ASCII'
    : 'has no value after the scheme';
};

/** Accepts `<scheme> <visible ASCII>`. Returns the scheme in its usual spelling, since some upstreams accept no other. */
const check = (header: string, value: string, scheme: Scheme): Credential => {
  const [, token] = value.length <= maxLength ? (accepted[scheme].exec(value) ?? []) : [];
  if (token !== undefined) return { kind: 'given', value: `${scheme} ${token}` };
  const detail = `${header.toLowerCase()} ${faultOf(value, scheme)}; expected "${scheme} …"`;
  return { kind: 'refused', detail };
};

/** The credential for one upstream, from its own header or the shared one. */
const credentialFor = (
  name: UpstreamName,
  header: HeaderOf,
  interfaces: Interfaces,
): Credential => {
  const { scheme } = interfaces[name];
  const own = ownHeaders[name];
  const ownValue = header(own);
  if (ownValue !== null) return check(own, ownValue, scheme);
  const absent: Credential = { kind: 'absent', expected: `${own}: ${scheme} …` };
  const shared = header('authorization');
  if (shared === null) return absent;
  // The shared header is for the upstreams that use its scheme. If none does, all refuse it.
  const isOfAnother = upstreamNames.some((other) => {
    const { scheme: others } = interfaces[other];
    return others !== scheme && isOf(others, shared);
  });
  return isOfAnother ? absent : check('authorization', shared, scheme);
};

/**
 * The Authorization value for each interface, from the request's headers (docs/architecture.md). An interface's own
 * header has priority over the shared header, even if its value is refused: a bad credential never falls back to
 * another. An interface that another upstream serves takes the credential of that upstream, unless it has its own.
 */
export const credentialsOf = (
  header: HeaderOf,
  interfaces: Interfaces,
): Readonly<Record<UpstreamName, Credential>> => {
  const of = (name: UpstreamName): Credential => {
    const { destination } = interfaces[name];
    const isOwn = destination === name || header(ownHeaders[name]) !== null;
    return credentialFor(isOwn ? name : destination, header, interfaces);
  };
  return { management: of('management'), observability: of('observability') };
};
