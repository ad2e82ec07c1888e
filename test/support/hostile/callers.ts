import { Buffer } from 'node:buffer';

/** Numbers from 0 to below 1, the same for the same seed (mulberry32). */
export const randomFrom = (seed: number): (() => number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
};

/** The same number for the same text (FNV-1a), so that an upstream's moods do not hang on the order of calls. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
};

/** What all that a caller may see is marked with. */
export const markOf = (caller: number): string => `of-caller-${caller}-only`;

/** Every caller that a text speaks of. */
export const callersIn = (text: string): ReadonlySet<number> =>
  new Set([...text.matchAll(/of-caller-(\d+)-only/g)].map(([, caller]) => Number(caller)));

const basicOf = (caller: number): string => `Basic ${btoa(`key-${caller}:secret-${caller}`)}`;
const bearerOf = (caller: number): string => `Bearer token-${caller}`;

/** The caller whose credential it is; nobody's is -1. */
export const ownerOf = (authorization: string): number => {
  const [scheme, token = ''] = authorization.split(' ');
  const text = scheme === 'Basic' ? Buffer.from(token, 'base64').toString() : token;
  const pattern = scheme === 'Basic' ? /^key-(\d+):secret-\1$/ : /^token-(\d+)$/;
  return Number(pattern.exec(text)?.[1] ?? -1);
};

const kinds = ['own headers', 'plain Basic', 'plain Bearer'] as const;

/** Credentials of a caller, in the way in which it always sends them; all callers have both. */
export const headersOf = (caller: number): Readonly<Record<string, string>> => {
  const kind = kinds[caller % kinds.length];
  return {
    [kind === 'plain Basic' ? 'authorization' : 'management-authorization']: basicOf(caller),
    [kind === 'plain Bearer' ? 'authorization' : 'observability-authorization']: bearerOf(caller),
  };
};
