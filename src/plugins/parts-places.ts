import { holderOf } from '../upstream/holder.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { Callers } from './caller.ts';
import type { ServerContext } from './plugin.ts';

/**
 * The most responses in parts under way, for all callers and for one pair of credentials. They may last for minutes, and a
 * response of 120 parts takes 1.6 MB.
 */
const most = 200;
const mostOfOne = 20;

const keyOf = ({ credentials }: UpstreamCaller): string =>
  Object.values(credentials)
    .map((credential) => (credential.kind === 'given' ? holderOf(credential) : ''))
    .join(' ');

/**
 * Makes the function that decides whether a response may come in parts, and counts the response until it ends. Other
 * responses come whole: `@defer` is a hint.
 */
export const createPartsPlaces = (callers: Callers): ((context: ServerContext) => boolean) => {
  const taken = new Map<string, number>();
  let all = 0;
  const count = (key: string, change: 1 | -1): void => {
    const own = (taken.get(key) ?? 0) + change;
    all += change;
    if (own === 0) taken.delete(key);
    else taken.set(key, own);
  };
  return ({ req, res }) => {
    const incoming = callers.get(req);
    if (!incoming || res.closed) return false;
    const key = keyOf(incoming.caller);
    if (all >= most || (taken.get(key) ?? 0) >= mostOfOne) return false;
    count(key, 1);
    res.once('close', () => count(key, -1));
    return true;
  };
};
