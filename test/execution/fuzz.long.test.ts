import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/server.ts';
import { type Answering, credentials, json, type Stack, startStack } from '../support/harness.ts';
import { faultOfBody } from '../support/random/fuzz-answer.ts';
import { createRandom } from '../support/random/random.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { forwardTo } from '../support/sandbox/forward.ts';
import { mutatedAnswer, randomBody, samples } from './fuzz.ts';

const runs = runsOf(40);
const timeout = 60_000 + runs * 200;

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note).on('uncaughtException', note));
afterAll(() => void process.off('unhandledRejection', note).off('uncaughtException', note));

let stack: Stack;
let sandbox: Awaited<ReturnType<typeof startSandbox>> | undefined;
let credential: Readonly<Record<string, string>> = credentials;
afterEach(async () => {
  await stack.close();
  await sandbox?.close();
  sandbox = undefined;
  credential = credentials;
});

/** The sandbox, whose answers may be changed on their way. */
const startBefore = async (change: (answering: Answering) => Answering): Promise<void> => {
  sandbox = await startSandbox({ limits: false });
  credential = {
    'management-authorization': sandbox.credentials.management.admin.header,
    'observability-authorization': sandbox.credentials.observability.main.header,
  };
  stack = await startStack({
    management: change(forwardTo(sandbox.managementUrl)),
    observability: change(forwardTo(sandbox.observabilityUrl)),
    credentials: credential,
  });
};

const accepts = ['application/json', '*/*', 'application/graphql-response+json'] as const;

/** The answer, and what is wrong with it, however odd its question was. */
const ask = async (body: string | Buffer, way = 0) => {
  const headers = { ...credential, 'content-type': 'application/json' };
  const answer = await fetch(stack.url, {
    method: 'POST',
    headers: { ...headers, accept: accepts[way % accepts.length] ?? '*/*' },
    body: typeof body === 'string' ? body : new Uint8Array(body),
  });
  const type = answer.headers.get('content-type') ?? '';
  const text = await answer.text();
  const faultOf = (): string | undefined => {
    if (answer.status >= 500) return `status ${answer.status}`;
    if (!/^application\/(?:json|graphql-response\+json)(?:;|$)/.test(type)) return `type ${type}`;
    if (!answer.headers.has('x-request-id')) return 'no request id';
    try {
      return faultOfBody(JSON.parse(text));
    } catch {
      return 'no JSON';
    }
  };
  return { text, fault: faultOf() };
};

/** Runs this number of cases, several at a time, and ends with the first that has a fault. */
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
      if (fault !== undefined) faults.push(`case ${index} of seed ${seed}: ${fault}`);
      // Nothing of what has been checked is needed any more.
      if (stack.calls.length > 10_000) stack.calls.length = 0;
    }
  };
  await Promise.all(Array.from({ length: 16 }, work));
  expect(faults).toEqual([]);
};

const expectWhole = async (): Promise<void> => {
  expect(unhandled).toEqual([]);
  expect(stack.log()).not.toMatch(/unexpected error|"level":"(?:error|fatal)"/);
  const { status, body } = await stack.query('{ __typename }');
  expect([status, body]).toEqual([200, { data: { __typename: 'Query' } }]);
};

/** Found by the runs below, and asked here for good. */
describe('an upstream’s odd value costs its own field alone:', () => {
  const query = '{ alert(alertId: "a1") { name dashboard { name } tile { name } } }';
  const start = async (answering: Answering): Promise<void> => {
    stack = await startStack({ management: answering, observability: answering });
  };

  it.each([
    ['an object that has no text', '{"toString":null}'],
    ['one that has no value either', '{"toString":1,"valueOf":1}'],
    ['a deep list', `${'['.repeat(90)}${']'.repeat(90)}`],
  ])('a link to %s', async (_, link) => {
    const body = `{"data":{"id":"a1","name":"n","dashboard":${link},"tileId":"t1"}}`;
    await start(() => ({ headers: { 'content-type': 'application/json' }, body }));
    const { text, fault } = await ask(JSON.stringify({ query }));
    expect(fault).toBeUndefined();
    // A link to what cannot be an identifier is one that dangles (docs/architecture.md).
    expect(JSON.parse(text)).toEqual({
      data: { alert: { name: 'n', dashboard: null, tile: null } },
    });
    await expectWhole();
  });

  it.each(['', ' ', '\n', '\u0000'])('the message %j of an error', async (message) => {
    await start(() => json({ message, error: message }, 404));
    const { text, fault } = await ask(JSON.stringify({ query }));
    expect([fault, JSON.parse(text).errors[0].extensions.code]).toEqual([undefined, 'NOT_FOUND']);
    await expectWhole();
  });
});

describe('a well-formed answer', () => {
  it(
    'is given to any body',
    async () => {
      await startBefore((answering) => answering);
      const seen = { data: 0, refused: 0, partial: 0 };
      await runMany(runs * 5, async (index) => {
        const body = randomBody(createRandom(seed * 1_000_003 + index));
        try {
          const { text, fault } = await ask(body, index);
          if (text.includes('"errors":')) {
            seen[text.includes('"data":{') ? 'partial' : 'refused'] += 1;
          } else seen.data += 1;
          return fault && `${fault}\n${String(body).slice(0, 3000)}\n${text.slice(0, 2000)}`;
        } catch (error) {
          return `${(error as Error).cause}\n${String(body).slice(0, 3000)}`;
        }
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
      const random = createRandom(seed);
      let mutated = 0;
      await startBefore((answering) => async (call) => {
        const answer = await answering(call);
        if (!random.chance(70)) return answer;
        mutated += 1;
        return mutatedAnswer(random, answer);
      });
      // Each operation is answered by several calls; there are to be as many mutated answers as runs.
      for (let from = 0; mutated < runs; from += 25) {
        await runMany(25, async (offset) => {
          const sample = JSON.stringify(samples[(from + offset) % samples.length]);
          const { text, fault } = await ask(sample, Math.floor((from + offset) / 7));
          return fault && `${fault}\n${sample}\n${text.slice(0, 3000)}`;
        });
      }
      await expectWhole();
    },
    timeout,
  );
});
