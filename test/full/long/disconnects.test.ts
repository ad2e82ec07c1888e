import { once } from 'node:events';
import { request as open } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Call,
  data,
  result,
  type Stack,
  startStack,
} from '../../support/harness.ts';
import { askInParts, events, multipart } from '../../support/in-parts.ts';
import { until } from '../../support/process/run-main.ts';
import { createRandom } from '../../support/random/random.ts';
import { runsOf, sampleOf } from '../../support/random/runs.ts';
import { withIds } from '../../support/world/ids.ts';

const organizationId = withIds('organization-1');
const leavers = runsOf(25, 250);
const sharers = runsOf(10, 50);

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => process.off('unhandledRejection', note));

let stack: Stack;
afterEach(() => stack.close());

const turns = async (count: number): Promise<void> => {
  for (let done = 0; done < count; done += 1) await turn();
};

const tokenOf = ({ headers }: Call): string => {
  const [scheme, token = ''] = String(headers.authorization).split(' ');
  return scheme === 'Basic' ? atob(token) : token;
};

/** What anyone is answered, under the name of whoever asks. */
const answerOf = (call: Call): Answer => {
  const name = tokenOf(call);
  const { upstream, path } = call;
  if (path.endsWith('/services')) {
    return result([1, 2, 3].map((number) => ({ id: withIds(`service-${number}`), name })));
  }
  if (path.endsWith('/pipes')) return result([]);
  if (upstream === 'management') return result({ id: organizationId, name });
  return path === '/api/v2/alerts'
    ? data([{ id: 'a1', name }])
    : data({ id: path.split('/').at(-1), name, dashboard: 'd1', tiles: [] });
};

interface Held {
  readonly token: string;
  readonly answer: () => void;
  /** Whether its connection has gone before it was answered. */
  isClosed: boolean;
  isAnswered: boolean;
}

/** Starts the gateway; its backends hold calls until told to answer, but for those that `answers` lets pass. */
const start = async (
  answers: (call: Call) => boolean | Promise<boolean>,
  config: Parameters<typeof startStack>[0]['config'] = {},
) => {
  const held: Held[] = [];
  const answering = async (call: Call): Promise<Answer> => {
    if (await answers(call)) return answerOf(call);
    const { promise, resolve } = Promise.withResolvers<Answer>();
    const answer = (): void => {
      entry.isAnswered = true;
      resolve(answerOf(call));
    };
    const entry: Held = { token: tokenOf(call), isClosed: false, isAnswered: false, answer };
    call.onClose(() => {
      entry.isClosed = true;
    });
    held.push(entry);
    return promise;
  };
  // No operation ends by its deadline in these tests.
  const endless = { operationTimeoutMs: 600_000, ...config };
  stack = await startStack({ management: answering, observability: answering, config: endless });
  return { held, of: (token: string) => held.filter((entry) => entry.token === token) };
};

const headersOf = (token: string) => ({
  'management-authorization': `Basic ${btoa(token)}`,
  'observability-authorization': `Bearer ${token}`,
});

type Way = 'json' | 'responseJson' | 'get';

/** An operation on a connection of its own, which can be cut. */
const send = (token: string, query: string, way: Way) => {
  const url = new URL(stack.url);
  if (way === 'get') url.searchParams.set('query', query);
  const body = way === 'get' ? undefined : JSON.stringify({ query });
  const accept = way === 'responseJson' ? 'application/graphql-response+json' : 'application/json';
  const request = open(url, {
    ...{ agent: false, method: way === 'get' ? 'GET' : 'POST' },
    headers: {
      ...{ ...headersOf(token), accept },
      ...(body && { 'content-type': 'application/json', 'content-length': body.length }),
    },
  });
  const answered = once(request, 'response').then(
    async ([response]) => Buffer.concat(await response.toArray()).toString(),
    () => undefined,
  );
  request.end(body);
  return { answered: answered.catch(() => undefined), leave: () => request.destroy() };
};

const organization = `organization(id: "${organizationId}") { name }`;
const alerts = '{ alerts { name } }';
const page = `{ ${organization} alerts { name } dashboard(id: "d1") { name } }`;
const kinds: readonly [readonly [string, Way], ...(readonly [string, Way])[]] = [
  [alerts, 'json'],
  [alerts, 'get'],
  [page, 'json'],
  [page, 'responseJson'],
  ['{ alert(id: "a1") { name dashboard { name tags } } }', 'get'],
  ['{ a: alert(id: "a1") { name } b: alert(id: "a2") { name } dashboards { name } }', 'json'],
  [
    `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "n"}) { organization { name } } }`,
    'responseJson',
  ],
  ['mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }', 'json'],
];

const inBatches = async (count: number, size: number, run: (index: number) => Promise<void>) => {
  for (let from = 0; from < count; from += size) {
    const length = Math.min(size, count - from);
    await Promise.all(Array.from({ length }, (_, index) => run(from + index)));
  }
};

const expectQuiet = (): void => {
  expect(unhandled).toEqual([]);
  expect(stack.log()).not.toMatch(/unexpected error|"level":(?:50|60)|"reason":"timeout"/);
};

const stay = async (token: string): Promise<void> => {
  const { body } = await stack.query(page, { headers: headersOf(token) });
  const name = { name: token };
  expect(body).toEqual({ data: { organization: name, alerts: [name], dashboard: name } });
};

describe('callers who go away at random moments have what was sent finished, and nothing more sent:', () => {
  it.each(sampleOf([1, 2], 1))('of whole responses (seed %i)', async (seed) => {
    const random = createRandom(seed);
    let finished = 0;
    const backend = await start(async (call) => {
      if (tokenOf(call).startsWith('leaver')) return false;
      await turns(random.below(20));
      return true;
    });
    const leave = async (token: string): Promise<void> => {
      const caller = send(token, ...random.pick(kinds));
      if (random.chance(50)) await until(() => stack.calls.some((call) => tokenOf(call) === token));
      await turns(random.below(60));
      // Some get an answer to one of their calls just then, so that the next would be made.
      if (random.chance(30)) backend.of(token)[0]?.answer();
      await turns(random.below(3));
      caller.leave();
      await caller.answered;
      const unanswered = backend.of(token).filter(({ isAnswered }) => !isAnswered);
      expect(unanswered.filter(({ isClosed }) => isClosed)).toEqual([]);
      for (const { answer } of unanswered) answer();
      finished += unanswered.length;
    };
    await inBatches(leavers, 25, async (index) => {
      await Promise.all([
        leave(`leaver-${index}`),
        ...(index % 5 === 0 ? [stay(`stayer-${index}`)] : []),
      ]);
    });
    // Half of them waited for a call.
    expect(finished).toBeGreaterThan(leavers / 5);
    // Some calls were on their way when their callers left.
    await turns(200);
    for (const { answer } of backend.held) answer();
    await stack.query('{ __typename }');
    // Nothing is sent twice or later for those who have gone.
    const { length } = stack.calls;
    await stay('stayer-0');
    expect(stack.calls).toHaveLength(length + 3);
    expectQuiet();
  });

  it.each(sampleOf([1, 2], 1))('of responses in parts (seed %i)', async (seed) => {
    const random = createRandom(seed);
    const passed = new Set<Call>();
    await start(async (call) => {
      await turns(random.below(40));
      passed.add(call);
      return true;
    });
    const inParts = `{ organization(id: "${organizationId}") { name services { name ... @defer { pipes { name } } } } }`;
    const leave = async (index: number): Promise<void> => {
      const headers = { ...headersOf(`leaver-${index}`), 'x-request-id': `leaver-${index}` };
      const accept = random.chance(50) ? multipart : events;
      const caller = askInParts(stack, inParts, { accept, headers });
      if (random.chance(50)) await until(() => caller.parts.length > 0);
      await turns(random.below(80));
      caller.leave();
      await caller.ended;
    };
    const stayInParts = async (token: string): Promise<void> => {
      const parts = await askInParts(stack, inParts, { headers: headersOf(token) }).ended;
      expect(parts.flatMap(({ incremental = [] }) => incremental)).toHaveLength(3);
      expect([parts.at(-1)?.hasNext, JSON.stringify(parts).includes('errors')]).toEqual([
        false,
        false,
      ]);
    };
    await inBatches(leavers, 25, async (index) => {
      await Promise.all([
        leave(index),
        ...(index % 5 === 0 ? [stayInParts(`stayer-${index}`)] : []),
      ]);
    });
    await until(() => stack.calls.every((call) => passed.has(call)));
    await stack.query('{ __typename }');
    const before = stack.calls.length;
    await stayInParts('another');
    expect(stack.calls).toHaveLength(before + 5);
    // Some left before all of their page was asked for.
    expect(before).toBeLessThan((leavers + leavers / 5) * 5);
    const ids = [...stack.log().matchAll(/"requestId":"(leaver-\d+)"/g)].map(([, id]) => id);
    expect(new Set(ids).size).toBe(ids.length);
    expectQuiet();
  });
});

describe('a read that is under way for several', () => {
  it.each([
    ['goes on while one of them waits', true],
    ['is finished when the last of them has gone', false],
  ])('%s', async (_, someoneStays) => {
    const random = createRandom(3);
    const backend = await start(() => false);
    await inBatches(sharers, 10, async (index) => {
      const token = `sharer-${index}`;
      const leaving = [send(token, alerts, 'json')];
      await until(() => backend.of(token).length === 1);
      leaving.push(send(token, alerts, 'get'), send(token, alerts, 'responseJson'));
      const staying = someoneStays && stack.query(alerts, { headers: headersOf(token) });
      // Whoever asked before another was answered has been heard.
      await stack.query('{ __typename }');
      for (const { leave } of leaving) {
        await turns(random.below(30));
        leave();
      }
      await Promise.all(leaving.map(({ answered }) => answered));
      await stack.query('{ __typename }');
      expect(backend.of(token).map(({ isClosed }) => isClosed)).toEqual([false]);
      for (const { answer } of backend.of(token)) answer();
      if (staying) expect((await staying).body).toEqual({ data: { alerts: [{ name: token }] } });
      expect(backend.of(token)).toHaveLength(1);
    });
    expectQuiet();
  });
});

it('calls that wait for a connection are never made once their callers have gone', async () => {
  const backend = await start((call) => tokenOf(call).startsWith('stayer'), {
    upstreamConnections: 2,
  });
  const first = [1, 2].map((index) => send(`first-${index}`, alerts, 'json'));
  await until(() => backend.held.length === 2);
  const ways = ['json', 'responseJson', 'get'] as const;
  const queued = Array.from({ length: 48 }, (_, index) =>
    send(`queued-${index}`, alerts, ways[index % 3] ?? 'json'),
  );
  const staying = stay('stayer-1');
  await stack.query('{ __typename }');
  for (const { leave } of queued) leave();
  await Promise.all(queued.map(({ answered }) => answered));
  await stack.query('{ __typename }');
  for (const { answer } of backend.held) answer();
  expect(await Promise.all(first.map(({ answered }) => answered))).toEqual(
    [1, 2].map((index) => `{"data":{"alerts":[{"name":"first-${index}"}]}}`),
  );
  await staying;
  expect(stack.calls.filter((call) => tokenOf(call).startsWith('queued'))).toEqual([]);
  expectQuiet();
});
