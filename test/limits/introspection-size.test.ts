import { getIntrospectionQuery } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import { data, result, startStack } from '../support/harness.ts';

const start = async () => {
  const stack = await startStack({
    management: () => result([]),
    observability: () => data([{ id: 'a1', message: 'm'.repeat(2e6) }]),
  });
  onTestFinished(stack.close);
  return stack;
};

const names = Array.from({ length: 26 }, (_, index) => String.fromCharCode(97 + index));
const fragment = 'fragment f on __Type { description fields { name description } }';
const types = names.map((name) => `${name}: types { ...f }`).join(' ');
const half = names
  .slice(0, 4)
  .map((name) => `${name}: types { ...f }`)
  .join(' ');
const large = `__schema { ${types} }`;
const full = getIntrospectionQuery({
  ...{ specifiedByUrl: true, directiveIsRepeatable: true, schemaDescription: true },
  ...{ inputValueDeprecation: true, oneOf: true },
});

const parts = { accept: 'multipart/mixed;deferSpec=20220824, application/json' };

describe('what an operation is told of the schema is bounded', () => {
  it.each([
    ['alone', `{ ${large} } ${fragment}`, {}],
    ['with __typename', `{ __typename ${large} } ${fragment}`, {}],
    ['in two halves', `{ x: __schema { ${half} } y: __schema { ${half} } } ${fragment}`, {}],
    ['beside other fields', `{ alerts { id } ${large} } ${fragment}`, {}],
    ['before other fields', `{ ${large} alerts { id } } ${fragment}`, {}],
    ['in a fragment', `{ ...q } fragment q on Query { ${large} } ${fragment}`, {}],
    [
      'for a client that takes parts',
      `{ alerts { id } ... @defer { ${large} } } ${fragment}`,
      parts,
    ],
    ['beside a part', `{ ${large} ... @defer { alerts { id } } } ${fragment}`, parts],
  ])('%s', async (_, query, headers) => {
    const { query: send } = await start();
    const limit = (await send(getIntrospectionQuery())).text.length * 2;
    const { text, body } = await send(query, { headers });
    expect(text.length).toBeLessThan(limit);
    expect(body.data).toBeNull();
    expect(body.errors[0]).toMatchObject({
      message: expect.stringMatching(
        /^The response is too large: at most \d+ characters about the schema/,
      ),
      extensions: { code: 'LIMIT_EXCEEDED', limit: 'responseSize', allowed: expect.any(Number) },
    });
  });

  it.each([
    ['the standard query', getIntrospectionQuery()],
    ['the standard query with all that tools ask for', full],
    [
      'the standard query, twice',
      full
        .replace('__schema {', '__typename a: __schema {')
        .replace(
          /\}\s*fragment FullType/,
          'b: __schema { types { ...FullType } } } fragment FullType',
        ),
    ],
  ])('and lets through %s', async (_, document) => {
    const { query } = await start();
    const { body } = await query(document);
    expect(body.errors).toBeUndefined();
    expect(Object.values(body.data)).not.toContain(null);
  });

  it('and leaves its own room to everything else', async () => {
    const { query } = await start();
    const { body } = await query('{ alerts { message } __type(name: "Alert") { name } }');
    expect(body.data.alerts[0].message).toHaveLength(2e6);
    expect(body.data.__type).toEqual({ name: 'Alert' });
  });
});
