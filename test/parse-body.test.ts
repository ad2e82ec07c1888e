import fc from 'fast-check';
import { describe, expect, it, vi } from 'vitest';
import { createParseBody } from '../src/parse-body.ts';

const outcomeOf = (parse: () => unknown): unknown => {
  try {
    return { value: parse() };
  } catch (error) {
    return error instanceof SyntaxError ? 'no JSON' : error;
  }
};

const expectSame = (parse: (body: Buffer) => unknown, body: string | Buffer): void => {
  const bytes = Buffer.from(body as string);
  expect(outcomeOf(() => parse(bytes))).toEqual(
    outcomeOf(() => JSON.parse(bytes.toString()) as unknown),
  );
};

/** Lets it see bodies of an operation until their start is known. */
const learnt = (body: string) => {
  const parse = createParseBody();
  for (let times = 0; times < 16; times += 1) expectSame(parse, body);
  return parse;
};

const start =
  '{"operationName":"Q","query":"query Q($id: ID!) { alert(id: $id) { \\n id } }","variables":';

describe('a start that is known', () => {
  const parse = learnt(`${start}{"id":"1"}}`);

  it('is not parsed again', () => {
    const parsed = vi.spyOn(JSON, 'parse');
    try {
      parse(Buffer.from(`${start}{"id":"2"}}`));
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
  ])('is read as JSON.parse reads it: %s', (_, body) => expectSame(parse, body));

  it('is read so where the rest is no UTF-8', () => {
    expectSame(parse, Buffer.concat([Buffer.from(`${start}{"id":"`), Buffer.from([0xff, 0x22])]));
    expectSame(
      parse,
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
        const parse = createParseBody();
        // Each is learnt from at some time, and read with what was learnt of the others.
        for (let times = 0; times < 9; times += 1) {
          for (const body of bodies) {
            expectSame(parse, body);
            expectSame(parse, body.replace(/[a-z]"\}*$/, '!"}}'));
          }
        }
      },
    ),
    { numRuns: 1500 },
  );
});

it('keeps no start that holds anything but a name and a query', () => {
  const parse = learnt('{"documentId":"d","query":"q","variables":{}}');
  const parsed = vi.spyOn(JSON, 'parse');
  try {
    parse(Buffer.from('{"documentId":"d","query":"q","variables":{}}'));
    expect(parsed.mock.calls[0]).toEqual(['{"documentId":"d","query":"q","variables":{}}']);
  } finally {
    parsed.mockRestore();
  }
});

it('reads more operations than it keeps, and long ones, as JSON.parse does', () => {
  const parse = createParseBody();
  for (let number = 0; number < 20_000; number += 1) {
    expectSame(parse, `{"operationName":"Q${number}","query":"{ a }","variables":{"a":${number}}}`);
  }
  const long = `{"query":"${'#'.repeat(17_000)}","variables":{}}`;
  expectSame(learnt(long), long);
});
