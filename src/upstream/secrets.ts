/** A text that must not be shown. */
export interface Secret {
  readonly text: string;
  /** How many characters at the start are not secret, such as those of `Bearer `. */
  readonly known: number;
}

/**
 * Names of members whose values are secrets, anywhere in a body. The match is loose on purpose: an undocumented member
 * with such a name holds a secret too.
 */
const secretName =
  /passw|secret|credential|accesskey|connectionstring|hash|authorization|token|api[_-]?key|private_?key|account_?(key|file)/i;

const ofPercent = (run: string): string => Buffer.from(run.replaceAll('%', ''), 'hex').toString();

/** A URL with a login, which ends at the last `@` before the host's end, or at the last one if it has such characters. */
const urlWithLogin = /^\s*[a-z][\w+.-]*:\/\/([^/?#]+|.+)@/is;

const isUrl = /^\s*[a-z][\w+.-]*:\/\//i;

/** What stands before the name of an option of a URL, or of the value of another option. */
const beforeOption = /[?&;,=]|%2c/gi;
const optionName = /^[\w.-]{1,160}(?=[=:]|%3[ad])/i;
const optionValue = /^(?:[=:]|%3[ad])([^&#\s]+)/i;

const ofPercentRuns = (text: string): string => text.replaceAll(/(?:%[\da-f]{2})+/gi, ofPercent);

/**
 * The values of options whose names say that they are secrets, as in `?authMechanismProperties=AWS_SESSION_TOKEN:…`, as they
 * are and decoded. A value is all that it may be: of a longer text the beginning is found.
 */
const secretsOfOptions = (text: string): readonly Secret[] => {
  if (!isUrl.test(text)) return [];
  const values: string[] = [];
  let end = 0;
  for (const { 0: mark, index } of text.matchAll(beforeOption)) {
    const start = index + mark.length;
    // What is within a value is found with it.
    if (start < end) continue;
    const name = optionName.exec(text.slice(start, start + 200))?.[0];
    if (name === undefined || !secretName.test(name)) continue;
    const [whole = '', value = ''] = optionValue.exec(text.slice(start + name.length)) ?? [];
    end = start + name.length + whole.length;
    values.push(value, ofPercentRuns(value));
  }
  return values.map((value) => ({ text: value, known: 0 }));
};

/** The user name and password in a URL, as they are and decoded, and the URL itself from there on. */
const secretsOfLogin = (text: string): readonly Secret[] => {
  const [start, login] = urlWithLogin.exec(text) ?? [];
  if (start === undefined || login === undefined) return [];
  const password = login.slice(login.indexOf(':') + 1);
  const parts = [login, password, login.slice(0, -password.length - 1)];
  const decoded = parts.map(ofPercentRuns);
  return [
    { text, known: start.length - login.length - '@'.length },
    ...[...parts, ...decoded].map((part) => ({ text: part, known: 0 })),
  ];
};

/** A URL up to its path, with its host, and the beginning of a path that webhooks have. */
const urlStart = /^\s*https?:\/\/([^/?#]+)\/(api\/webhooks\/)?(?=.)/is;

/** Whoever knows the path of a webhook may send to it. */
const secretsOfHook = (text: string): readonly Secret[] => {
  const [start = '', host = '', hookPath] = urlStart.exec(text) ?? [];
  const isHook = hookPath !== undefined || host.toLowerCase().includes('hook');
  return isHook ? [{ text, known: start.length }] : [];
};

/** The secret values in a body. */
export const secretsIn = (body: unknown): readonly Secret[] => {
  const found: Secret[] = [];
  // A list of what is left, since a body may be nested more deeply than calls can be.
  const left: { readonly value: unknown; readonly isSecret: boolean }[] = [
    { value: body, isSecret: false },
  ];
  for (let next = left.pop(); next; next = left.pop()) {
    const { value, isSecret } = next;
    if (typeof value === 'string' || typeof value === 'number') {
      if (isSecret) found.push({ text: String(value), known: 0 });
      else if (typeof value === 'string')
        found.push(...secretsOfLogin(value), ...secretsOfOptions(value), ...secretsOfHook(value));
    } else if (Array.isArray(value)) {
      for (const item of value) left.push({ value: item, isSecret });
    } else if (typeof value === 'object' && value !== null) {
      for (const [name, member] of Object.entries(value)) {
        left.push({ value: member, isSecret: isSecret || secretName.test(name) });
      }
    }
  }
  return found;
};

const inUrlAlphabet = (text: string): string => text.replaceAll('+', '-').replaceAll('/', '_');
const inBase64Alphabet = (text: string): string => text.replaceAll('-', '+').replaceAll('_', '/');

/**
 * The secrets in an Authorization value: the token and, for Basic, the password after the colon. The scheme and the
 * user name are not secret, unless they are the beginning of the token.
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
  // Decoded and encoded again, a token would be another one if it is not base64 of UTF-8.
  const tokens = new Set([token, inUrlAlphabet(token), inBase64Alphabet(token)]);
  return [whole, ...[...tokens].map((text) => ({ text, known: 0 })), ...parts];
};

/** Shorter secrets are not searched for: they would be found in any text. */
const shortestSecret = 4;

/** The first characters of a secret count as a secret too, if they are at least this many. */
const shortestBeginning = 8;

/** The longest text that is searched, and the most of a secret that is searched for, in characters. */
const longestText = 4096;

const placeholder = '[redacted]';

/** Without padding, which an upstream may omit. */
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const base64 = (text: string): string => inBase64Alphabet(base64url(text));

/** The forms in which a secret is searched for, besides the escapes below. Other upper or lower case is not found. */
const encodings = [(text: string): string => text, base64, base64url];

/**
 * Runs of escapes that are decoded before the search. These secrets are not found: with escapes within escapes, or
 * directly after a `%` or backslash that is not theirs.
 */
const escapes: readonly { readonly runs: RegExp; decode(run: string): string }[] = [
  {
    runs: /((?:%[\da-fA-F]{2})+)/,
    decode: ofPercent,
  },
  {
    // As in a form.
    runs: /((?:%[\da-fA-F]{2}|\+)+)/,
    decode: (run) => ofPercent(run.replaceAll('+', '%20')),
  },
  {
    runs: /((?:\\u[\da-fA-F]{4}|\\["\\/bfnrt])+)/,
    decode: (run) => String(JSON.parse(`"${run}"`)),
  },
];

interface Searched {
  readonly text: string;
  /**
   * For each character, where it begins in the original text, or a little before, and where it or its run of escapes
   * ends.
   */
  readonly starts: readonly number[];
  readonly ends: readonly number[];
}

/** @param pieces the original text in pieces, of which every other one is a run of escapes */
const joined = (pieces: readonly string[], decode: (run: string) => string): Searched => {
  const starts: number[] = [];
  const ends: number[] = [];
  let [text, start] = ['', 0];
  for (const [index, piece] of pieces.entries()) {
    const isRun = index % 2 === 1;
    const end = start + piece.length;
    const shown = isRun ? decode(piece) : piece;
    for (let at = 0; at < shown.length; at += 1) {
      starts.push(start + at);
      ends.push(isRun ? end : start + at + 1);
    }
    text += shown;
    start = end;
  }
  return { text, starts, ends };
};

/** The text itself, and decoded for each kind of escapes that it has. */
const searchedIn = (text: string): readonly Searched[] => [
  joined([text], String),
  ...escapes.flatMap(({ runs, decode }) => {
    const pieces = text.split(runs);
    return pieces.length > 1 ? [joined(pieces, decode)] : [];
  }),
];

/** For each place of a text, how much of a form's start is found there, by the Z algorithm in linear time. */
const lengthsOf = (form: string, text: string): readonly number[] => {
  const both = form + text;
  const lengths = [0];
  let [from, to] = [0, 0];
  for (let at = 1; at < both.length; at += 1) {
    let length = at < to ? Math.min(lengths[at - from] ?? 0, to - at) : 0;
    while (at + length < both.length && both[length] === both[at + length]) length += 1;
    if (at + length > to) [from, to] = [at, at + length];
    lengths.push(length);
  }
  return lengths.slice(form.length).map((length) => Math.min(length, form.length));
};

/** Marks in the original text where a form is found, as a whole or at least its first characters. */
const hide = (
  { text, starts, ends }: Searched,
  form: string,
  least: number,
  hidden: Uint8Array,
): void => {
  if (!text.includes(form.slice(0, least))) return;
  for (const [at, length] of lengthsOf(form, text).entries()) {
    if (length >= least) hidden.fill(1, starts[at], ends[at + length - 1]);
  }
};

/**
 * Removes secrets from a text: plain, in base64, percent-encoded, or escaped as in JSON; as a whole, or their
 * beginnings of at least eight characters. A shorter secret is removed only as a whole; one with fewer than four
 * characters stays.
 *
 * @param text at most `longestText` characters
 */
export const redact = (text: string, secrets: Iterable<Secret>): string => {
  const hidden = new Uint8Array(text.length);
  const searched = searchedIn(text);
  for (const { text: whole, known } of secrets) {
    // An upstream may trim values.
    for (const spelt of new Set([whole, whole.trim()])) {
      if (spelt.length < shortestSecret) continue;
      for (const encode of encodings) {
        const form = encode(spelt.slice(0, longestText));
        const least = encode(spelt.slice(0, known)).length + shortestBeginning;
        for (const each of searched) hide(each, form, Math.min(form.length, least), hidden);
      }
    }
  }
  let clean = '';
  for (let at = 0; at < text.length; at += 1) {
    if (hidden[at] === 0) clean += text[at];
    else if (hidden[at - 1] !== 1) clean += placeholder;
  }
  return clean;
};

/** @param text of any length: of a longer one than is searched, the beginning is shown */
const shownText = (text: string, secrets: readonly Secret[]): string => {
  const start = redact(text.slice(0, longestText), [...secrets, ...secretsIn(text)]);
  return text.length > longestText ? `${start}… (${text.length} characters)` : start;
};

/**
 * A part of a body as JSON without secrets: members whose names say that they hold one, and the given secrets in all others.
 *
 * @param path the names of the members that the part is within
 */
export const jsonWithoutSecrets = (
  value: unknown,
  secrets: readonly Secret[],
  path: readonly string[],
): string => {
  const shown = (name: string, member: unknown): unknown => {
    if (secretName.test(name) && member !== null) return placeholder;
    return typeof member === 'string' ? shownText(member, secrets) : member;
  };
  return JSON.stringify(path.some((name) => secretName.test(name)) ? placeholder : value, shown);
};

/** The longest line, in characters: room for some twenty issues of a validator. */
export const longestLine = 2000;

/** The first line of a text, cut to `longestLine`, without secrets and control characters. */
export const firstLine = (text: string, secrets: Iterable<Secret>): string | undefined => {
  // The text may be cut before the search, since the beginning of a secret is found too.
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
  const ofBodies = new Map<string, Secret>();
  const all = (): readonly Secret[] => [
    ...credentials.flatMap(secretsOfCredential),
    ...ofBodies.values(),
  ];
  return {
    note: (body) => {
      for (const secret of secretsIn(body)) ofBodies.set(`${secret.known} ${secret.text}`, secret);
    },
    all,
    areMissingIn: (text) => redact(text, all()) === text,
  };
};
