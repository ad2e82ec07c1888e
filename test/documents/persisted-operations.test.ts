import { join } from 'node:path';
import { beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { ConfigError, readConfig } from '../../src/config.ts';
import type { Stack } from '../support/harness.ts';
import {
  asJson,
  createFolder,
  hashOf,
  manifestOf,
  read,
  reading,
  startOperations,
  write,
  writing,
} from '../support/http/operations.ts';

/** Its bytes in UTF-8 are not its characters. */
const inUnicode = 'query Named { alerts { name } } # 🏊 名';
const two = 'query First { alerts { name } } query Second { __typename }';
const withVariable = 'query With($id: ID!) { alert(alertId: $id) { name } }';
const notListed = 'query NotListed { dashboards { name } }';
const known = hashOf(read);

const { folder, fileOf } = createFolder();
const persistedOperationsFile = fileOf(
  JSON.stringify(manifestOf(read, write, inUnicode, two, withVariable)),
);

type Spell = (hash: unknown) => Readonly<Record<string, unknown>>;
const byExtension: Spell = (hash) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
});
/** The ways in which a request names its operation. */
const spellings: readonly (readonly [name: string, spell: Spell])[] = [
  ['documentId', (hash) => ({ documentId: hash })],
  // As GraphQL over HTTP spells it, appendix A.
  ['documentId with sha256:', (hash) => ({ documentId: `sha256:${hash}` })],
  ['extensions.persistedQuery', byExtension],
];

let stack: Stack;
const use = (persistedOperations: 'off' | 'allow' | 'only') => {
  beforeAll(async () => {
    stack = await startOperations({ persistedOperations, persistedOperationsFile });
    return stack.close;
  });
  beforeEach(() => void stack.calls.splice(0));
};

type Parameters = Readonly<Record<string, unknown>>;

const send = async (url: URL | string, init: RequestInit, accept = 'application/json') => {
  const answer = await fetch(url, { ...init, headers: { ...asJson, accept } });
  return { status: answer.status, body: await answer.json() };
};
const post = (body: Parameters, accept?: string) =>
  send(stack.url, { method: 'POST', body: JSON.stringify(body) }, accept);
const get = (parameters: Parameters) => {
  const texts = Object.entries(parameters).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : JSON.stringify(value),
  ]);
  return send(`${stack.url}?${new URLSearchParams(texts)}`, {});
};

const expectRefused = (
  { body }: Awaited<ReturnType<typeof post>>,
  code: unknown,
  message: unknown = expect.any(String),
): void => {
  expect(body.errors).toMatchObject([{ message, extensions: { code } }]);
  expect(JSON.stringify(body).length).toBeLessThan(1000);
  expect(body.data ?? null).toBeNull();
  expect(stack.calls).toEqual([]);
};

const notFound = ['PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound'] as const;
const required = 'PERSISTED_OPERATION_REQUIRED';

const oddHashes = [
  ...['__proto__', 'constructor', 'size', 'a'.repeat(10 * 1024), hashOf(notListed), read],
  ...[known.toUpperCase(), `sha1:${known}`, `sha256:sha256:${known}`, `${known} `, `${known}\0`],
  ...[known.slice(0, -1), known.replace(/\d/, '１')],
];

describe.each(['allow', 'only'] as const)('with PERSISTED_OPERATIONS=%s', (mode) => {
  use(mode);

  describe.each(spellings)('an operation named by %s', (_, spell) => {
    it.each([
      [read, reading],
      [write, writing],
      [inUnicode, reading],
    ])('a persisted operation is executed, as often as asked: %s', async (text, { data, call }) => {
      for (const more of [{}, { query: null }]) {
        expect((await post({ ...spell(hashOf(text)), ...more })).body).toEqual({ data });
      }
      expect(stack.callList()).toEqual([call, call]);
    });

    it('a persisted operation is executed with its variables, and by its name, and not without', async () => {
      await post({ ...spell(hashOf(withVariable)), variables: { id: 'a7' } });
      expect(stack.callList()).toEqual(['GET /api/v2/alerts/a7']);
      stack.calls.length = 0;
      const named = await post({ ...spell(hashOf(two)), operationName: 'Second' });
      expect(named.body).toEqual({ data: { __typename: 'Query' } });
      expectRefused(await post(spell(hashOf(withVariable))), 'BAD_USER_INPUT');
      expectRefused(await post(spell(hashOf(two))), 'OPERATION_RESOLUTION_FAILURE');
    });

    it.each(oddHashes)('a persisted operation is not found by %s', async (hash) => {
      expectRefused(await post(spell(hash)), ...notFound);
    });
  });

  it.each([7, true, [known], { [known]: 1 }, '', null])('nothing is found by %j', async (hash) => {
    const codes = expect.stringMatching(
      /^(?:PERSISTED_(?:QUERY_NOT_FOUND|OPERATION_REQUIRED)|BAD_REQUEST)$/,
    );
    expectRefused(await post({ documentId: hash }), codes);
    expectRefused(await post(byExtension(hash)), codes);
  });

  it('no request registers an operation', async () => {
    await post({ ...byExtension(hashOf(notListed)), query: notListed });
    stack.calls.length = 0;
    expectRefused(await post(byExtension(hashOf(notListed))), ...notFound);
  });

  it.each(spellings)('GET executes a query by %s, and no mutation', async (_, spell) => {
    const answer = await get(spell(known));
    expect([answer.status, answer.body]).toEqual([200, { data: reading.data }]);
    expect(stack.callList()).toEqual([reading.call]);
    expect((await get(spell(hashOf(write)))).status).toBe(405);
    expect(stack.calls).toHaveLength(1);
  });
});

describe.each(['allow', 'off'] as const)('with PERSISTED_OPERATIONS=%s', (mode) => {
  use(mode);
  it("a text of the request's own is executed", async () => {
    expect((await post({ query: write })).body).toEqual({ data: writing.data });
    await post({ query: notListed });
    expect(stack.callList()).toEqual(['GET /api/v2/dashboards', writing.call].sort());
  });
});

describe('with PERSISTED_OPERATIONS=only', () => {
  use('only');
  const other = write.replace('Scale', 'NotListed');
  it.each([notListed, other, read, '{ __schema { queryType { name } } }', '{'])(
    "a text of the request's own is refused, alone and beside a hash: %s",
    async (query) => {
      expectRefused(await post({ query }), required);
      expectRefused(await get({ query }), required);
      for (const [, spell] of spellings) {
        expectRefused(await post({ ...spell(known), query }), required);
      }
    },
  );
});

describe('with PERSISTED_OPERATIONS=off', () => {
  // The file is there all the same, so that the mode alone decides.
  use('off');
  it.each(spellings)('a text is executed, and a hash in %s names nothing', async (_, spell) => {
    const unknown = ['PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported'] as const;
    for (const text of [read, write]) expectRefused(await post(spell(hashOf(text))), ...unknown);
    const refused = await post(spell(known), 'application/graphql-response+json');
    expect(refused.status).toBe(400);
    const { body } = await post({ ...spell(hashOf(write)), query: read });
    expect(body).toEqual({ data: reading.data });
  });
});

describe('the file is refused in one sentence', () => {
  const faultsOf = (file: string, mode = 'only'): readonly string[] => {
    const [MANAGEMENT_URL, OBSERVABILITY_URL] = ['http://127.0.0.1:1', 'http://127.0.0.1:1'];
    const operations = { PERSISTED_OPERATIONS: mode, PERSISTED_OPERATIONS_FILE: file };
    try {
      readConfig({ MANAGEMENT_URL, OBSERVABILITY_URL, ...operations });
      return [];
    } catch (error) {
      if (error instanceof ConfigError) return error.faults;
      throw error;
    }
  };
  const sentence = expect.stringMatching(/^PERSISTED_OPERATIONS_FILE [^\n]{10,400}$/);

  it.each([
    ...['', '{"', '[]', 'null', `{"__proto__": ${JSON.stringify(read)}}`],
    JSON.stringify({ [hashOf('other')]: read }),
    JSON.stringify({ [known.toUpperCase()]: read }),
    JSON.stringify({ ...manifestOf(write), [known]: 7 }),
  ])('the file of operations is refused if it holds %s', (content) => {
    for (const mode of ['allow', 'only']) {
      expect(faultsOf(fileOf(content), mode)).toEqual([sentence]);
    }
    expect(faultsOf(fileOf(content), 'off')).toEqual([]);
  });

  it.each([join(folder, 'missing.json'), folder, ''])(
    'the file of operations is refused if it is not there: %s',
    (name) => {
      expect(faultsOf(name)).toEqual([sentence]);
    },
  );

  it('the file of operations may have sha256: before each hash', async () => {
    const persistedOperationsFile = fileOf(JSON.stringify({ [`sha256:${known}`]: read }));
    expect(faultsOf(persistedOperationsFile)).toEqual([]);
    stack = await startOperations({ persistedOperations: 'only', persistedOperationsFile });
    expect((await post({ documentId: known })).body).toEqual({ data: reading.data });
    await stack.close();
  });
});
