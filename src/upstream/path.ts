import type { Problem } from './error.ts';

/** The characters of an upstream's identifiers. A URL path may hold all of them without escapes. */
export interface IdentifierAlphabet {
  readonly pattern: RegExp;
  /** Completes the sentence "… must be …". */
  readonly expected: string;
}

/** The reference, Resources: "All identifiers named `...Id` in paths are UUID strings." */
export const uuid: IdentifierAlphabet = {
  pattern: /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i,
  expected: 'a UUID (8-4-4-4-12 hexadecimal digits)',
};

/** The reference calls it "a string identifier"; this is the widest set of characters that cannot change a path. */
export const token: IdentifierAlphabet = {
  pattern: /^[A-Za-z0-9_-]{1,128}$/,
  expected: '1 to 128 letters, digits, underscores or hyphens',
};

const quote = (value: string): string =>
  JSON.stringify(value.length > 64 ? `${value.slice(0, 64)}…` : value);

/** A short description of a value that is not a text. Objects may be large, or have a hostile `toString`. */
const kindOf = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' && value !== null ? 'an object' : String(value);
};

export const isIdentifier = (value: unknown, { pattern }: IdentifierAlphabet): boolean =>
  typeof value === 'string' && pattern.test(value);

/** The fault of an identifier; undefined if it has none. */
export const checkIdentifier = (
  name: string,
  value: unknown,
  alphabet: IdentifierAlphabet,
): Problem | undefined => {
  if (isIdentifier(value, alphabet)) return undefined;
  const got = typeof value === 'string' ? quote(value) : kindOf(value);
  return { field: [name], message: `${name} must be ${alphabet.expected}, got ${got}.` };
};

export interface PathTemplate {
  /** The names of the parameters, in their order. */
  readonly parameters: readonly string[];
  /** Fills in checked identifiers; they need no escapes, see `IdentifierAlphabet`. */
  fill(identifiers: Readonly<Record<string, string>>): string;
  /** The path up to the first identifier that is not given. */
  fillStart(identifiers: Readonly<Record<string, string | undefined>>): PathStart;
}

/** A whole path, or the start of several paths. */
export interface PathStart {
  readonly path: string;
  readonly isWhole: boolean;
}

export const compilePath = (template: string): PathTemplate => {
  const [start = '', ...pieces] = template.split('{');
  const parts = pieces.map((piece) => {
    const [name = '', rest = ''] = piece.split('}');
    return { name, rest };
  });
  return {
    parameters: parts.map(({ name }) => name),
    fill: (identifiers) => {
      let path = start;
      for (const { name, rest } of parts) path += identifiers[name] + rest;
      return path;
    },
    fillStart: (identifiers) => {
      let path = start;
      for (const { name, rest } of parts) {
        const identifier = identifiers[name];
        if (identifier === undefined) return { path, isWhole: false };
        path += identifier + rest;
      }
      return { path, isWhole: true };
    },
  };
};

/**
 * What a write to a path changes for which there is no row: the reads at that path, at all paths below it, and at all
 * paths above it.
 */
export const changedAround = (path: string): readonly PathStart[] => {
  const [plain = ''] = path.split('?', 1);
  const segments = plain.split('/').slice(1);
  const above = segments.map((_, index) => `/${segments.slice(0, index + 1).join('/')}`);
  return [
    { path: `${plain}/`, isWhole: false },
    ...above.flatMap((each) => [
      { path: each, isWhole: true },
      { path: `${each}?`, isWhole: false },
    ]),
  ];
};
