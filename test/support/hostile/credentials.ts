import type { HeaderLine } from '../http/raw.ts';

/** A value of a credential's header for a scheme; what reaches the upstream, if anything may. */
export interface HostileCredential {
  readonly title: string;
  readonly lines: (name: string, scheme: string, other: string) => readonly HeaderLine[];
  readonly reaches?: (scheme: string) => string;
  /** Whether Node refuses the request before the gateway sees it; left open where that is its choice. */
  readonly noHttp?: 'perhaps' | 431;
}

const value =
  (make: (scheme: string, other: string) => string): HostileCredential['lines'] =>
  (name, scheme, other) => [[name, make(scheme, other)]];

const whole = (scheme: string, length: number) => `${scheme} `.padEnd(length, 'x');

export const hostileCredentials: readonly HostileCredential[] = [
  { title: 'the other scheme', lines: value((_, other) => `${other} abc`) },
  { title: 'a scheme of neither', lines: value(() => 'Digest username="a"') },
  { title: 'Negotiate', lines: value(() => 'Negotiate abc') },
  {
    title: 'the scheme in upper case',
    lines: value((scheme) => `${scheme.toUpperCase()} abc`),
    reaches: (scheme) => `${scheme} abc`,
  },
  {
    title: 'the scheme in lower case',
    lines: value((scheme) => `${scheme.toLowerCase()} abc`),
    reaches: (scheme) => `${scheme} abc`,
  },
  { title: 'a comma after the scheme', lines: value((scheme) => `${scheme}, abc`) },
  { title: 'two credentials in one', lines: value((scheme) => `${scheme} abc, ${scheme} def`) },
  {
    title: 'a comma in the token, as it came',
    lines: value((scheme) => `${scheme} abc,${scheme}`),
    reaches: (scheme) => `${scheme} abc,${scheme}`,
  },
  { title: 'both schemes, its own first', lines: value((s, other) => `${s} ${other} abc`) },
  { title: 'both schemes, its own last', lines: value((s, other) => `${other} ${s} abc`) },
  { title: 'both credentials in one', lines: value((s, other) => `${s} abc, ${other} def`) },
  { title: 'a colon after the scheme', lines: value((scheme) => `${scheme}: abc`) },
  { title: 'an equals sign for the blank', lines: value((scheme) => `${scheme}=abc`) },
  { title: 'quotes around it', lines: value((scheme) => `"${scheme} abc"`) },
  { title: 'a no-break space for the blank', lines: value((scheme) => `${scheme}\xa0abc`) },
  { title: 'the scheme in full-width letters', lines: value(() => '\xef\xbc\xa2asic abc') },
  { title: 'a vertical tab', lines: value((s) => `${s} a\x0bc`), noHttp: 'perhaps' },
  { title: 'a NUL at its end', lines: value((s) => `${s} abc\x00`), noHttp: 'perhaps' },
  { title: 'a NUL at its beginning', lines: value((s) => `\x00${s} abc`), noHttp: 'perhaps' },
  { title: 'a backspace', lines: value((s) => `${s} abc\x08`), noHttp: 'perhaps' },
  {
    title: 'a line end and a header of its own',
    lines: value((scheme) => `${scheme} abc\r\nX-Evil: 1`),
    reaches: (scheme) => `${scheme} abc`,
  },
  {
    title: 'a line end, and the upstream’s own header',
    lines: value((scheme) => `${scheme} abc\r\nHost: evil.example\r\nX-Request-Id: a b`),
    reaches: (scheme) => `${scheme} abc`,
    noHttp: 'perhaps',
  },
  { title: 'a folded line', lines: value((s) => `${s} abc\r\n def`), noHttp: 'perhaps' },
  { title: 'a bare CR', lines: value((s) => `${s} abc\rX-Evil: 1`), noHttp: 'perhaps' },
  { title: 'a bare LF', lines: value((s) => `${s} abc\nX-Evil: 1`), noHttp: 'perhaps' },
  {
    title: 'a whole request after it',
    lines: value((s) => `${s} abc\r\n\r\nGET /evil HTTP/1.1\r\nHost: x`),
    noHttp: 'perhaps',
  },
  {
    title: 'an encoded line end, as it came',
    lines: value((scheme) => `${scheme} abc%0d%0aX-Evil:%201`),
    reaches: (scheme) => `${scheme} abc%0d%0aX-Evil:%201`,
  },
  {
    title: 'characters whose low bytes are CR and LF',
    lines: value((scheme) => `${scheme} abc\xc4\x8d\xc4\x8aX-Evil:1`),
  },
  { title: 'bytes that are no UTF-8', lines: value((scheme) => `${scheme} \xff\xfe`) },
  { title: 'a C1 control character', lines: value((scheme) => `${scheme} abc\x85`) },
  {
    title: '4095 bytes',
    lines: value((scheme) => whole(scheme, 4095)),
    reaches: (scheme) => whole(scheme, 4095),
  },
  {
    title: '4096 bytes',
    lines: value((scheme) => whole(scheme, 4096)),
    reaches: (scheme) => whole(scheme, 4096),
  },
  { title: '4097 bytes', lines: value((scheme) => whole(scheme, 4097)) },
  { title: '8 KB', lines: value((scheme) => whole(scheme, 8192)) },
  { title: '20 KB', lines: value((scheme) => whole(scheme, 20_480)), noHttp: 431 },
  {
    title: 'blanks around it, which are none of it',
    lines: value((scheme) => ` \t ${scheme} abc \t `),
    reaches: (scheme) => `${scheme} abc`,
  },
  {
    title: 'several blanks after the scheme',
    lines: value((scheme) => `${scheme}   abc`),
    reaches: (scheme) => `${scheme} abc`,
  },
  { title: 'blanks and a tab after the scheme', lines: value((scheme) => `${scheme} \tabc`) },
  { title: 'nothing but blanks', lines: value(() => '   ') },
  { title: 'nothing but a tab', lines: value(() => '\t') },
  {
    title: 'an empty header before it',
    lines: (name, scheme) => [
      [name, ''],
      [name, `${scheme} abc`],
    ],
  },
  {
    title: 'an empty header after it',
    lines: (name, scheme) => [
      [name, `${scheme} abc`],
      [name, ''],
    ],
  },
  {
    title: 'three headers, names in different case',
    lines: (name, scheme) => [
      [name, `${scheme} abc`],
      [name.toUpperCase(), `${scheme} def`],
      [name.toLowerCase(), `${scheme} ghi`],
    ],
  },
  {
    title: 'the other scheme in a second header',
    lines: (name, scheme, other) => [
      [name, `${scheme} abc`],
      [name, `${other} def`],
    ],
  },
  {
    title: 'an underscore in the header’s name',
    lines: (name, scheme) => [[`${name.replaceAll('-', '_')}_`, `${scheme} abc`]],
  },
  {
    title: 'a blank after the header’s name',
    lines: (name, scheme) => [[`${name} `, `${scheme} abc`]],
    noHttp: 'perhaps',
  },
];
