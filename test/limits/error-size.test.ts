import fc from 'fast-check';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';
import { data, result, type Stack, startStack, wide } from '../support/harness.ts';

const kilobyte = 1024;
const largestAnswer = 64 * kilobyte;
/** What a message may be at most: its limit, and the sentence that stands in place of a longer one. */
const longestMessage = 2100;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result({}),
    observability: () => data([]),
    config: wide,
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

/** Expects a refusal in few words and before any call. */
const expectSmallRefusal = async (document: string, variables: object = {}): Promise<void> => {
  const { text, body } = await stack.query(document, { variables });
  expect(Buffer.byteLength(text)).toBeLessThan(largestAnswer);
  expect(body.errors.length).toBeGreaterThan(0);
  expect(body.data ?? null).toBeNull();
  for (const { message, extensions } of body.errors) {
    expect(message.length).toBeLessThanOrEqual(longestMessage);
    expect(extensions.code).toMatch(/^(?:GRAPHQL_\w+_FAILED|BAD_USER_INPUT)$/);
  }
  expect(stack.callList()).toEqual([]);
};

/** About 300 KB of a piece. */
const many = (piece: string): string => piece.repeat(Math.ceil((300 * kilobyte) / piece.length));

const pieces = [
  'Value "',
  'Value "a" does not exist in "b" enum ',
  'got ',
  ', got: ',
  '; Field "a" is not defined by type ',
  '; String cannot represent ',
  ' at "a.b"',
  ' value: ',
  'Syntax Error: String "',
  'a',
  '[',
];

describe('a document of 300 KB that does not fit is refused in few words:', () => {
  it.each(pieces)('an object for a text, which holds many of %j', async (piece) => {
    await expectSmallRefusal(`{alerts(filter:{nameContains:{a:"""${many(piece)} """}}){id}}`);
  });

  it.each<readonly [title: string, document: string]>([
    ['an object in an object', `{alerts(filter:{state:{a:{b:"${many('x')}"}}}){id}}`],
    ['an enum value', `{alerts(filter:{source:${many('X')}}){id}}`],
    ['a text for an enum value', `{alerts(filter:{source:"${many('x')}"}){id}}`],
    ['an integer', `{alerts(filter:{nameContains:${many('7')}}){id}}`],
    ['a list', `{alerts(filter:{nameContains:[${many('1,')}]}){id}}`],
    ['a field', `{${many('x')}}`],
    ['an argument', `{alerts(${many('x')}:1){id}}`],
    ['a member of an input', `{alerts(filter:{${many('x')}:1}){id}}`],
    ['a type', `query($v:${many('X')}){alerts{id}}`],
    ['a variable', `{alerts(filter:{state:$${many('x')}}){id}}`],
    ['a fragment', `{...${many('x')}}`],
    ['a directive', `{alerts{id @${many('x')}}}`],
    ['a text out of place', `{alerts "${many('x')}"}`],
    ['a block of text out of place', `{alerts """${many('Value ')}"""}`],
    ['a number out of place', `{alerts ${many('7')}}`],
    ['a name out of place', `${many('x')} {alerts{id}}`],
    ['a text without an end', `{alerts(filter:{nameContains:"${many('x')}`],
    ['a default of the wrong type', `query($v:Int="${many('x')}"){alerts{id}}`],
  ])('%s', async (_, document) => {
    await expectSmallRefusal(document);
  });
});

describe('variables that do not fit are refused in few words:', () => {
  const query = '($filter: AlertFilter) { alerts(filter: $filter) { id } }';

  it.each<readonly [title: string, value: unknown]>([
    ['texts', 'x'.repeat(8 * kilobyte)],
    ['objects', { a: 'x'.repeat(8 * kilobyte) }],
    ['lists', [['x'.repeat(8 * kilobyte)]]],
    ['quotes', 'Value "'.repeat(1150)],
  ])('50 of 8 KB, %s', async (_, value) => {
    const names = Array.from({ length: 50 }, (_item, index) => `v${index}`);
    await expectSmallRefusal(
      `query (${names.map((name) => `$${name}: Int`).join(', ')}) { alerts { id } }`,
      Object.fromEntries(names.map((name) => [name, value])),
    );
  });

  it.each<readonly [title: string, letter: string]>([
    ['a text', 'X'],
    ['quotes', '"'],
    ['words of a message', '; Value "x" does not exist in '],
  ])('an enum value of 100 KB, %s', async (_, piece) => {
    const source = piece.repeat(Math.ceil((100 * kilobyte) / piece.length));
    await expectSmallRefusal(`query ${query}`, { filter: { source } });
    await expectSmallRefusal(
      'query ($source: AlertSourceInput) { alerts(filter: { source: $source }) { id } }',
      { source },
    );
  });

  it.each(pieces)('a member that holds many of %j', async (piece) => {
    await expectSmallRefusal(`query ${query}`, { filter: { nameContains: { a: many(piece) } } });
    await expectSmallRefusal(`query ${query}`, { filter: { [many(piece)]: 1 } });
    await expectSmallRefusal(`query ${query}`, { filter: many(piece) });
  });
});

describe('what stands for a message', () => {
  const phrase = fc.constantFrom(
    ...pieces,
    'Variable "$v" got invalid value ',
    'Variable "$',
    'Int cannot represent ',
    'Enum "X" cannot represent value: ',
    'Expected type "Int!"',
    'Expected value of type "',
    'Exactly one key must be specified',
    '; Field "x" of required type "Y!" was not provided.',
    ', found ',
    '. Found: ',
    'BlockString "',
    ' does not exist in ',
    'DateTime must be ',
    '"',
    '{',
    '\n',
    '\u2028',
    'é',
  );
  const run = fc.tuple(phrase, fc.integer({ min: 1, max: 400 })).map(([text, n]) => text.repeat(n));
  const message = fc
    .array(fc.oneof({ weight: 6, arbitrary: phrase }, run, fc.string({ maxLength: 40 })), {
      maxLength: 60,
    })
    .map((parts) => parts.join(''));

  it('is short, whatever the message', () => {
    fc.assert(
      fc.property(message, (text) => withoutQuotedInput(text).length <= longestMessage),
      { numRuns: 2000 },
    );
  });

  it('is short, however long the message', () => {
    fc.assert(
      fc.property(message, fc.integer({ min: 1, max: 20_000 }), (text, times) => {
        const long = text.repeat(Math.min(times, Math.ceil(1_000_000 / (text.length + 1))));
        return withoutQuotedInput(long).length <= longestMessage;
      }),
      { numRuns: 200 },
    );
  });

  it.each([1990, 1999, 2000, 2001, 2100])(
    'is short for %i characters of every phrase',
    (length) => {
      for (const text of [...pieces, 'Variable "$v" got invalid value "x', 'Syntax Error: Int "']) {
        const cut = text.repeat(length).slice(0, length);
        expect(withoutQuotedInput(cut).length).toBeLessThanOrEqual(longestMessage);
      }
    },
  );

  it('still names a variable whose value is too long to show', () => {
    const text = `Variable "$input" got invalid value ${'x'.repeat(300_000)}; it does not fit.`;
    expect(withoutQuotedInput(text)).toContain('"$input"');
    expect(withoutQuotedInput(text)).not.toContain('xx');
  });
});
