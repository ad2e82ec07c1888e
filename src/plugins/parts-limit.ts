import { holderOf } from '../upstream/credential-identity.ts';
import { type UpstreamName, upstreamNames } from '../upstream/error.ts';
import type { CredentialStatus } from '../upstream/gate/credential-status.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import type { ServerContext } from './plugin.ts';

/**
 * The most responses in parts under way: for all callers, for all callers whose credentials may be invented, and for
 * one credential. They may last for minutes, and a response of 120 parts takes 1.6 MB.
 */
const most = 200;
const mostUnproven = 50;
const mostOfOne = 20;

/** The credentials of one request, each with its upstream. */
interface User {
  readonly keys: readonly string[];
  /** The keys of credentials that their upstreams have lately accepted. */
  provenKeys(): readonly string[];
}

/**
 * Makes the function that decides whether a response may come in parts, and counts the response until it ends. Other
 * responses come whole: `@defer` is a hint.
 */
export const createPartsLimit = (
  callers: Callers,
  credentialStatuses: Readonly<Record<UpstreamName, CredentialStatus>>,
): ((context: ServerContext) => boolean) => {
  const open = new Set<User>();
  const countOf = (does: (user: User) => boolean): number => [...open].filter(does).length;

  const userOf = ({ credentials }: UpstreamCaller): User => {
    const holders = upstreamNames.flatMap((upstream) => {
      const credential = credentials[upstream];
      return credential.kind === 'given' ? [{ upstream, holder: holderOf(credential) }] : [];
    });
    const keysOf = (some: typeof holders): readonly string[] =>
      some.map(({ upstream, holder }) => `${upstream} ${holder}`);
    return {
      keys: keysOf(holders),
      provenKeys: () =>
        keysOf(
          holders.filter(({ upstream, holder }) => credentialStatuses[upstream].isProven(holder)),
        ),
    };
  };

  const isWithinLimit = ({ keys, provenKeys }: User): boolean => {
    const proven = provenKeys();
    const isUnproven = proven.length === 0;
    if (open.size >= most) return false;
    if (isUnproven && countOf((other) => other.provenKeys().length === 0) >= mostUnproven) {
      return false;
    }
    // It is enough if one credential is within the limit, since many users may share the other. Beside a proven
    // credential, an unproven one does not count: an invented one would always be within the limit.
    const counted = isUnproven ? keys : proven;
    return (
      counted.length === 0 ||
      counted.some((key) => countOf((other) => other.keys.includes(key)) < mostOfOne)
    );
  };

  return ({ req, res }) => {
    const incoming = callers.get(req);
    if (!incoming || res.closed) return false;
    const user = userOf(incoming.caller);
    if (!isWithinLimit(user)) return false;
    open.add(user);
    res.once('close', () => open.delete(user));
    return true;
  };
};
