import { type Form, formsIn, longestText, type Secret } from './secret-forms.ts';

/**
 * Names of members whose values are secrets, at any place in a body. The loose match is deliberate: an undocumented
 * member with such a name holds a secret as well.
 */
const secretName =
  /passw|secret|credential|accesskey|connectionstring|hash|authorization|token|private_?key|account_?(key|file)/i;

const collect = (value: unknown, secret: boolean, found: Set<string>): void => {
  if (typeof value === 'string' || typeof value === 'number') {
    if (secret) found.add(String(value));
  } else if (Array.isArray(value)) {
    for (const item of value) collect(item, secret, found);
  } else if (typeof value === 'object' && value !== null) {
    for (const [name, member] of Object.entries(value)) {
      collect(member, secret || secretName.test(name), found);
    }
  }
};

/** The secret values in a body. */
export const secretsIn = (value: unknown): ReadonlySet<string> => {
  const found = new Set<string>();
  collect(value, false, found);
  return found;
};

/**
 * The secrets in an Authorization value: the token and, for Basic, the password after the colon. The scheme and the user
 * name are not secret, except where the beginning of the token spells them.
 */
export const secretsOfCredential = (credential: string): readonly Secret[] => {
  const [, token = ''] = credential.split(/ +/);
  if (token === '') return [{ text: credential, known: 0 }];
  const whole = { text: credential, known: credential.length - token.length };
  const pair = Buffer.from(token, 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const parts =
    colon < 0
      ? []
      : [
          { text: pair, known: colon + 1 },
          { text: pair.slice(colon + 1), known: 0 },
        ];
  return [whole, { text: token, known: 0 }, ...parts];
};

const placeholder = '[redacted]';

const isSame = (character: string | undefined, form: Form, index: number): boolean =>
  character !== undefined &&
  (character === form.text[index] || character === form.otherCase[index]);

/** How many characters of a form's start are found at a place in a text. */
const lengthAt = (text: string, at: number, form: Form): number => {
  let length = 0;
  while (isSame(text[at + length], form, length)) length += 1;
  return length;
};

/** Notes, for each place where a form is found, where it ends. */
const mark = (text: string, form: Form, ends: number[]): void => {
  let end = 0;
  for (let at = 0; at + form.least <= text.length; at += 1) {
    // Inside a match, only a match that ends later counts. Otherwise a repetitive text would take the square of its length.
    if (at < end && !isSame(text[end], form, end - at)) continue;
    const length = lengthAt(text, at, form);
    if (length < form.least) continue;
    end = Math.max(end, at + length);
    ends[at] = Math.max(ends[at] ?? 0, end);
  }
};

/**
 * Removes secrets from a text, in all their forms: whole secrets, and beginnings of at least eight characters. A secret
 * with fewer characters is removed only as a whole; one with fewer than four stays.
 *
 * @param text at most `longestText` characters: at worst the time grows with the product of the text's length and the secrets'
 */
export const redact = (text: string, secrets: Iterable<Secret>): string => {
  const ends: number[] = [];
  for (const form of formsIn(text, secrets)) mark(text, form, ends);
  if (ends.length === 0) return text;
  let clean = '';
  let end = 0;
  for (let at = 0; at < text.length; at += 1) {
    const found = ends[at] ?? 0;
    // Matches that touch or overlap get one placeholder.
    if (found > end) {
      if (at > end || end === 0) clean += placeholder;
      end = found;
    }
    if (at >= end) clean += text[at];
  }
  return clean;
};

/** The longest line, in characters: room for some twenty issues of a validator. */
export const longestLine = 2000;

/** The first line of a text, cut to `longestLine`, without secrets and control characters. */
export const firstLine = (text: string, secrets: Iterable<Secret>): string | undefined => {
  // The text may be cut before the search, since the beginning of a secret is found as well as the whole.
  const [line = ''] = text
    .trimStart()
    .slice(0, longestText)
    .split(/[\r\n\u2028\u2029]/, 1);
  return (
    redact(line.trimEnd(), secrets)
      .replaceAll(/\p{Cc}/gu, ' ')
      .slice(0, longestLine) || undefined
  );
};

/** The secrets of one request to the gateway: no text that leaves the gateway may hold any of them. */
export interface RequestSecrets {
  /** Notes the secrets of a body that is sent: no later answer to this request may repeat them. */
  note(body: unknown): void;
  all(): readonly Secret[];
  /** Whether a short text holds none of the secrets. */
  areMissingIn(text: string): boolean;
}

/** @param credentials the credentials of the request, in any form */
export const createRequestSecrets = (credentials: readonly string[]): RequestSecrets => {
  const ofBodies = new Set<string>();
  const all = (): readonly Secret[] => [
    ...credentials.flatMap(secretsOfCredential),
    ...[...ofBodies].map((text) => ({ text, known: 0 })),
  ];
  return {
    note: (body) => {
      for (const secret of secretsIn(body)) ofBodies.add(secret);
    },
    all,
    areMissingIn: (text) => redact(text, all()) === text,
  };
};
