import { isObject } from './is-object.ts';

/** How bodies of one operation begin: with everything up to the value of `variables`. */
interface Start {
  readonly bytes: Buffer;
  /** What it says, `variables` left out. */
  readonly members: Readonly<Record<string, unknown>>;
}

/** A body in JSON as a value. Throws a SyntaxError for what is no JSON. */
export type ParseBody = (body: Buffer) => unknown;

/** Bodies are told apart by so many bytes first, which hold an operation's name mostly. */
const keyBytes = 64;

/** Starts that are kept, and how long a body may be that one is learnt from: 4 MB together, and their texts. */
const maxStarts = 500;
const maxBytes = 8 * 1024;

/** Of bodies with an unknown start one in so many has it kept: operations that never come again cost little. */
const learnOneIn = 8;

const variables = '"variables":';
const comma = 0x2c;

/** What may stand before the variables. Anything else might be a secret, and is not kept. */
const kept = new Set(['operationName', 'query']);

/** The start of a body whose variables stand last. */
const startOf = (body: Buffer, params: unknown): Start | undefined => {
  if (!isObject(params) || body.length > maxBytes) return undefined;
  const names = Object.keys(params);
  if (names.pop() !== 'variables' || !names.every((name) => kept.has(name))) return undefined;
  const at = body.lastIndexOf(variables);
  if (at < 1 || body[at - 1] !== comma) return undefined;
  const bytes = Buffer.from(body.subarray(0, at + variables.length));
  try {
    // As this is JSON, a value is expected there, and it is a member of the outermost object.
    const { variables: _, ...members } = JSON.parse(`${bytes}null}`) as Record<string, unknown>;
    return { bytes, members };
  } catch {
    // It stands in a string, or deeper.
    return undefined;
  }
};

/** FNV-1a of the first bytes: a number for which no text has to be made. */
const keyOf = (body: Buffer): number => {
  let hash = 0x811c9dc5;
  const end = Math.min(keyBytes, body.length);
  for (let at = 0; at < end; at += 1) hash = Math.imul(hash ^ (body[at] ?? 0), 0x01000193);
  return hash;
};

const startsWith = (body: Buffer, bytes: Buffer): boolean =>
  body.length > bytes.length && bytes.compare(body, 0, bytes.length) === 0;

/**
 * Parses bodies as JSON.parse does. Those of one operation mostly differ in their variables alone, and most clients
 * write these last, so that all before them need not be parsed again; its texts then are the same
 * strings each time, which V8 looks up without hashing them.
 */
export const createParseBody = (): ParseBody => {
  const starts = new Map<number, Start>();
  let unknown = 0;
  return (body) => {
    const key = keyOf(body);
    const known = starts.get(key);
    if (known && startsWith(body, known.bytes)) {
      const rest = body.toString('utf8', known.bytes.length);
      // A member that comes twice counts as it comes last, in JSON too.
      return { ...known.members, ...JSON.parse(`{${variables}${rest}`) };
    }
    const params: unknown = JSON.parse(body.toString());
    const start = unknown % learnOneIn === 0 ? startOf(body, params) : undefined;
    if (start) {
      if (starts.size >= maxStarts) starts.clear();
      starts.set(key, start);
    }
    unknown += 1;
    return params;
  };
};
