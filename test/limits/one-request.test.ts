import { getIntrospectionQuery } from 'graphql';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { encodeNodeId } from '../../src/schema/node-id.ts';
import { credentials, json, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

/** Requests that anybody can send, each of which once stopped the process or took its memory. */

let stack: Stack;
afterEach(() => stack.close());

const start = async (config: Partial<Config> = {}): Promise<void> => {
  stack = await startStack({
    management: () => json({ error: 'unauthorized' }, 401),
    observability: () => json({ message: 'unauthorized' }, 401),
    config,
  });
};
beforeEach(() => start());

interface Asked {
  readonly query: string;
  readonly variables?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

const accepted = {
  'application/json': 'application/json',
  "Apollo Client's": 'application/graphql-response+json,application/json;q=0.9',
};

const requestsOf = ({
  query,
  variables,
  headers = {},
}: Asked): readonly (() => Promise<Response>)[] => {
  const url = new URL(stack.url);
  url.searchParams.set('query', query);
  if (variables !== undefined) url.searchParams.set('variables', JSON.stringify(variables));
  const posts = Object.values(accepted).map((accept) => () => {
    const body = JSON.stringify({ query, variables });
    const sent = { ...headers, accept, 'content-type': 'application/json' };
    return fetch(stack.url, { method: 'POST', headers: sent, body });
  });
  // The head of a request is limited to 16 KB.
  if (url.href.length > 15_000) return posts;
  return [...posts, () => fetch(url, { headers: { ...headers, accept: 'application/json' } })];
};

/** Sends it in every form. Gives the answers, once each was given while `/healthz` answered beside it. */
const askEveryWay = async (asked: Asked) => {
  const answers: { readonly status: number; readonly text: string }[] = [];
  for (const send of requestsOf(asked)) {
    const answering = send();
    const health = await fetch(new URL('/healthz', stack.url), {
      headers: { connection: 'close' },
    });
    expect(health.status).toBe(200);
    const answer = await answering;
    answers.push({ status: answer.status, text: await answer.text() });
  }
  return answers;
};

const expectLimit = async (limit: string, asked: Asked): Promise<void> => {
  for (const { status, text } of await askEveryWay(asked)) {
    expect(status).toBeLessThan(500);
    expect(text.length).toBeLessThan(1000);
    expect(JSON.parse(text).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', limit } },
    ]);
  }
  expect(stack.calls).toEqual([]);
};

/** Answered or refused, but in an answer of bounded length. */
const expectShort = async (asked: Asked, length: number): Promise<void> => {
  for (const { status, text } of await askEveryWay(asked)) {
    expect(status).toBeLessThan(500);
    expect(text.length).toBeLessThan(length);
  }
};

const traceparent = '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01';

describe('no single anonymous request blocks the process:', () => {
  it('a tracestate of twelve members and blanks', async () => {
    const headers = { traceparent, tracestate: `${'a=b        ,'.repeat(12)}=` };
    for (const { text } of await askEveryWay({ query: '{ __typename }', headers })) {
      expect(JSON.parse(text)).toEqual({ data: { __typename: 'Query' } });
    }
  });

  const nodes = 'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }';
  it.each([200, 20_000, 60_000])('%i invalid node identifiers', async (count) => {
    const variables = { ids: Array.from({ length: count }, () => 'x') };
    await expectLimit('nodeIds', { query: nodes, variables });
  });

  it('3000 valid ones in twenty aliases', async () => {
    const id = encodeNodeId('Organization', withIds('organization-1'));
    const aliases = Array.from(
      { length: 20 },
      (_, index) => `a${index}: nodes(nodeIds: $ids) { nodeId }`,
    );
    await expectLimit('nodeIds', {
      query: `query ($ids: [ID!]!) { ${aliases.join(' ')} }`,
      variables: { ids: Array.from({ length: 3000 }, () => id) },
    });
  });

  it('224 KB of suggestions', async () => {
    await stack.close();
    await start({ introspection: false });
    const quoted = ' Did you mean '.repeat(16_000);
    await expectShort({ query: `{ __typename @skip(if: "${quoted}") }` }, 1000);
    await expectShort({ query: `{ __typename @skip(if: "${quoted}?") }` }, 1000);
  });

  it.each([
    [
      '150 unknown fields behind 120 000 lines',
      `${'\n'.repeat(120_000)}{ alerts { ${Array.from({ length: 150 }, (_, index) => `x${index}`).join(' ')} } }`,
      undefined,
    ],
    ['strings without an end', `mutation { ${'"\\"'.repeat(60_000)}`, undefined],
    [
      'names that differ from those of the schema by little',
      `{ alerts { ${Array.from({ length: 900 }, (_, index) => `dashboar${index}`).join(' ')} } }`,
      undefined,
    ],
    [
      '20 000 unknown members',
      'query ($v: AlertFilter) { alerts(filter: $v) { id } }',
      { v: Object.fromEntries(Array.from({ length: 20_000 }, (_, index) => [`a${index}`, 1])) },
    ],
    [
      '300 lists of values that do not fit',
      `query (${Array.from({ length: 300 }, (_, index) => `$v${index}: [Int!]`).join(' ')}) { __typename }`,
      Object.fromEntries(
        Array.from({ length: 300 }, (_, index) => [`v${index}`, Array(150).fill('x')]),
      ),
    ],
    [
      'fields that are compared with each other',
      `{ dashboards { ${'tiles { name } '.repeat(490)} } }`,
      undefined,
    ],
    [
      '250 operations that share a fragment',
      `${Array.from({ length: 250 }, (_, index) => `query Q${index} { ...F }`).join('')} fragment F on Query { __typename }`,
      undefined,
    ],
    [
      '90 operations through 90 fragments',
      `${Array.from({ length: 90 }, (_, index) => `query Q${index}($a: Boolean!) { ...F0 }`).join('')} ${Array.from({ length: 90 }, (_, index) => `fragment F${index} on Query { ...F${index + 1} }`).join('')} fragment F90 on Query { __typename @skip(if: $a) }`,
      undefined,
    ],
  ])('%s', (_, query, variables) => expectShort({ query, variables }, 40_000));

  it('a new pipe with 4000 columns that nothing is mapped to, five times', async () => {
    const columns = Array.from({ length: 4000 }, (_, index) => ({
      name: `column-${index}`,
      type: 'String',
    }));
    const input = {
      organizationId: withIds('organization-1'),
      serviceId: withIds('service-1'),
      name: 'p',
      source: { kafka: {} },
      destination: { database: 'd', table: 't', managedTable: true, columns },
      fieldMappings: [],
    };
    const aliases = Array.from(
      { length: 5 },
      (_, index) => `m${index}: createPipe(input: $input) { userErrors { message } }`,
    );
    const query = `mutation ($input: CreatePipeInput!) { ${aliases.join(' ')} }`;
    await expectShort({ query, variables: { input }, headers: credentials }, 40_000);
  });
});

it('the largest introspection that is allowed gives an answer of bounded length', async () => {
  const query = getIntrospectionQuery({
    specifiedByUrl: true,
    directiveIsRepeatable: true,
    schemaDescription: true,
    inputValueDeprecation: true,
    oneOf: true,
  });
  const answers = await askEveryWay({ query });
  for (const { status, text } of answers) {
    expect(status).toBe(200);
    expect(JSON.parse(text)).not.toHaveProperty('errors');
    expect(text.length).toBeLessThan(1_000_000);
  }
  expect(answers).toHaveLength(3);
});
