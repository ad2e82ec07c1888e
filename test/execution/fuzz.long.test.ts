import fc from 'fast-check';
import { type DocumentNode, parse, validate } from 'graphql';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { createSchema } from '../../src/gateway/schema.ts';
import { type Answering, credentials, json, type Stack, startStack } from '../support/harness.ts';
import { faultOfBody, faultOfData } from '../support/random/fuzz-answer.ts';
import { type RandomBody, randomBody } from '../support/random/fuzz-documents.ts';
import { samples, sampleWorld } from '../support/random/fuzz-samples.ts';
import { mutatedAnswer } from '../support/random/fuzz-upstream.ts';
import { randomOperation } from '../support/random/operation.ts';
import { createRandom } from '../support/random/random.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { randomWorld } from '../support/random/world.ts';
import { type Backend, createBackend } from '../support/world/backend.ts';

const runs = runsOf(40);
const timeout = 60_000 + runs * 200;

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note).on('uncaughtException', note));
afterAll(() => process.off('unhandledRejection', note).off('uncaughtException', note));

const schema = createSchema();

let stack: Stack;
afterEach(() => stack.close());

interface Received {
  readonly status: number;
  readonly type: string;
  readonly requestId: string | null;
  readonly text: string;
}

const receive = async (answering: Promise<Response>): Promise<Received> => {
  const response = await answering;
  return {
    status: response.status,
    type: response.headers.get('content-type') ?? '',
    requestId: response.headers.get('x-request-id'),
    text: await response.text(),
  };
};

const accepts = ['application/json', '*/*', 'application/graphql-response+json'] as const;

const post = (body: RandomBody, way: number): Promise<Received> =>
  receive(
    fetch(stack.url, {
      method: 'POST',
      headers: {
        ...credentials,
        'content-type': 'application/json',
        accept: accepts[way % accepts.length] ?? '*/*',
      },
      body: typeof body === 'string' ? body : new Uint8Array(body),
    }),
  );

const get = (query: string, variables: unknown): Promise<Received> => {
  const url = new URL(stack.url);
  url.searchParams.set('query', query);
  url.searchParams.set('variables', JSON.stringify(variables ?? {}));
  return receive(fetch(url, { headers: credentials }));
};

/** What is wrong with an answer, however odd its question was. */
const faultOf = ({ status, type, requestId, text }: Received, document?: DocumentNode) => {
  if (status >= 500) return `status ${status}`;
  if (!/^application\/(?:json|graphql-response\+json)(?:;|$)/.test(type)) return `type ${type}`;
  if (requestId === null) return 'no request id';
  let body: { readonly data?: unknown };
  try {
    body = JSON.parse(text);
  } catch {
    return 'no JSON';
  }
  return faultOfBody(body) ?? (document && faultOfData(schema, document, body.data));
};

/** Runs so many cases, several at a time, and ends with the first that has a fault. */
const runMany = async (
  count: number,
  run: (index: number) => Promise<string | undefined>,
): Promise<void> => {
  let next = 0;
  const faults: string[] = [];
  const work = async (): Promise<void> => {
    while (next < count && faults.length === 0) {
      const index = next;
      next += 1;
      const fault = await run(index);
      if (fault !== undefined) {
        const told = stack.log().match(/.*unexpected error.*/)?.[0] ?? '';
        faults.push(`case ${index} of seed ${seed}: ${fault}\n${told}`);
      }
      // Nothing of what has been checked is needed any more.
      if (stack.calls.length > 10_000) stack.calls.length = 0;
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(faults).toEqual([]);
};

const expectWhole = async (): Promise<void> => {
  expect(unhandled).toEqual([]);
  expect(stack.log()).not.toMatch(/unexpected error|"level":(?:50|60)/);
  const { status, body } = await stack.query('{ __typename }');
  expect([status, body]).toEqual([200, { data: { __typename: 'Query' } }]);
};

/** Found by the runs below, and asked here for good. */
describe('an upstream’s odd value costs its own field alone:', () => {
  const startOdd = async (answering: Answering): Promise<void> => {
    stack = await startStack({ management: answering, observability: answering });
  };
  const codesOf = (answer: Received): readonly string[] =>
    (JSON.parse(answer.text).errors ?? []).map(
      ({ extensions }: { extensions: { code: string } }) => extensions.code,
    );

  it.each([
    ['an object that has no text', '{"toString":null}'],
    ['one that has no value either', '{"toString":1,"valueOf":1}'],
    ['a deep list', `${'['.repeat(90)}${']'.repeat(90)}`],
  ])('a link to %s', async (_, link) => {
    await startOdd(() => ({
      headers: { 'content-type': 'application/json' },
      body: `{"data":{"id":"a1","name":"n","dashboard":${link},"tileId":"t1"}}`,
    }));
    const answer = await post(
      '{"query":"{ alert(id: \\"a1\\") { name dashboard { name } tile { name } } }"}',
      0,
    );
    expect(faultOf(answer)).toBeUndefined();
    expect(JSON.parse(answer.text).data).toEqual({
      alert: { name: 'n', dashboard: null, tile: null },
    });
    // A link to what cannot be an identifier is one that dangles (docs/architecture.md).
    expect(codesOf(answer)).toEqual([]);
    await expectWhole();
  });

  it.each(['', ' ', '\n', '\u0000'])('the message %j of an error', async (message) => {
    await startOdd(() => json({ message, error: message }, 404));
    const answer = await post('{"query":"{ alert(id: \\"a1\\") { name } }"}', 0);
    expect(faultOf(answer)).toBeUndefined();
    expect(codesOf(answer)).toEqual(['NOT_FOUND']);
  });
});

describe('a well-formed answer', () => {
  it(
    'is given to any valid operation',
    async () => {
      let backend: Backend;
      stack = await startStack({
        management: (call) => backend.management(call),
        observability: (call) => backend.observability(call),
      });
      let data = 0;
      await fc.assert(
        fc.asyncProperty(randomWorld, fc.gen(), fc.nat(3), async (world, gen, way) => {
          const { document, variables } = randomOperation(gen, schema);
          const parsed = parse(document);
          expect(validate(schema, parsed), document).toEqual([]);
          backend = createBackend(world);
          stack.calls.length = 0;
          const answer =
            way === 3 && encodeURIComponent(document).length < 6000
              ? await get(document, variables)
              : await post(JSON.stringify({ query: document, variables }), way);
          const context = `${document}\n${JSON.stringify(variables)}\n${answer.text}`;
          expect(faultOf(answer, parsed), context).toBeUndefined();
          // Without data it went beyond a limit.
          if (answer.text.includes('"data":{')) data += 1;
          else expect(answer.text, context).toContain('"LIMIT_EXCEEDED"');
        }),
        { numRuns: runs, seed, ...(runs > 1000 && { endOnFailure: false }) },
      );
      expect(data).toBeGreaterThanOrEqual(runs / 4);
      await expectWhole();
    },
    timeout,
  );

  it(
    'is given to any body',
    async () => {
      const backend = createBackend(sampleWorld);
      stack = await startStack(backend);
      const seen = { data: 0, refused: 0, partial: 0 };
      await runMany(runs * 10, async (index) => {
        const body = randomBody(createRandom(seed * 1_000_003 + index));
        const answer = await post(body, index).catch(({ cause }: Error) => String(cause));
        if (typeof answer === 'string') return `${answer}\n${String(body).slice(0, 3000)}`;
        if (answer.text.includes('"errors":')) {
          seen[answer.text.includes('"data":{') ? 'partial' : 'refused'] += 1;
        } else seen.data += 1;
        const fault = faultOf(answer);
        return fault && `${fault}\n${String(body).slice(0, 3000)}\n${answer.text.slice(0, 2000)}`;
      });
      // All that a body can come to, so that the bodies are neither too odd nor too tame.
      for (const count of Object.values(seen)) expect(count).toBeGreaterThanOrEqual(runs / 100);
      await expectWhole();
    },
    timeout,
  );

  it(
    'is made of any answers of the upstreams',
    async () => {
      const backend = createBackend(sampleWorld);
      const random = createRandom(seed);
      let mutated = 0;
      const mutate =
        (answering: Answering): Answering =>
        async (call) => {
          const answer = await answering(call);
          if (!random.chance(70)) return answer;
          mutated += 1;
          return mutatedAnswer(random, answer);
        };
      stack = await startStack({
        management: mutate(backend.management),
        observability: mutate(backend.observability),
      });
      const documents = samples.map(({ query }) => parse(query));
      // Each operation is answered by several calls; there are to be as many mutated answers as runs.
      let rounds = 0;
      while (mutated < runs) {
        const from = rounds * 100;
        rounds += 1;
        await runMany(100, async (offset) => {
          const index = from + offset;
          const { query, variables } = samples[index % samples.length] ?? samples[0];
          const answer = await post(JSON.stringify({ query, variables }), Math.floor(index / 7));
          const fault = faultOf(answer, documents[index % samples.length]);
          return fault && `${fault}\n${query}\n${answer.text.slice(0, 3000)}`;
        });
      }
      await expectWhole();
    },
    timeout,
  );
});
