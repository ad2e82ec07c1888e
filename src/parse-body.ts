/** How bodies of one operation begin: with everything up to the value of `variables`. */
interface Start {
  readonly bytes: Buffer;
  /** What it says, `variables` left out. */
  readonly members: Readonly<Record<string, unknown>>;
}

export interface ParsedBody {
  readonly value: unknown;
  /** Whether its start was not known. */
  readonly isNew: boolean;
}

/**
 * Parses bodies as JSON.parse does. Those of one operation mostly differ in their variables alone, and most clients
 * write these last, so that all before them need not be parsed again; its texts then are the same
 * strings each time, which V8 looks up without hashing them.
 */
export interface BodyParser {
  /** Throws a SyntaxError for what is no JSON. */
  parse(body: Buffer): ParsedBody;
  /** Takes note of how a new body begins, once it has turned out to be one that is answered. */
  learn(body: Buffer): void;
}

/** Bodies are told apart by so many bytes first, which hold an operation's name mostly. */
const keyBytes = 64;

/** Starts that are kept, and how long a body may be that one is learnt from: 4 MB together, and as many characters. */
const maxStarts = 500;
const maxBytes = 8 * 1024;

/** New bodies of which one is learnt from: operations that never come again cost little. */
const learnOneIn = 8;

const variables = '"variables":';

/** What may stand before the variables. Anything else might be a secret, and is not kept. */
const isKept = ([name, value]: readonly [string, unknown]): boolean =>
  (name === 'query' || name === 'operationName') && typeof value === 'string';

/** The start of a body whose variables stand last; undefined for one that no JSON.stringify has made. */
const startOf = (body: Buffer): Start | undefined => {
  if (body.length > maxBytes) return undefined;
  const length = body.lastIndexOf(variables) + variables.length;
  const text = body.toString('utf8', 0, length);
  let parsed: Record<string, unknown>;
  try {
    // As this is JSON, a value is expected there, of a member of the outermost object.
    parsed = JSON.parse(`${text}null}`);
  } catch {
    // It stands deeper, or nowhere.
    return undefined;
  }
  const { variables: _, ...members } = parsed;
  if (!Object.entries(members).every(isKept)) return undefined;
  // What comes twice shows once in an object.
  if (`${JSON.stringify(members).slice(0, -1)},${variables}` !== text) return undefined;
  // By itself: a part of Node's pool would keep what lies beside it.
  const bytes = Buffer.allocUnsafeSlow(length);
  body.copy(bytes, 0, 0, length);
  return { bytes, members };
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

/** @param random numbers from 0 to 1, by which bodies to learn from are chosen */
export const createBodyParser = (random: () => number = Math.random): BodyParser => {
  const starts = new Map<number, Start>();
  return {
    parse: (body) => {
      const known = starts.get(keyOf(body));
      if (!known || !startsWith(body, known.bytes)) {
        return { value: JSON.parse(body.toString()), isNew: true };
      }
      const rest = body.toString('utf8', known.bytes.length);
      // A member that comes twice counts as it comes last, in JSON too.
      const value = { ...known.members, ...JSON.parse(`{${variables}${rest}`) };
      return { value, isNew: false };
    },
    learn: (body) => {
      if (random() * learnOneIn >= 1) return;
      const start = startOf(body);
      if (!start) return;
      const key = keyOf(body);
      if (starts.size >= maxStarts && !starts.has(key)) starts.clear();
      starts.set(key, start);
    },
  };
};
