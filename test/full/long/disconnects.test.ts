import { once } from 'node:events';
import { request as open } from 'node:http';
import { setImmediate as turn } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import {
  type Answer,
  type Call,
  data,
  result,
  type Stack,
  startStack,
} from '../../support/harness.ts';
import { until } from '../../support/process/run-main.ts';
import { createRandom, type Random } from '../../support/random/random.ts';
import { runsOf, sampleOf } from '../../support/random/runs.ts';
import { withIds } from '../../support/world/ids.ts';

const organizationId = withIds('organization-1');

const leavers = runsOf(25, 250);
const sharers = runsOf(10, 50);

const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => process.on('unhandledRejection', note));
afterAll(() => process.off('unhandledRejection', note));

/** No operation ends by its deadline in these tests. */
const endless = { operationTimeoutMs: 600_000 } as const;

let stack: Stack;
afterEach(() => stack.close());

const turns = async (count: number): Promise<void> => {
  for (let done = 0; done < count; done += 1) await turn();
};

const tokenOf = ({ headers }: Call): string => {
  const [scheme, token = ''] = String(headers.authorization).split(' ');
  return scheme === 'Basic' ? atob(token) : token;
};

const answerOf = ({ upstream, path, headers }: Call): Answer => {
  const name = tokenOf({ headers } as Call);
  if (upstream === 'management') return result({ id: organizationId, name });
  return path === '/api/v2/alerts'
    ? data([{ id: 'a1', name }])
    : data({ id: path.split('/').at(-1), name, dashboard: 'd1', tiles: [] });
};

interface Held {
  readonly call: Call;
  readonly answer: () => void;
  /** Whether its connection has gone before it was answered. */
  isClosed: boolean;
  isAnswered: boolean;
}

/** Holds the calls of callers who leave until told to answer; those of callers who stay it answers. */
const createBackend = (answers: (call: Call) => boolean | Promise<boolean>) => {
  const held: Held[] = [];
  const answering = async (call: Call): Promise<Answer> => {
    if (await answers(call)) return answerOf(call);
    return new Promise((resolve) => {
      const entry: Held = {
        call,
        isClosed: false,
        isAnswered: false,
        answer: () => {
          entry.isAnswered = true;
          resolve(answerOf(call));
        },
      };
      call.onClose(() => {
        entry.isClosed = true;
      });
      held.push(entry);
    });
  };
  return {
    held,
    answering,
    of: (token: string) => held.filter(({ call }) => tokenOf(call) === token),
  };
};

const headersOf = (token: string) => ({
  'management-authorization': `Basic ${btoa(token)}`,
  'observability-authorization': `Bearer ${token}`,
});

type Way = 'short' | 'yoga' | 'get';

/** An operation on a connection of its own, which can be cut. */
const send = (token: string, query: string, way: Way) => {
  const isGet = way === 'get';
  const url = new URL(stack.url);
  if (isGet) url.searchParams.set('query', query);
  const body = JSON.stringify({ query });
  const request = open(url, {
    agent: false,
    method: isGet ? 'GET' : 'POST',
    headers: {
      ...headersOf(token),
      accept: way === 'yoga' ? 'application/graphql-response+json' : 'application/json',
      ...(!isGet && {
        'content-type': 'application/json',
        'content-length': Buffer.byteLength(body),
      }),
    },
  });
  const answered = once(request, 'response').then(
    async ([response]) => Buffer.concat(await response.toArray()).toString(),
    () => undefined,
  );
  request.end(isGet ? undefined : body);
  return { answered: answered.catch(() => undefined), leave: () => request.destroy() };
};

const rename = `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "n"}) { organization { name } } }`;
const replace = 'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }';
const organization = `organization(id: "${organizationId}") { name }`;
const reads = [
  '{ alerts { name } }',
  `{ ${organization} }`,
  `{ ${organization} alerts { name } dashboard(id: "d1") { name } }`,
  '{ alert(id: "a1") { name dashboard { name tags } } }',
  '{ a: alert(id: "a1") { name } b: alert(id: "a2") { name } dashboards { name alerts { name } } }',
] as const;

const kinds: readonly [readonly [string, Way], ...(readonly [string, Way])[]] = [
  ...reads.flatMap((query) => [[query, 'short'] as const, [query, 'get'] as const]),
  [reads[2], 'yoga'],
  [rename, 'short'],
  [rename, 'yoga'],
  [replace, 'short'],
] as unknown as readonly [readonly [string, Way], ...(readonly [string, Way])[]];

const inBatches = async (count: number, size: number, run: (index: number) => Promise<void>) => {
  for (let from = 0; from < count; from += size) {
    const length = Math.min(size, count - from);
    await Promise.all(Array.from({ length }, (_, index) => run(from + index)));
  }
};

const expectQuiet = (): void => {
  expect(unhandled).toEqual([]);
  expect(stack.log()).not.toMatch(/unexpected error|"level":(?:50|60)/);
  expect(stack.log()).not.toContain('"reason":"timeout"');
};

describe('callers who go away at random moments', () => {
  /** Calls that were answered after their callers had gone. */
  let finished = 0;
  beforeEach(() => {
    finished = 0;
  });

  /** Leaves after so many turns of the loop, counted from the start or from its first upstream call. */
  const leaveAtRandom = async (
    random: Random,
    index: number,
    backend: ReturnType<typeof createBackend>,
  ): Promise<void> => {
    const token = `leaver-${index}`;
    const [query, way] = random.pick(kinds);
    const { answered, leave } = send(token, query, way);
    if (random.chance(50)) await until(() => stack.calls.some((call) => tokenOf(call) === token));
    await turns(random.below(60));
    // Some get an answer to one of their calls just then, so that the next would be made.
    if (random.chance(30)) backend.of(token)[0]?.answer();
    await turns(random.below(3));
    leave();
    await answered;
    const unanswered = backend.of(token).filter(({ isAnswered }) => !isAnswered);
    expect(unanswered.filter(({ isClosed }) => isClosed)).toEqual([]);
    for (const { answer } of unanswered) answer();
    finished += unanswered.length;
  };

  it.each(sampleOf([1, 2], 1))(
    'have what was sent finished, and nothing more sent (seed %i)',
    async (seed) => {
      const random = createRandom(seed);
      const backend = createBackend(async (call) => {
        if (tokenOf(call).startsWith('leaver')) return false;
        await turns(random.below(20));
        return true;
      });
      stack = await startStack({
        management: backend.answering,
        observability: backend.answering,
        config: endless,
      });

      const stay = async (index: number): Promise<void> => {
        const token = `stayer-${index}`;
        const { body } = await stack.query(reads[2], { headers: headersOf(token) });
        expect(body).toEqual({
          data: {
            organization: { name: token },
            alerts: [{ name: token }],
            dashboard: { name: token },
          },
        });
      };
      await inBatches(leavers, 25, async (index) => {
        await Promise.all([
          leaveAtRandom(random, index, backend),
          ...(index % 5 === 0 ? [stay(index)] : []),
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
      await stay(1000);
      expect(stack.calls).toHaveLength(length + 3);
      expectQuiet();
    },
  );
});

describe('a read that is under way for several', () => {
  it('goes on when callers disconnect, as long as one of them waits', async () => {
    const random = createRandom(3);
    const backend = createBackend(() => false);
    stack = await startStack({
      management: backend.answering,
      observability: backend.answering,
      config: endless,
    });
    await inBatches(sharers, 10, async (index) => {
      const token = `sharer-${index}`;
      const leavers = [send(token, reads[0], 'short')];
      await until(() => backend.of(token).length === 1);
      leavers.push(send(token, reads[0], 'get'), send(token, reads[0], 'yoga'));
      const staying = stack.query(reads[0], { headers: headersOf(token) });
      // Whoever asked before another was answered has been heard.
      await stack.query('{ __typename }');
      for (const { leave } of leavers) {
        await turns(random.below(15));
        leave();
      }
      await Promise.all(leavers.map(({ answered }) => answered));
      await stack.query('{ __typename }');
      expect(backend.of(token).filter(({ isClosed }) => isClosed)).toEqual([]);
      for (const { answer } of backend.of(token)) answer();
      expect((await staying).body).toEqual({ data: { alerts: [{ name: token }] } });
      expect(backend.of(token)).toHaveLength(1);
    });
    expectQuiet();
  });

  it('is finished when the last of them has gone', async () => {
    const random = createRandom(4);
    const backend = createBackend(() => false);
    stack = await startStack({
      management: backend.answering,
      observability: backend.answering,
      config: endless,
    });
    await inBatches(sharers, 10, async (index) => {
      const token = `sharer-${index}`;
      const leavers = [send(token, reads[0], 'short')];
      await until(() => backend.of(token).length === 1);
      leavers.push(send(token, reads[0], 'short'), send(token, reads[0], 'get'));
      for (const { leave } of leavers) {
        await turns(random.below(40));
        leave();
      }
      await Promise.all(leavers.map(({ answered }) => answered));
      await stack.query('{ __typename }');
      expect(backend.of(token).map(({ isClosed }) => isClosed)).toEqual([false]);
      for (const { answer } of backend.of(token)) answer();
    });
    expectQuiet();
  });
});

describe('calls that wait for a connection', () => {
  it('are never made once their callers have gone', async () => {
    const backend = createBackend((call) => tokenOf(call).startsWith('stayer'));
    stack = await startStack({
      management: backend.answering,
      observability: backend.answering,
      config: { ...endless, upstreamConnections: 2 },
    });
    const first = [1, 2].map((index) => send(`first-${index}`, reads[0], 'short'));
    await until(() => backend.held.length === 2);
    const queued = Array.from({ length: 50 }, (_, index) =>
      send(`queued-${index}`, reads[0], (['short', 'yoga', 'get'] as const)[index % 3] ?? 'short'),
    );
    const staying = stack.query(reads[0], { headers: headersOf('stayer-1') });
    await stack.query('{ __typename }');
    for (const { leave } of queued) leave();
    await Promise.all(queued.map(({ answered }) => answered));
    await stack.query('{ __typename }');
    for (const { answer } of backend.held) answer();
    expect(await Promise.all(first.map(({ answered }) => answered))).toEqual([
      '{"data":{"alerts":[{"name":"first-1"}]}}',
      '{"data":{"alerts":[{"name":"first-2"}]}}',
    ]);
    expect((await staying).body).toEqual({ data: { alerts: [{ name: 'stayer-1' }] } });
    const queuedCalls = stack.calls.filter((call) => tokenOf(call).startsWith('queued'));
    expect(queuedCalls).toEqual([]);
    expectQuiet();
  });
});
