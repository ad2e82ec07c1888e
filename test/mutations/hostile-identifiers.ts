import fc from 'fast-check';

const widened = (text: string): string =>
  text.replaceAll(/[0-9a-z]/gi, (letter) => String.fromCodePoint(0xfee0 + letter.charCodeAt(0)));

/** Hostile values for an identifier, some of them made from a good one. */
export const hostileIdentifiers = (good: string): readonly string[] => [
  ...['', ' ', '\t', '.', '..', '...', `./${good}`, `../${good}`, `${good}/..`, `${good}/.`],
  ...[`${good}/../${good}`, '%2e', '%2e%2e', '%2E%2E%2F', '%252e%252e%252f', '..%2f..%2fadmin'],
  ...['..%5c', '..%c0%af', '/', '//evil.example/', `${good}/keys`, `${good}/`, `/${good}`, '\\'],
  ...['..\\..\\', `${good}\\..\\x`, '?', `${good}?x=1`, `${good}%3fx=1`, '#', `${good}#x`, ';'],
  ...[`${good};a=b`, '\0', `${good}\0`, `${good}%00`, `${good}\n`, `${good}\r`, ` ${good}`],
  ...[`${good}\r\nX-Evil: 1`, `${good} HTTP/1.1\r\nX-Evil: 1\r\n\r\n`, `${good} `, '\u2215'],
  ...['\r\n\r\nGET /evil HTTP/1.1\r\n\r\n', `${good}%0d%0aX-Evil:%201`, `${good}\u00a0`, 'ä'],
  ...[`\ufeff${good}`, `${good}\u200b`, `\u202e${good}`, `${good}\u2028`, '\u2024\u2024', '\uff0f'],
  // A careless conversion to single bytes turns these into CR, LF, a slash and a dot.
  ...['\uff0e\uff0e', `${good}\u010d\u010aX-Evil: 1`, '\u012e\u012e\u012f', widened(good)],
  ...[good.replace('a', '\u0430').replace('e', '\u0435'), good.replace('0', '\u0660')],
  ...[`${good}\u212a`, `${good}\u0301`, '\u{1f4a5}', '\ud800', `${good}\udfff`, '-', '%', '%zz'],
  ...['a'.repeat(10 * 1024), '../'.repeat(3413), good.repeat(400), `${good}0`.padEnd(129, '0')],
  ...[`${good}%`, `${good}%20`, `${good},${good}`, `${good}:${good}`, `${good}@evil.example`],
  ...[`${good}&${good}`, `{${good}}`, `urn:uuid:${good}`, '{organizationId}', '[object Object]'],
  ...[good.replaceAll('-', ''), good.replace(/.$/, 'g'), `${good}1`, 'x'.repeat(128)],
  ...['$&', '$1', 'http://evil.example/', 'undefined', 'null', '__proto__', 'constructor'],
];

const odd = hostileIdentifiers('0a9a0000-0000-4000-8000-00000000000e');

/** Random identifiers, some of which are good. */
export const anyIdentifier: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.string({ unit: 'binary', maxLength: 60 }) },
  { weight: 4, arbitrary: fc.stringMatching(/^[./%?#\\\0 ;:@&=+25ceEfF\r\n\t-]{0,40}$/) },
  {
    weight: 3,
    arbitrary: fc
      .tuple(fc.uuid(), fc.nat(36), fc.string({ unit: 'binary', minLength: 1, maxLength: 3 }))
      .map(([uuid, at, piece]) => uuid.slice(0, at) + piece + uuid.slice(at)),
  },
  { weight: 2, arbitrary: fc.stringMatching(/^[A-Za-z0-9_-]{1,140}$/) },
  { weight: 2, arbitrary: fc.uuid() },
  { weight: 1, arbitrary: fc.uuid().map((uuid) => uuid.toUpperCase()) },
  { weight: 1, arbitrary: fc.constantFrom(...odd) },
);

/** Whether a URL can contain it unchanged in one segment of its path, for every reader. */
export const isHarmless = (identifier: unknown): boolean =>
  typeof identifier === 'string' && /^[A-Za-z0-9_-]{1,128}$/.test(identifier);
