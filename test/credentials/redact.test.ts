import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { firstLine, redact, secretsIn, secretsOfCredential } from '../../src/upstream/secrets.ts';

const of = (...texts: readonly string[]) => texts.map((text) => ({ text, known: 0 }));
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const base64url = (text: string): string => Buffer.from(text).toString('base64url');
const form = (text: string): string => encodeURIComponent(text).replaceAll('%20', '+');
const json = (text: string): string => JSON.stringify(text).slice(1, -1);

// In which forms a secret is found is in secrets.test.ts.
describe('a secret is taken out of a text', () => {
  it.each([
    // Shorter than four characters, than eight, and from eight on.
    ['abc', 'an abc', 'an abc'],
    ['abcd', 'an abcd, an abc', 'an [redacted], an abc'],
    ['abcdefg', 'an abcdefg, an abcdef', 'an [redacted], an abcdef'],
    ['abcdefgh', 'an abcdefg', 'an abcdefg'],
    // Trimmed, with other signs around it, cut within an escape.
    [' \tabcd ', 'an abcd', 'an [redacted]'],
    ['12345678', '%1234567890', '%[redacted]90'],
    ['abcdefghö', 'an abcdefgh%C3', 'an [redacted]%C3'],
    ['abababababc', 'abababababababc!', '[redacted]!'],
  ])('%j in %j', (secret, text, clean) => {
    expect(redact(text, of(secret))).toBe(clean);
  });
});

describe('of a credential', () => {
  const basic = `Basic ${base64('id-of-key:the-key-secret')}`;
  const clean = (text: string, credential = basic) => redact(text, secretsOfCredential(credential));

  it.each([
    // From the eighth secret character on.
    [`not ${basic.slice(0, 14)}…`, 'not [redacted]…'],
    ['not id-of-key:the-key-…', 'not [redacted]…'],
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

  it('its token is a secret in both alphabets of base64, also if it is not base64 of UTF-8', () => {
    const tokens = ['a2V5OnDk//4/Pz4+c3N3b3Jkfn5+', 'a2V5OnDk__4_Pz4-c3N3b3Jkfn5-'];
    for (const token of tokens) {
      const words = tokens.map((each) => clean(`not ${each}`, `Bearer ${token}`));
      expect(words).toEqual(['not [redacted]', 'not [redacted]']);
    }
  });
});

it('of any text, nothing of eight characters that begins a secret is kept, and all else is', () => {
  // Few different characters, so that secrets, texts and their pieces meet.
  const unit = fc.constantFrom(...'abc%+/"\\-_ <=2Fué?~😀');
  const filler = fc.string({ unit: fc.oneof(unit, fc.constant('.')), maxLength: 20 });
  const encodings = [(text: string) => text, base64, base64url];
  const escapings = [(text: string) => text, encodeURIComponent, form, json];
  const piece = fc.record({
    ...{ filler, at: fc.nat(3), length: fc.integer({ min: 8, max: 40 }) },
    ...{ encode: fc.constantFrom(...encodings), escaped: fc.constantFrom(...escapings) },
  });
  const lists = [
    fc.array(fc.string({ unit, minLength: 8, maxLength: 30 }), { minLength: 1, maxLength: 4 }),
    fc.array(piece, { minLength: 1, maxLength: 4 }),
  ] as const;
  fc.assert(
    fc.property(...lists, (secrets, pieces) => {
      const beginningOf = (text: string, length = 8): string => [...text].slice(0, length).join('');
      const spelt = pieces.map(({ at, length, encode, escaped }) =>
        escaped(beginningOf(encode(secrets[at % secrets.length] ?? ''), length)),
      );
      const beginnings = secrets.flatMap((secret) =>
        encodings.flatMap((encode) => escapings.map((each) => each(beginningOf(encode(secret))))),
      );
      // A sign of escapes right before an escaped secret would change its first characters.
      const close = pieces.map(({ filler }, at) => `${filler}.${spelt[at]}.`).join('');
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

  it('has less than eight characters of a secret that the end of what is searched falls into', () => {
    const filling = 'y'.repeat(4000);
    const lineWith = (blanks: number) =>
      firstLine(`${filling + ' '.repeat(blanks)}cnry-secret`, of(filling, 'cnry-secret'));
    expect(lineWith(88)).toBe(`[redacted]${' '.repeat(88)}[redacted]`);
    expect(lineWith(89)).toBe(`[redacted]${' '.repeat(89)}cnry-se`);
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
  const texts = secretsIn(body).map(({ text }) => text);
  expect(texts.toSorted()).toEqual(['1234', 'abcd', 't', 'u']);
});

it.each([
  'mongodb+srv://tess:opensesame@db.example/a@b',
  ' mongodb://tess:open%40sesame@db.example',
  // As no driver takes it.
  'mongodb://tess:op/en@sesame@db.example',
  'mongodb://opensesame@db.example',
])('the login in a URL is a secret, and what is before and after it is none: %s', (uri) => {
  const secrets = secretsIn({ source: { mongoDb: { uri } } });
  const login = /\/\/(.+)@db/.exec(uri)?.[1] ?? '';
  const parts = [login, ...login.split(':')];
  const encoded = [login, uri.trim()].map((text) => Buffer.from(text).toString('base64url'));
  for (const words of [...parts, ...parts.map(decodeURIComponent), ...encoded]) {
    expect(redact(`no ${words}.`, secrets)).toBe('no [redacted].');
  }
  expect(redact('no mongodb://, no db.example', secrets)).toBe('no mongodb://, no db.example');
});

it.each([
  'mongodb://db.example/?tlsCertificateKeyFilePassword=opensesame&tls=true',
  'mongodb+srv://db.example/a?tls=true&authMechanismProperties=X:y,AWS_SESSION_TOKEN:opensesame',
  'mongodb://db.example/?authMechanismProperties=AWS_SESSION_TOKEN%3Aopen%26sesame',
])('the value of an option in a URL is a secret if its name says so: %s', (uri) => {
  const secrets = secretsIn({ source: { mongoDb: { uri } } });
  const value = /open.*sesame/.exec(uri)?.[0] ?? '';
  for (const words of [value, decodeURIComponent(value)]) {
    expect(redact(`no ${words}.`, secrets)).toBe('no [redacted].');
  }
  expect(redact(uri, secrets)).toBe(uri.replace(value, '[redacted]'));
});

it('a URL without a login is no secret', () => {
  const uri = 'mongodb://db.example/?tls=true';
  expect(secretsIn({ source: { mongoDb: { uri } } })).toEqual([]);
});
