import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { type BodyParser, createBodyParser } from '../src/parse-body.ts';

const outcomeOf = (parse: () => unknown): unknown => {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'no JSON' : error;
  }
};

const always = (): number => 0;

const expectSame = (parser: BodyParser, body: string | Buffer): void => {
  const bytes = Buffer.from(body as string);
  expect(outcomeOf(() => parser.parse(bytes).value)).toEqual(
    outcomeOf(() => JSON.parse(bytes.toString()) as unknown),
  );
};

/** One that has learnt of the body what there is to be learnt. */
const learnt = (body: string): BodyParser => {
  const parser = createBodyParser(always);
  expectSame(parser, body);
  parser.learn(Buffer.from(body));
  return parser;
};

const isNew = (parser: BodyParser, body: string): boolean => parser.parse(Buffer.from(body)).isNew;

const start =
  '{"operationName":"Q","query":"query Q($id: ID!) { alert(id: $id) { \\n id } }","variables":';

describe('a start that is known', () => {
  const parser = learnt(`${start}{"id":"1"}}`);

  it('is not parsed again', () => {
    const parsed = vi.spyOn(JSON, 'parse');
    try {
      expect(isNew(parser, `${start}{"id":"2"}}`)).toBe(false);
      expect(parsed.mock.calls).toEqual([['{"variables":{"id":"2"}}']]);
    } finally {
      parsed.mockRestore();
    }
  });

  it.each([
    ['other variables', `${start}{"id":"é ☃ \\" \\u2603"}}`],
    ['blanks', `${start} { "id" : "1" } }\n`],
    ['no object for the variables', `${start}[1]}`],
    ['null for the variables', `${start}null}`],
    ['members after the variables', `${start}{},"extensions":{"a":1}}`],
    ['the query once more', `${start}{},"query":"{ other }","operationName":null}`],
    ['the variables once more', `${start}{"id":"1"},"variables":{"id":"2"}}`],
    ['a prototype', `${start}{"id":"1"},"__proto__":{"a":1}}`],
    ['nothing after it', start],
    ['no end', `${start}{"id":"1"}`],
    ['too many ends', `${start}{"id":"1"}}}`],
    ['another value behind', `${start}{"id":"1"}}{}`],
    ['no value', `${start}}`],
    ['something before', ` ${start}{}}`],
    ['one byte another', `${start.replace('alert', 'alerT')}{}}`],
  ])('is read as JSON.parse reads it: %s', (_, body) => expectSame(parser, body));

  it('is read so where the rest is no UTF-8', () => {
    expectSame(parser, Buffer.concat([Buffer.from(`${start}{"id":"`), Buffer.from([0xff, 0x22])]));
    expectSame(
      parser,
      Buffer.concat([Buffer.from(`${start}{"id":"\xe9`, 'latin1'), Buffer.from('"}}')]),
    );
  });
});

describe('a body from which no start is to be learnt', () => {
  it.each([
    [
      'the word stands in a string',
      '{"query":"x,\\"variables\\":","variables":1}',
      '{"query":"x,\\"variables\\":1}',
    ],
    [
      'a name ends with the word',
      '{"query":"q","a\\"variables":1,"variables":{"a":1}}',
      '{"query":"q","a\\"variables":{"a":2}}',
    ],
    [
      'it stands deeper',
      '{"query":"q","variables":{"a":1,"variables":2}}',
      '{"query":"q","variables":{"a":1,"variables":3}}',
    ],
    [
      'it stands in a list',
      '{"query":"q","variables":[{"a":1,"variables":2}]}',
      '{"query":"q","variables":[{"a":1,"variables":3}]}',
    ],
    ['it is no object', '["query","variables"]', '["query","variables"]'],
    [
      'it comes first',
      '{"variables":{"id":"1"},"query":"q"}',
      '{"variables":{"id":"2"},"query":"q"}',
    ],
  ])('%s', (_, first, second) => expectSame(learnt(first), second));

  it('it is no JSON', () =>
    expectSame(learnt('{"query":"q","variables":'), '{"query":"q","variables":1}'));
});

it('reads any bodies, one after the other, as JSON.parse does', () => {
  const word = fc.constantFrom(
    'a',
    '"',
    '\\',
    'variables',
    '"variables":',
    '{',
    '}',
    ',',
    'é',
    '\n',
  );
  const text = fc.array(word, { maxLength: 6 }).map((words) => words.join(''));
  const value = fc.letrec((tie) => ({
    any: fc.oneof(text, fc.integer(), fc.constant(null), tie('list'), tie('object')),
    list: fc.array(tie('any'), { maxLength: 3 }),
    object: fc.dictionary(fc.constantFrom('a', 'variables', 'query', '__proto__'), tie('any'), {
      maxKeys: 3,
    }),
  }));
  const member = fc.oneof(
    fc.tuple(fc.constant('query'), text),
    fc.tuple(fc.constant('operationName'), text),
    fc.tuple(fc.constant('variables'), value.object),
    fc.tuple(text, value.any),
  );
  const whole = fc
    .array(member, { maxLength: 5 })
    .map((members) =>
      members.map(([name, given]) => `${JSON.stringify(name)}:${JSON.stringify(given)}`).join(','),
    )
    .map((inner) => `{${inner}}`);
  const broken = fc
    .tuple(whole, fc.nat(80), fc.constantFrom('', '"', '}', ',', '\\'))
    .map(([body, at, put]) => body.slice(0, at) + put + body.slice(at + 1));
  const ending = fc.tuple(whole, fc.oneof(whole, text)).map(([body, end]) => {
    const at = body.lastIndexOf('"variables":');
    return at < 0 ? body : body.slice(0, at + '"variables":'.length) + end;
  });
  fc.assert(
    fc.property(
      fc.array(fc.oneof(whole, broken, ending), { minLength: 1, maxLength: 4 }),
      (bodies) => {
        const parser = createBodyParser(always);
        // Each is read with what was learnt of the others, and of itself.
        for (let times = 0; times < 3; times += 1) {
          for (const body of bodies) {
            expectSame(parser, body);
            expectSame(parser, body.replace(/[a-z]"}*$/, '!"}}'));
            parser.learn(Buffer.from(body));
          }
        }
      },
    ),
    { numRuns: 1500 },
  );
});

describe('no start is kept', () => {
  it.each([
    ['of another member', '{"documentId":"d","query":"q","variables":{}}'],
    ['of variables that come twice', '{"query":"q","variables":{"password":"p"},"variables":{}}'],
    ['of a query that comes twice', '{"query":"p","query":"q","variables":{}}'],
    ['of an object for a name', '{"operationName":{"password":"p"},"query":"q","variables":{}}'],
    ['with blanks', '{"query": "q","variables":{}}'],
    ['of a long body', `{"query":"${'#'.repeat(8192)}","variables":{}}`],
  ])('%s', (_, body) => expect(isNew(learnt(body), body)).toBe(true));

  it('of a body that is not chosen', () => {
    const parser = createBodyParser(() => 0.5);
    parser.learn(Buffer.from(`${start}{}}`));
    expect(isNew(parser, `${start}{}}`)).toBe(true);
  });
});

it('keeps the starts of no more than five hundred operations, each in memory of its own', () => {
  const parser = createBodyParser(always);
  const bodyOf = (number: number) =>
    `{"operationName":"Q${number}","query":"{ a }","variables":{}}`;
  const learn = (number: number) => parser.learn(Buffer.from(bodyOf(number)));
  for (let number = 0; number < 500; number += 1) learn(number);
  learn(0);
  expect(isNew(parser, bodyOf(0)) || isNew(parser, bodyOf(499))).toBe(false);
  const made = vi.spyOn(Map.prototype, 'set');
  try {
    learn(500);
    const [, kept] = made.mock.calls[0] as [number, { bytes: Buffer }];
    expect(kept.bytes.buffer.byteLength).toBe(kept.bytes.length);
  } finally {
    made.mockRestore();
  }
  expect(isNew(parser, bodyOf(499))).toBe(true);
  expect(isNew(parser, bodyOf(500))).toBe(false);
});
