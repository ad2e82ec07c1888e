import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type AnswerError, data, result, stackInTest } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';

/** Asks a gateway whose upstream has this number of alerts, all of one dashboard. */
const ask = async (count: number, message: string, config: Partial<Config>, document: string) => {
  const alert = { id: 'a', dashboard: 'd1', message };
  const stack = await stackInTest({
    management: () => result([]),
    observability: ({ path }) =>
      data(path.endsWith('/alerts') ? Array(count).fill(alert) : { id: 'd1', name: 'd' }),
    config,
  });
  const { ended, text } = askInParts(stack, document);
  const parts = await ended;
  const errors = parts.flatMap(({ errors = [], incremental = [] }) => [
    ...(errors as readonly AnswerError[]),
    ...incremental.flatMap((each) => (each.errors ?? []) as readonly AnswerError[]),
  ]);
  const codes = [...new Set(errors.map(({ extensions }) => extensions.code))];
  return { stack, text, parts, errors, codes };
};

const below = (depth: number): string =>
  depth === 0 ? 'name' : `alerts { dashboard { ${below(depth - 1)} } }`;

it('later parts count in what an operation may cost', async () => {
  const document = `{ dashboards { name ... @defer { ${below(7)} } } }`;
  const { stack, parts, codes } = await ask(1, 'm', {}, document);
  expect([parts.length, codes, stack.calls]).toEqual([1, ['LIMIT_EXCEEDED'], []]);
});

it('later parts count in its size, of lists that multiply each other', async () => {
  const document =
    '{ alerts { dashboard { ... @defer { alerts { dashboard { alerts { dashboard { alerts { message } } } } } } } } }';
  const config = { maxResponseSize: 2 * 1024 * 1024 };
  const { stack, parts, errors, codes, text } = await ask(300, 'm', config, document);
  expect(codes).toEqual(['LIMIT_EXCEEDED']);
  expect(errors.length).toBeLessThanOrEqual(100 + parts.length * 300);
  expect(text().length).toBeLessThan(8 * 1024 * 1024);
  expect(stack.callList()).toEqual(['GET /api/v2/alerts']);
  expect((await stack.query('{ __typename }')).body).toEqual({ data: { __typename: 'Query' } });
});

it.each<[string, Partial<Config>, document: string, first: object, codes: readonly string[]]>([
  [
    'the calls that it may make',
    { maxUpstreamCalls: 1 },
    '{ alerts { id } ... @defer { dashboards { id } } }',
    { alerts: { length: 10 } },
    ['UPSTREAM_BUDGET_EXCEEDED'],
  ],
  [
    'its size, where what a mutation made stays',
    { maxResponseSize: 8000 },
    'mutation { createDashboard(input: {name: "new"}) { dashboard { name ... @defer { alerts { message } } } userErrors { code } } }',
    { createDashboard: { dashboard: { name: 'd' }, userErrors: [] } },
    ['LIMIT_EXCEEDED'],
  ],
])('later parts count in %s', async (_, config, document, first, expected) => {
  const { parts, codes } = await ask(10, 'm'.repeat(1000), config, document);
  expect(parts[0]?.data).toMatchObject(first);
  expect([codes, parts.at(-1)?.hasNext]).toEqual([expected, false]);
});

it('errors count in its size in the form v0.2, whose executor compares each with all values', async () => {
  const fields = Array.from({ length: 60 }, (_, at) => `a${at}: alerts { id } i${at}: id`).join(
    ' ',
  );
  const document = `query ($ids: [ID!]!) { nodes(nodeIds: $ids) { ... on Service { id ... @defer { ${fields} } } } }`;
  const config = { maxResponseSize: 8 * 1024 * 1024 };
  const stack = await stackInTest({
    ...{ management: () => result([]), observability: () => data([]), config },
  });
  const uuidOf = (at: number) => `5e4c0000-0000-4000-8000-${String(at).padStart(12, '0')}`;
  const variables = {
    ids: Array.from({ length: 100 }, (_, at) =>
      Buffer.from(`Service:${uuidOf(0)}:${uuidOf(at)}`).toString('base64url'),
    ),
  };
  const errorsIn = async (accept: string) => {
    const { ended, text } = askInParts(stack, document, { variables, accept });
    await ended;
    const leftOut = text().matchAll(/(\d+) more were left out/g);
    return [...leftOut].reduce((sum, [, more]) => sum + Number(more), 0);
  };
  expect(await errorsIn('multipart/mixed')).toBeGreaterThan(5800);
  expect(await errorsIn('multipart/mixed;incrementalSpec=v0.2')).toBeLessThan(3000);
});

it('values that fit no type count as errors in the form v0.2', async () => {
  const alert = { id: 'a', dashboard: 'd', threshold: 'x', interval: {}, message: {}, name: {} };
  const stack = await stackInTest({
    management: () => result([]),
    observability: () => data(Array.from({ length: 1000 }, () => alert)),
    config: { maxResponseSize: 8 * 1024 * 1024 },
  });
  const document = '{ alerts { id ... @defer { threshold interval message name } } }';
  const firstOf = async (accept: string) =>
    (await askInParts(stack, document, { accept }).ended)[0];
  const first = await firstOf('multipart/mixed');
  expect(first?.data).toEqual({ alerts: Array(1000).fill({ id: 'a' }) });
  expect(await firstOf('multipart/mixed;incrementalSpec=v0.2')).toMatchObject({
    ...{ data: { alerts: null }, errors: [{ extensions: { code: 'LIMIT_EXCEEDED' } }] },
  });
});
