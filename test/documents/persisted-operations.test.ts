import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
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
import { sendSized, type Way, ways } from '../support/http/requests.ts';

/** Its bytes in UTF-8 are not its characters. */
const inUnicode = 'query Named { alerts { name } } # 🏊 名';
const two = 'query First { alerts { name } } query Second { __typename }';
const withVariable = 'query With($id: ID!) { alert(id: $id) { name } }';
const notListed = 'query NotListed { dashboards { name } }';
const notListedWrite = write.replace('Scale', 'NotListed');

const file = createFolder().fileOf(
  JSON.stringify(manifestOf(read, write, inUnicode, two, withVariable)),
);

type Spell = (hash: unknown) => Readonly<Record<string, unknown>>;

const withPrefix = (hash: unknown): unknown => (typeof hash === 'string' ? `sha256:${hash}` : hash);

const byExtension: Spell = (hash) => ({
  extensions: { persistedQuery: { version: 1, sha256Hash: hash } },
});

/** The spellings of a request that names its operation. */
const spellings: readonly (readonly [name: string, spell: Spell])[] = [
  ['documentId', (hash) => ({ documentId: hash })],
  // As GraphQL over HTTP spells it, appendix A.
  ['documentId with a prefix', (hash) => ({ documentId: withPrefix(hash) })],
  ['extensions.persistedQuery', byExtension],
];

const throughEach = ways.flatMap(([wayName, way]) =>
  spellings.map(([spellingName, spell]) => [spellingName, wayName, spell, way] as const),
);

let stack: Stack;

const post = async (way: Way, body: Readonly<Record<string, unknown>>) => {
  const answer = await way(stack.url, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify(body),
  });
  const text = await answer.text();
  expect(answer.status).toBeLessThan(500);
  return { text, body: JSON.parse(text) };
};

const get = async (parameters: Readonly<Record<string, unknown>>) => {
  const url = new URL(stack.url);
  for (const [name, value] of Object.entries(parameters)) {
    url.searchParams.set(name, typeof value === 'string' ? value : JSON.stringify(value));
  }
  const { 'content-type': _, ...headers } = asJson;
  const answer = await sendSized(url, { headers: { ...headers, accept: 'application/json' } });
  return { status: answer.status, body: await answer.json() };
};

type Answered = Awaited<ReturnType<typeof post>>;

const codesOf = ({ body }: Pick<Answered, 'body'>): readonly string[] =>
  (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) => extensions.code);

const expectRefused = (answer: Pick<Answered, 'body'>, ...codes: readonly string[]): void => {
  const [code, ...more] = codesOf(answer);
  expect(codes).toContain(code);
  expect(more).toEqual([]);
  expect(answer.body.data ?? null).toBeNull();
  expect(stack.callList()).toEqual([]);
};

const notFound = 'PERSISTED_QUERY_NOT_FOUND';
const notSupported = 'PERSISTED_QUERY_NOT_SUPPORTED';
const required = 'PERSISTED_OPERATION_REQUIRED';

const known = hashOf(read);
const oddTexts: readonly (readonly [name: string, hash: string])[] = [
  ['of no operation', hashOf('unknown')],
  ['of an operation outside the manifest', hashOf(notListed)],
  ['__proto__', '__proto__'],
  ['constructor', 'constructor'],
  ['toString', 'toString'],
  ['hasOwnProperty', 'hasOwnProperty'],
  ['size', 'size'],
  ['of 10 KB', 'a'.repeat(10 * 1024)],
  ['in upper case', known.toUpperCase()],
  ['with a prefix in upper case', `SHA256:${known}`],
  ['with another prefix', `sha1:${known}`],
  ['with a prefix twice', `sha256:sha256:${known}`],
  ['with a blank behind it', `${known} `],
  ['cut short', known.slice(0, -1)],
  ['with a NUL behind it', `${known}\0`],
  ['in fullwidth digits', known.replace(/\d/, '１')],
  ['that is a document', read],
];
const noTexts: readonly unknown[] = [7, 0, true, false, [known], [], { [known]: 1 }, {}];

describe.each(['allow', 'only'] as const)('with PERSISTED_OPERATIONS=%s', (persistedOperations) => {
  beforeAll(async () => {
    stack = await startOperations({ persistedOperations, persistedOperationsFile: file });
  });
  beforeEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  describe.each(throughEach)('an operation named by %s, through %s,', (_, __, spell, way) => {
    it.each([
      ['a query', read, reading],
      ['a mutation', write, writing],
      ['a query whose text is not ASCII', inUnicode, reading],
    ])('is executed: %s', async (_kind, text, expected) => {
      expect((await post(way, spell(hashOf(text)))).body).toEqual({ data: expected.data });
      expect(stack.callList()).toEqual([expected.call]);
    });

    it('is executed if the request has null as its text', async () => {
      expect((await post(way, { ...spell(known), query: null })).body).toEqual({
        data: reading.data,
      });
      expect(stack.callList()).toEqual([reading.call]);
    });

    it('is executed again, and as often as asked', async () => {
      for (const count of [1, 2, 3]) {
        expect((await post(way, spell(known))).body).toEqual({ data: reading.data });
        expect(stack.calls).toHaveLength(count);
      }
    });

    it('is executed with its variables, and by its name', async () => {
      await post(way, { ...spell(hashOf(withVariable)), variables: { id: 'a7' } });
      expect(stack.callList()).toEqual(['GET /api/v2/alerts/a7']);
      const named = await post(way, { ...spell(hashOf(two)), operationName: 'Second' });
      expect(named.body).toEqual({ data: { __typename: 'Query' } });
    });

    it('is refused without the variables or the name that it needs', async () => {
      for (const text of [withVariable, two]) {
        const { body } = await post(way, spell(hashOf(text)));
        expect(body.errors).toHaveLength(1);
        expect(body.data ?? null).toBeNull();
      }
      expect(stack.callList()).toEqual([]);
    });

    it.each(oddTexts)('is not found by a hash %s', async (_name, hash) => {
      const answer = await post(way, spell(hash));
      expectRefused(answer, notFound);
      expect(answer.body.errors[0].message).toBe('PersistedQueryNotFound');
      expect(answer.text.length).toBeLessThan(1000);
    });

    it.each(noTexts)('is not found by %j in place of a hash', async (hash) => {
      expectRefused(await post(way, spell(hash)), notFound, 'BAD_REQUEST');
    });

    it('is not found by an empty hash', async () => {
      expectRefused(await post(way, spell('')), notFound, required, 'BAD_REQUEST');
    });

    it('is not found by null in place of a hash', async () => {
      expectRefused(await post(way, spell(null)), notFound, required, 'BAD_REQUEST');
    });

    it('is nothing that a request can register', async () => {
      await post(way, { ...spell(hashOf(notListed)), query: notListed });
      stack.calls.length = 0;
      expectRefused(await post(way, spell(hashOf(notListed))), notFound);
    });
  });

  it.each(spellings)('GET executes no mutation named by %s', async (_, spell) => {
    const { body } = await get(spell(hashOf(write)));
    expect(body.errors).toHaveLength(1);
    expect(body.data ?? null).toBeNull();
    expect(stack.callList()).toEqual([]);
  });

  it('GET executes a query named by its extensions, and refuses a mutation with 405', async () => {
    const answer = await get(byExtension(known));
    expect([answer.status, answer.body]).toEqual([200, { data: reading.data }]);
    expect(stack.callList()).toEqual([reading.call]);
    expect((await get(byExtension(hashOf(write)))).status).toBe(405);
    expect(stack.calls).toHaveLength(1);
  });

  it('GET finds nothing by an odd hash', async () => {
    for (const hash of ['__proto__', 'constructor', known.toUpperCase()]) {
      expectRefused(await get(byExtension(hash)), notFound);
    }
  });
});

describe('with PERSISTED_OPERATIONS=allow', () => {
  beforeAll(async () => {
    stack = await startOperations({ persistedOperations: 'allow', persistedOperationsFile: file });
  });
  beforeEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  it.each(ways)('a text of the request’s own is executed, through %s', async (_, way) => {
    await post(way, { query: notListed });
    expect((await post(way, { query: write })).body).toEqual({ data: writing.data });
    expect(stack.callList()).toEqual(['GET /api/v2/dashboards', writing.call].sort());
  });
});

describe('with PERSISTED_OPERATIONS=only', () => {
  beforeAll(async () => {
    stack = await startOperations({ persistedOperations: 'only', persistedOperationsFile: file });
  });
  beforeEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  describe.each(ways)('through %s', (_, way) => {
    it.each([
      ['a query', notListed],
      ['a mutation', notListedWrite],
      ['a query that the manifest has', read],
      ['introspection', '{ __schema { queryType { name } } }'],
      ['what is no GraphQL', '{'],
    ])('a text of the request’s own is refused: %s', async (_kind, query) => {
      expectRefused(await post(way, { query }), required);
      expectRefused(await get({ query }), required);
    });

    it.each(spellings)(
      'a text beside the hash of another in %s is refused',
      async (_name, spell) => {
        for (const hash of [known, hashOf(notListedWrite), '', null]) {
          expectRefused(await post(way, { ...spell(hash), query: notListedWrite }), required);
        }
      },
    );
  });
});

describe('with PERSISTED_OPERATIONS=off', () => {
  beforeAll(async () => {
    // The file is there all the same, so that the mode alone decides.
    stack = await startOperations({ persistedOperations: 'off', persistedOperationsFile: file });
  });
  beforeEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  it.each(ways)('a text of the request’s own is executed, through %s', async (_, way) => {
    expect((await post(way, { query: read })).body).toEqual({ data: reading.data });
  });

  it.each([
    ['application/json', 200],
    ['application/graphql-response+json', 400],
  ])(
    'a hash is refused as %s with the status %i, as other requests are',
    async (accept, status) => {
      const answer = await fetch(stack.url, {
        method: 'POST',
        headers: { ...asJson, accept },
        body: JSON.stringify(byExtension(known)),
      });
      expect(answer.status).toBe(status);
      expectRefused({ body: await answer.json() }, notSupported);
    },
  );

  it.each(throughEach)('a hash in %s names nothing, through %s', async (_, __, spell, way) => {
    for (const text of [read, write]) {
      const answer = await post(way, spell(hashOf(text)));
      expectRefused(answer, notSupported);
      expect(answer.body.errors[0].message).toBe('PersistedQueryNotSupported');
    }
  });

  it.each(throughEach)('null in place of a hash in %s is none, through %s', async (...all) => {
    const [, , spell, way] = all;
    expectRefused(await post(way, spell(null)), 'BAD_REQUEST');
  });

  it.each(throughEach)('a hash in %s beside a text changes nothing, through %s', async (...all) => {
    const [, , spell, way] = all;
    const { body } = await post(way, { ...spell(hashOf(write)), query: read });
    expect(body).toEqual({ data: reading.data });
  });
});
