import fc from 'fast-check';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { withoutQuotedInput } from '../../src/errors/quoted-input.ts';
import { data, result, type Stack, startStack } from '../support/harness.ts';

/** What a message may be at most: its limit, and the sentence that stands in place of a longer one. */
const longestMessage = 2100;

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ management: () => result({}), observability: () => data([]) });
});
afterAll(() => stack.close());

const expectFewWords = async (document: string, variables: object = {}): Promise<void> => {
  const { text, body } = await stack.query(document, { variables });
  expect(text.length).toBeLessThan(64 * 1024);
  expect(body.data ?? null).toBeNull();
  expect(body.errors.length).toBeGreaterThan(0);
  for (const { message, extensions } of body.errors) {
    expect(message.length).toBeLessThanOrEqual(longestMessage);
    expect(extensions.code).toMatch(/^(?:GRAPHQL_\w+_FAILED|BAD_USER_INPUT)$/);
  }
  expect(stack.calls).toEqual([]);
};

/** Parts of messages of graphql-js, which callers can send too. */
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
const many = (piece: string): string => piece.repeat(Math.ceil(100_000 / piece.length));

describe('100 KB that do not fit are refused in few words:', () => {
  const query = 'query ($filter: AlertFilter) { alerts(filter: $filter) { id } }';
  it.each(pieces)('many of %j', async (piece) => {
    await expectFewWords(`{alerts(filter:{nameContains:{a:"""${many(piece)} """}}){id}}`);
    await expectFewWords(query, { filter: { nameContains: { a: many(piece) } } });
    await expectFewWords(query, { filter: { [many(piece)]: 1 } });
    await expectFewWords(query, { filter: many(piece) });
    await expectFewWords(query, { filter: { source: many(piece) } });
  });

  it.each([
    ['an object in an object', `{alerts(filter:{state:{a:{b:"${many('x')}"}}}){id}}`],
    ['an enum value', `{alerts(filter:{source:${many('X')}}){id}}`],
    ['a text for an enum value', `{alerts(filter:{source:"${many('x')}"}){id}}`],
    ['an argument', `{alerts(${many('x')}:1){id}}`],
    ['a member of an input', `{alerts(filter:{${many('x')}:1}){id}}`],
    ['a type', `query($v:${many('X')}){alerts{id}}`],
    ['a variable', `{alerts(filter:{state:$${many('x')}}){id}}`],
    ['a fragment', `{...${many('x')}}`],
    ['a directive', `{alerts{id @${many('x')}}}`],
    ['a text out of place', `{alerts "${many('x')}"}`],
    ['a number out of place', `{alerts ${many('7')}}`],
    ['a name out of place', `${many('x')} {alerts{id}}`],
    ['a default of the wrong type', `query($v:Int="${many('x')}"){alerts{id}}`],
  ])('%s', async (_, document) => {
    await expectFewWords(document);
  });
});

describe('what stands for a message', () => {
  const phrase = fc.constantFrom(
    ...pieces,
    'Variable "$v" got invalid value ',
    'Int cannot represent ',
    'Enum "X" cannot represent value: ',
    'Expected value of type "',
    'Exactly one key must be specified',
    ', found ',
    '. Found: ',
    'BlockString "',
    ...['"', '{', '\n', '\u2028', 'é'],
  );
  const run = fc.tuple(phrase, fc.integer({ min: 1, max: 400 })).map(([text, n]) => text.repeat(n));
  const message = fc
    .array(fc.oneof({ weight: 6, arbitrary: phrase }, run, fc.string({ maxLength: 40 })), {
      maxLength: 60,
    })
    .map((parts) => parts.join(''));

  it('is short, whatever the message, and however long', () => {
    fc.assert(
      fc.property(message, fc.constantFrom(1, 20_000), (text, times) => {
        const long = text.repeat(Math.min(times, Math.ceil(1_000_000 / (text.length + 1))));
        return withoutQuotedInput(long).length <= longestMessage;
      }),
      { numRuns: 1000 },
    );
  });

  it.each([1990, 1999, 2000, 2001, 2100])('is short for %i characters of a phrase', (length) => {
    for (const text of [...pieces, 'Variable "$v" got invalid value "x', 'Syntax Error: Int "']) {
      const cut = text.repeat(length).slice(0, length);
      expect(withoutQuotedInput(cut).length).toBeLessThanOrEqual(longestMessage);
    }
  });

  it('still names a variable whose value is too long to show', () => {
    const text = `Variable "$input" got invalid value ${'x'.repeat(300_000)}; it does not fit.`;
    expect(withoutQuotedInput(text)).toMatch(/^(?!.*xx).*"\$input"/);
  });
});
