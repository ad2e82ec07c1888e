/** A text that must not be shown. */
export interface Secret {
  readonly text: string;
  /** How many characters at the start are not secret, such as `Bearer `. */
  readonly known: number;
}

/** One spelling of a secret. */
export interface Form {
  readonly text: string;
  /** The same spelling, with the digits of escapes in the other case. */
  readonly otherCase: string;
  /** How many characters from the start already reveal something. */
  readonly least: number;
}

/** Shorter secrets are not searched for: they would be found in any text. */
const shortestSecret = 4;

/** The first characters of a secret count as a secret too, from this number on. */
const shortestBeginning = 8;

/** The longest text that is searched, in characters. Of a secret, at most twice as many characters are searched for. */
export const longestText = 4096;

type Encode = (text: string) => string;

const asItIs: Encode = (text) => text;

const base64: Encode = (text) => Buffer.from(text).toString('base64');

const withoutPadding: Encode = (text) => {
  let end = text.length;
  while (text[end - 1] === '=') end -= 1;
  return text.slice(0, end);
};

/** Changes the base64 alphabet of a text; leaves a text that is not base64 as it is. */
const inAlphabet =
  (url: boolean): Encode =>
  (text) => {
    if (!/^[\w+/-]+=*$/.test(text)) return text;
    return url
      ? text.replaceAll('+', '-').replaceAll('/', '_')
      : text.replaceAll('-', '+').replaceAll('_', '/');
  };

/** With padding, since a spelling without padding is the beginning of this one. */
const encodings: readonly Encode[] = [
  asItIs,
  inAlphabet(true),
  inAlphabet(false),
  base64,
  (text) => inAlphabet(true)(base64(text)),
];

const hexOf = (character: string): string =>
  character.charCodeAt(0).toString(16).toUpperCase().padStart(2, '0');

const percent: Encode = (text) => encodeURIComponent(text.toWellFormed());

const percentFurther = (text: string, characters: RegExp): string =>
  percent(text).replace(characters, (character) => `%${hexOf(character)}`);

const quoted: Encode = (text) => JSON.stringify(text).slice(1, -1);

const unicode = (text: string, characters: RegExp): string =>
  text.replace(characters, (character) => `\\u${hexOf(character).padStart(4, '0')}`);

const ascii: Encode = (text) => unicode(quoted(text), /[^\x20-\x7e]/g);

/** The spellings of a text in a query, a path, a form or a JSON string, as several libraries write them. */
const escapings: readonly Encode[] = [
  asItIs,
  percent,
  (text) => percentFurther(text, /[!'()*]/g),
  (text) => percentFurther(text, /[-_.!~*'()]/g),
  (text) => percent(text).replaceAll('%20', '+'),
  (text) => encodeURI(text.toWellFormed()),
  quoted,
  (text) => quoted(text).replaceAll('/', '\\/'),
  (text) => quoted(quoted(text)),
  (text) => unicode(quoted(text), /[<>&\u2028\u2029]/g),
  ascii,
  (text) => ascii(text).replaceAll('/', '\\/'),
  (text) => unicode(ascii(text).replaceAll('\\"', '"'), /["<>&'+`]/g),
];

const otherCaseOf: Encode = (text) =>
  text.replace(/%[\dA-F]{2}|\\u[\dA-Fa-f]{4}/g, (sign) => {
    const lower = sign.toLowerCase();
    return lower === sign ? `${sign.slice(0, 2)}${sign.slice(2).toUpperCase()}` : lower;
  });

/** How many characters of a form stand for the whole secret. */
const wholeLength = (text: string): number =>
  Math.max(withoutPadding(text).length, Math.min(text.length, shortestSecret));

const add = (forms: Map<string, Form>, text: string, known: number): void => {
  const least = Math.min(wholeLength(text), known + shortestBeginning);
  if (least >= (forms.get(text)?.least ?? Infinity)) return;
  const otherCase = /[%\\]/.test(text) ? otherCaseOf(text) : text;
  forms.set(text, { text, otherCase, least });
};

/** Characters that every escaped text contains. */
const escapeSigns = /[%\\+]/;

/** All forms in which the text may contain the secrets. */
export const formsIn = (text: string, secrets: Iterable<Secret>): readonly Form[] => {
  const used = escapeSigns.test(text) ? escapings : [asItIs];
  const forms = new Map<string, Form>();
  for (const { text: whole, known } of secrets) {
    const secret = whole.slice(0, 2 * longestText);
    // An upstream may trim the values that it gets.
    for (const spelt of new Set(known === 0 ? [secret, secret.trim()] : [secret])) {
      if (spelt.length < shortestSecret) continue;
      for (const encode of encodings) {
        const encoded = encode(spelt);
        const start = known > 0 ? withoutPadding(encode(spelt.slice(0, known))) : '';
        for (const spell of used) add(forms, spell(encoded), spell(start).length);
      }
    }
  }
  return [...forms.values()];
};
