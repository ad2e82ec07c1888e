import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstLine, redact, secretsIn, secretsOfCredential } from '../../src/upstream/secrets.ts';

const of = (...texts: readonly string[]) => texts.map((text) => ({ text, known: 0 }));

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const padded = (text: string): string => base64(text).replaceAll('+', '-').replaceAll('/', '_');
const percent = (text: string, others = /$^/g): string =>
  encodeURIComponent(text).replace(others, (sign) => `%${sign.charCodeAt(0).toString(16)}`);
const json = (text: string): string => JSON.stringify(text).slice(1, -1);
const escaped = (text: string, signs: RegExp, cased = (digits: string) => digits): string =>
  json(text).replace(
    signs,
    (sign) => `\\u${cased(sign.charCodeAt(0).toString(16)).padStart(4, '0')}`,
  );
const lower = (text: string): string => text.toLowerCase();
const upper = (text: string): string => text.toUpperCase();

/** How an upstream may spell what it was sent. */
const spellings: Readonly<Record<string, (text: string) => string>> = {
  'as it is': (text) => text,
  base64,
  'base64 without padding': (text) => base64(text).replace(/=+$/, ''),
  base64url: padded,
  'base64url without padding': base64url,
  'percent-encoded': (text) => percent(text),
  'percent-encoded in lower case': (text) => percent(text).replace(/%../g, lower),
  'percent-encoded in mixed case': (text) => percent(text).replace(/(?<=%.)./g, lower),
  'percent-encoded with all signs': (text) => percent(text, /[!'()*]/g),
  'percent-encoded but for letters and digits': (text) => percent(text, /[-_.!~*'()]/g),
  'percent-encoded as a form': (text) => percent(text).replaceAll('%20', '+'),
  'percent-encoded as a URL': encodeURI,
  'percent-encoded base64': (text) => percent(base64(text)),
  'within JSON': json,
  'within JSON with escaped slashes': (text) => json(text).replaceAll('/', '\\/'),
  'within JSON within JSON': (text) => json(json(text)),
  'within JSON of ASCII': (text) => escaped(text, /[^\x20-\x7e]/g),
  'within JSON of ASCII in upper case': (text) => escaped(text, /[^\x20-\x7e]/g, upper),
  'within JSON for HTML': (text) => escaped(text, /[<>&\u2028\u2029]/g),
};

describe('a secret is taken out of a text', () => {
  const odd = 'p "q"\\ö?>~<&/%+=\u2028\n😀(1)';

  it.each(Object.entries(spellings))('whole: %s', (_, spell) => {
    const other = [...odd].reverse().join('');
    for (const secret of [odd, other, 'plain-and-long-enough', 'ab?>', 'a/b+c==']) {
      const text = `no ${spell(secret)} here, but ${spell(secret)}.`;
      expect(redact(text, of(secret))).toBe('no [redacted] here, but [redacted].');
    }
  });

  it.each(Object.entries(spellings))('from its first eight characters on: %s', (_, spell) => {
    const spelt = spell(odd);
    for (let length = 8; length <= spelt.length; length += 1) {
      expect(redact(`no ${spelt.slice(0, length)}… here`, of(odd))).toBe('no [redacted]… here');
    }
    expect(redact(`no ${spelt.slice(0, 7)}… here`, of(odd))).toBe(`no ${spelt.slice(0, 7)}… here`);
  });

  it.each([
    // Shorter than four characters, than eight, and from eight on.
    ['abc', 'an abc', 'an abc'],
    ['abcd', 'an abcd, an abc', 'an [redacted], an abc'],
    ['abcdefg', 'an abcdefg, an abcdef', 'an [redacted], an abcdef'],
    ['abcdefgh', 'an abcdefg', 'an abcdefg'],
    // Trimmed, with other signs around it, in the other alphabet of base64.
    [' \tabcd ', 'an abcd', 'an [redacted]'],
    ['12345678', '%1234567890', '%[redacted]90'],
    ['ab+/cd+/', 'an ab-_cd-_', 'an [redacted]'],
    ['ab-_cd-_', 'an ab+/cd+/', 'an [redacted]'],
    // At a stretch, in part and whole, and overlapping itself.
    ['abcdefgh', 'abcdefghabcdefgh!', '[redacted]!'],
    ['abcdefghij', 'abcdefghabcdefghij!', '[redacted]!'],
    ['abababababc', 'abababababababc!', '[redacted]!'],
  ])('%j in %j', (secret, text, clean) => {
    expect(redact(text, of(secret))).toBe(clean);
  });

  it('where several begin alike, overlap or hold each other', () => {
    const secrets = of('abcdefgh1', 'abcdefgh22', 'gh22-gh22', 'cdef', 'h1 abcdefg');
    for (const order of [secrets, [...secrets].reverse()]) {
      expect(redact('an abcdefgh1, abcdefgh22-gh22 and abcdefgh1 abcdefg', order)).toBe(
        'an [redacted], [redacted] and [redacted]',
      );
    }
  });
});

describe('of a credential', () => {
  const basic = `Basic ${base64('id-of-key:the-key-secret')}`;
  const clean = (text: string, credential = basic) => redact(text, secretsOfCredential(credential));

  it.each([
    [`not ${basic}`, 'not [redacted]'],
    [`not ${basic.slice(6).replace(/=+$/, '')}`, 'not [redacted]'],
    [`not ${basic.slice(0, 14)}…`, 'not [redacted]…'],
    [`not ${basic.slice(0, 13)}…`, `not ${basic.slice(0, 13)}…`],
    ['not id-of-key%3athe-key-secret', 'not [redacted]'],
    ['not the-key-secret', 'not [redacted]'],
    ['not id-of-key:the-key-…', 'not [redacted]…'],
    ['not id-of-key:the-key…', 'not id-of-key:the-key…'],
    [`not ${base64(basic).slice(0, 20)}…`, 'not [redacted]…'],
    ['Basic authentication failed for id-of-key', 'Basic authentication failed for id-of-key'],
  ])('%j becomes %j', (text, expected) => {
    expect(clean(text)).toBe(expected);
  });

  it('its scheme is no secret, not even in base64', () => {
    for (const text of ['Bearer token expected, got Bearer t…', `got ${base64('Bearer ')}`]) {
      expect(clean(text, 'Bearer token-of-the-caller')).toBe(text);
    }
  });

  it('a value without a scheme is a secret as it is', () => {
    expect(clean('not value-withou…', 'value-without-a-scheme')).toBe('not [redacted]…');
  });
});

it('of any text, nothing of eight characters that begins a form of a secret is kept, and all else is', () => {
  // Few different characters, so that secrets, texts and their pieces meet.
  const unit = fc.constantFrom(...'abc%+/"\\-_ <=2Fué?~😀');
  const filler = fc.string({ unit: fc.oneof(unit, fc.constant('.')), maxLength: 20 });
  const cut = fc.option(fc.double({ min: 0, max: 1, noNaN: true }));
  const form = fc.constantFrom(...Object.values(spellings));
  const piece = fc.record({ filler, at: fc.nat(3), form, cut });
  const lists = [
    fc.array(fc.string({ unit, minLength: 8, maxLength: 30 }), { minLength: 1, maxLength: 4 }),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
  ] as const;
  fc.assert(
    fc.property(...lists, (secrets, pieces) => {
      /** A form of a secret, whole, or from its first eight characters on. */
      const spelt = pieces.map(({ at, form, cut }) => {
        const text = form(secrets[at % secrets.length] ?? '');
        return text.slice(0, cut === null ? text.length : 8 + Math.floor(cut * (text.length - 8)));
      });
      const beginnings = secrets.flatMap((secret) =>
        Object.values(spellings).map((each) => each(secret).slice(0, 8)),
      );
      const close = pieces.map(({ filler }, at) => filler + spelt[at]).join('');
      const clean = redact(close, of(...secrets));
      expect(clean).toContain('[redacted]');
      for (const beginning of beginnings) expect(clean).not.toContain(beginning);

      const outside = pieces.map(({ filler }) => `.${filler}.`);
      const plain = outside.join('');
      if (beginnings.some((beginning) => plain.includes(beginning))) return;
      expect(redact(plain, of(...secrets))).toBe(plain);
      const apart = outside.map((filler, at) => `${filler}\n${spelt[at]}`).join('\n');
      for (const filler of outside) expect(redact(apart, of(...secrets))).toContain(filler);
    }),
    { numRuns: 1500 },
  );
});

describe('the first line of a text', () => {
  it('has at most 2000 characters, with nothing of a secret that the cuts fall into', () => {
    const secret = 'cnry-secret'.padEnd(3000, '-secret');
    for (const before of [1, 1990, 1999, 3000, 4080, 4087]) {
      const words = 'x'.repeat(before);
      expect(firstLine(`${words} ${secret} ${secret}`, of(secret))).toBe(
        `${words} [redacted] [redacted]`.slice(0, 2000),
      );
    }
  });

  it('has nothing of a secret that a line’s end falls into', () => {
    const secret = 'cnry-1st\ncnry-2nd';
    expect(firstLine(`  not ${secret}`, of(secret))).toBe('not [redacted]');
  });

  it('has less than eight characters of a secret that the end of what is searched falls into', () => {
    const filling = 'y'.repeat(4000);
    const lineWith = (blanks: number) =>
      firstLine(`${filling + ' '.repeat(blanks)}cnry-secret`, of(filling, 'cnry-secret'));
    expect(lineWith(88)).toBe(`[redacted]${' '.repeat(88)}[redacted]`);
    expect(lineWith(89)).toBe(`[redacted]${' '.repeat(89)}cnry-se`);
  });

  it('is none where there is nothing, or blanks', () => {
    for (const text of ['', ' \n\t ']) expect(firstLine(text, of('abcd'))).toBeUndefined();
  });

  it('of ten megabytes that repeat a secret’s beginning takes no longer than a test may', () => {
    const secrets = of(...Array.from({ length: 20 }, (_, index) => 'a'.repeat(4000 + index)));
    expect(firstLine('a'.repeat(10_000_000), secrets)).toBe('[redacted]');
    expect(firstLine(`${'a'.repeat(3000)}%`.repeat(3000), secrets)).toBe('[redacted]%[redacted]');
  });
});

it('members of a body are secrets by their names, of whatever depth and length', () => {
  const body = {
    name: 'n',
    credentials: { username: 'u', password: ['abcd', { x: 1234 }] },
    list: [{ apiToken: 't' }],
  };
  expect([...secretsIn(body)]).toEqual(['u', 'abcd', '1234', 't']);
});
