/** A text that is not to be shown. */
export interface Secret {
  readonly text: string;
  /** How many characters at its start anybody may know, such as `Bearer `. */
  readonly known: number;
}

/** One way in which a text may spell a secret. */
export interface Form {
  readonly text: string;
  /** The same, with the digits of escapes in the other case. */
  readonly otherCase: string;
  /** How many characters from its start on give something away. */
  readonly least: number;
}

/** A shorter secret would be found in texts about anything. */
const shortestSecret = 4;

/** So many characters of a secret's beginning are a secret too. */
const shortestBeginning = 8;

/** No text is searched beyond so many characters, so that nothing of a secret beyond twice as many is looked for. */
export const longestText = 4096;

type Encode = (text: string) => string;

const asItIs: Encode = (text) => text;

const base64: Encode = (text) => Buffer.from(text).toString('base64');

const withoutPadding: Encode = (text) => {
  let end = text.length;
  while (text[end - 1] === '=') end -= 1;
  return text.slice(0, end);
};

/** Of a text that may be base64 itself; any other is left as it is. */
const inAlphabet =
  (url: boolean): Encode =>
  (text) => {
    if (!/^[\w+/-]+=*$/.test(text)) return text;
    return url
      ? text.replaceAll('+', '-').replaceAll('/', '_')
      : text.replaceAll('-', '+').replaceAll('_', '/');
  };

/** With padding: what lacks it is the beginning. */
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

/** How a query, a path, a form or a JSON string spells a text; each as several libraries write it. */
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

/** How many characters of a form are the whole of what it spells. */
const wholeLength = (text: string): number =>
  Math.max(withoutPadding(text).length, Math.min(text.length, shortestSecret));

const add = (forms: Map<string, Form>, text: string, known: number): void => {
  const least = Math.min(wholeLength(text), known + shortestBeginning);
  if (least >= (forms.get(text)?.least ?? Infinity)) return;
  const otherCase = /[%\\]/.test(text) ? otherCaseOf(text) : text;
  forms.set(text, { text, otherCase, least });
};

/** Signs without which a text has nothing escaped in it. */
const escapeSigns = /[%\\+]/;

/** All the forms in which the secrets may stand in a text. */
export const formsIn = (text: string, secrets: Iterable<Secret>): readonly Form[] => {
  const used = escapeSigns.test(text) ? escapings : [asItIs];
  const forms = new Map<string, Form>();
  for (const { text: whole, known } of secrets) {
    const secret = whole.slice(0, 2 * longestText);
    // An upstream may trim what it is sent.
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
