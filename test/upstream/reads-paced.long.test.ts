import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { isLong } from '../support/random/runs.ts';
import { type Clock, startClock } from '../support/upstream/clock.ts';
import { type Request, type Simulated, startSimulated } from '../support/upstream/simulated.ts';
import { type Received, receiveWith } from '../support/upstream/simulated-transport.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

/** The duration of every call, in milliseconds. */
const latency = 50;
const windowMs = 4000;
/** One call each four seconds: alerts are fresh for three. */
const rate = { observabilityRate: { calls: 1, windowMs }, maxRetries: 0 };
const token = { observability: 'Bearer token' };
const alerts = ({ observability }: Request) => observability.listAlerts();

type Answering = (received: Received) => void;
let clock: Clock;
let simulated: Simulated;
let sent: string[];
/** The answers to the next calls, and to all others. */
let next: Answering[];
let usual: Answering;

/** The layers below GraphQL on a simulated clock, in front of upstreams that answer each call after a moment. */
const start = (options: Parameters<typeof startSimulated>[0] = rate): void => {
  clock = startClock();
  simulated = startSimulated(options);
  [sent, next] = [[], []];
  let number = 0;
  usual = ({ call, answer }) => {
    const record = { id: call.path.slice(call.path.lastIndexOf('/') + 1), name: `read ${number}` };
    const found = call.row.operation.shape === 'list' ? [record] : record;
    answer({ status: 200, requestId: 'of-the-upstream', result: found, data: found });
  };
  receiveWith((received) => {
    sent.push(received.call.path);
    number += 1;
    const answering = next.shift() ?? usual;
    setTimeout(() => answering(received), latency);
  });
};
afterEach(async () => {
  await simulated.upstreams.close(new AbortController().signal);
  clock.restore();
});

/** The outcome of a promise after this number of milliseconds. */
const until = async <Value>(promise: Promise<Value>, ms = latency + 1): Promise<Value> => {
  // Until then it may fail with nobody watching.
  promise.catch(() => undefined);
  await clock.advance(ms);
  return Promise.race([promise, Promise.reject(new Error(`Nothing has come of it in ${ms} ms`))]);
};

/** Reads, and lets time pass until this number of milliseconds is left before the next call can be sent. */
const readUntil = async (left: number): Promise<void> => {
  await until(alerts(simulated.ask(token)));
  // It was answered a moment before.
  await clock.advance(windowMs - 1 - left);
};

it.each([
  ['read anew', 0, 400],
  ['read anew', 600, 0],
  ['shown', 0, 600],
  ['shown', 600, 100],
])(
  'what is no longer fresh is %s, by half a second in all: %i ms after its request came it would wait for %i ms',
  async (what, late, left) => {
    start();
    await readUntil(left + late);
    const request = simulated.ask(token);
    await clock.advance(late);
    const isShown = what === 'shown';
    const read = await until(alerts(request), isShown ? 0 : left + latency + 2);
    expect(read).toMatchObject([{ name: isShown ? 'read 1' : 'read 2' }]);
    expect(request.caller.ages.stalestSeconds).toBe(isShown ? 3 : undefined);
    expect(sent).toHaveLength(isShown ? 1 : 2);
  },
);

describe('what was shown so is renewed', () => {
  it('once, on the account of nobody, for all who ask', async () => {
    start();
    await readUntil(800);
    const requests = [1, 2, 3].map(() => simulated.ask(token));
    for (const request of requests) {
      expect(await until(alerts(request), 10)).toMatchObject([{ name: 'read 1' }]);
    }
    await clock.advance(2 * windowMs);
    expect(sent).toHaveLength(2);
    for (const { caller } of requests) {
      expect(caller.budget.taken).toBe(0);
      expect(caller.calls.list().map(({ cache }) => cache)).toEqual(['stale']);
    }
  });

  it('again, where that cannot be read, and is shown until then', async () => {
    start();
    await readUntil(800);
    next = [(received) => received.answer('<p>')];
    for (const [calls, milliseconds] of [
      [2, 1000],
      [3, windowMs],
    ] as const) {
      const shown = await until(alerts(simulated.ask(token)), 0);
      expect(shown).toMatchObject([{ name: 'read 1' }]);
      await clock.advance(milliseconds);
      expect(sent).toHaveLength(calls);
    }
  });
});

it('a record has the identifiers of its path as the caller wrote them, whatever is kept or under way', async () => {
  start();
  const small = {
    organizationId: '0a9a0000-0000-4000-8000-00000000000a',
    serviceId: '0a9a0000-0000-4000-8000-00000000000b',
  };
  const spellings = [small, { ...small, organizationId: small.organizationId.toUpperCase() }];
  const key = { management: 'Basic a2V5OnNlY3JldA==' };
  for (const milliseconds of [latency + 1, 0]) {
    const lists = spellings.map((ids) => simulated.ask(key).management.listPipes(ids));
    expect(await until(Promise.all(lists), milliseconds)).toMatchObject(
      spellings.map((ids) => [ids]),
    );
  }
});

it.each([
  ['kept', 4 * 1024 * 1024, 1],
  ['not kept', 4 * 1024 * 1024 + 1, 2],
])('a body is %s where it has %i bytes', async (_, bytes, calls) => {
  start({});
  const body = `${'{"data":[{"id":"a1","name":"'.padEnd(bytes - 4, 'x')}"}]}`;
  usual = (received) => received.answer(body);
  for (let time = 0; time < 2; time += 1) await until(alerts(simulated.ask(token)));
  expect(sent).toHaveLength(calls);
});

describe.runIf(isLong)('ten thousand credentials', () => {
  /** What is in use of the heap and in buffers, in bytes. */
  const bytesInUse = (): number => {
    setFlagsFromString('--expose-gc');
    const collect: () => void = runInNewContext('gc');
    // The second time waits for the first one's sweepers.
    collect();
    collect();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  const ask = (name: string): Request => simulated.ask({ observability: `Bearer ${name}` });
  /** Has each do that, a hundred at a time, and gives what that takes of memory. */
  const all = async (does: (request: Request) => Promise<unknown>): Promise<number> => {
    const before = bytesInUse();
    for (let group = 0; group < 100; group += 1) {
      const requests = Array.from({ length: 100 }, (_, index) => ask(`${group}-${index}`));
      // Those without a success have three quarters of the connections together.
      await until(Promise.all(requests.map(does)), 200);
    }
    return bytesInUse() - before;
  };

  it('that are invented leave nothing in memory, and little elsewhere', async () => {
    start({ observabilityRate: { calls: 100, windowMs: 60_000 } });
    usual = (received) => received.answer({ error: 'no', message: 'no' }, 401);
    const bytes = await all(async (request) => {
      const write = request.observability.deleteDashboard({ dashboardId: 'd1' });
      await Promise.allSettled([alerts(request), write]);
    });
    expect(sent).toHaveLength(20_000);
    // Whatever is kept has a timer that takes it away.
    expect(clock.timers).toBe(0);
    expect(bytes).toBeLessThan(60_000_000);
  });

  it('that are known hold no more than READ_CACHE_MB allows', async () => {
    const bound = 16 * 1024 * 1024;
    start({ readCacheBytes: bound });
    const name = 'x'.repeat(10_000);
    usual = (received) => received.answer({ data: [{ id: 'a1', name }] });
    // And the gate knows each of them. Without a bound it would be 100 MB.
    expect(await all(alerts)).toBeLessThan(1.5 * bound + 10_000 * 1500);
    await until(alerts(ask('99-99')), 0);
    expect(sent).toHaveLength(10_000);
  });
});
