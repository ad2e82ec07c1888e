import { createServer } from 'node:net';
import { afterEach, expect, it, onTestFinished, vi } from 'vitest';
import { UpstreamError } from '../../src/upstream/error.ts';
import { createTransport } from '../../src/upstream/sending/send.ts';
import {
  drip,
  type FaultBackend,
  hint,
  type Reaction,
  reset,
  silence,
  startFaultBackend,
} from '../support/faults/backend.ts';
import { json } from '../support/harness.ts';
import { carryOut, rowsOf, type Step } from '../support/rows.ts';
import { startServer } from '../support/servers.ts';
import { createTestCaller, readOf, settled, writeOf } from '../support/upstream/calls.ts';

let backend: FaultBackend;
/** Closes the transport, once, as late as the deadline. */
let close: () => Promise<void>;
let deadline: AbortController;
afterEach(async () => {
  deadline.abort();
  await Promise.all([close(), backend.close()]);
});

const ok = json({ data: [] });
/** An answer that the row gives later. */
let later: PromiseWithResolvers<Reaction>;
const reactions: Readonly<Record<string, (method: string) => Reaction | Promise<Reaction>>> = {
  silence: () => silence,
  reset: () => reset,
  hints: () => hint,
  'a late answer': () => later.promise,
  'half an answer to writes': (method) =>
    method === 'GET' ? ok : (response) => response.writeHead(200).write(' '),
  'an answer after hints': () => (response) => {
    response.writeEarlyHints({ link: '</>; rel=preload' }, () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
    });
  },
};

const start = async (
  meets: string,
  {
    isProxied,
    ...options
  }: Partial<Parameters<typeof createTransport>[0]> & { readonly isProxied?: boolean } = {},
) => {
  later = Promise.withResolvers();
  deadline = new AbortController();
  backend = await startFaultBackend(({ method }) => reactions[meets]?.(method) ?? ok);
  const proxies = { httpProxy: backend.url.href, httpsProxy: '', noProxy: '' };
  const transport = createTransport({
    ...(isProxied && { proxies }),
    baseUrl: isProxied ? new URL('http://upstream.example') : backend.url,
    ...{ userAgent: 'test', timeoutMs: 180_000, writeTimeoutMs: 180_000 },
    ...{ maxResponseBytes: 1_000, connections: 1, ...options },
  });
  let closed: Promise<void> | undefined;
  close = () => {
    closed ??= transport.close(deadline.signal);
    return closed;
  };
  return transport;
};

/** What a row may begin with, beside what calls meet. */
const optionsOf = {
  'reads end after 0.3 s': { timeoutMs: 300, connections: 2 },
  'calls end after 0.3 s': { timeoutMs: 300, writeTimeoutMs: 300 },
  'those left end after 0.3 s': { leftMs: 300 },
  'they go through a proxy': { isProxied: true },
  'those left are kept': { leftMs: 600_000, connections: 2 },
};

/** Lets time pass, of which undici learns from `Date`. */
const pass = (milliseconds: number): void => {
  const now = Date.now() + milliseconds;
  const clock = vi.spyOn(Date, 'now').mockReturnValue(now);
  onTestFinished(() => clock.mockRestore());
};

/** Carries out a row, and tells of each call its status, or why it failed and whether it was unsent. */
const outcomesOf = async (row: string) => {
  const [, meets = '', further = '', work = ''] = /^(.+?)(?: while (.+?))?: (.*)$/.exec(row) ?? [];
  const options = Object.entries(optionsOf).find(([each]) => each === further)?.[1];
  const { send } = await start(meets, options);
  const sendCall = (of: typeof readOf) => {
    const caller = createTestCaller();
    const kept: Promise<void>[] = [];
    const call = of(caller, { keepConnection: (until) => void kept.push(until) });
    const outcome = send(call).then(
      ({ status }) => `${status}`,
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error;
        const { reason, inFlightMs } = error.failure;
        return inFlightMs === undefined ? `${reason} unsent` : reason;
      },
    );
    const free = outcome.then(() => Promise.all(kept));
    const told = { isFree: false };
    void free.then(() => {
      told.isFree = true;
    });
    return { caller, outcome, free, told };
  };
  const calls = new Map<string, ReturnType<typeof sendCall>>();
  const called = (name = '') => {
    const call = calls.get(name);
    if (!call) throw new Error(`There is no call ${name}`);
    return call;
  };
  const steps: readonly Step[] = [
    [
      /^(read|write) (\w)$/,
      (what, name = '') => void calls.set(name, sendCall(what === 'read' ? readOf : writeOf)),
    ],
    [/^\w arrives$/, async () => expect.poll(() => backend.calls.length).toBe(calls.size)],
    [
      /^(\w) (leaves|is timed out)$/,
      (name, how) => called(name).caller.leave(how === 'leaves' ? 'AbortError' : 'TimeoutError'),
    ],
    [/^(\w) ends$/, (name) => called(name).outcome],
    [/^(\w) is free$/, (name) => called(name).free],
    [
      /^(\w) is kept$/,
      async (name) => {
        await called(name).outcome;
        expect(called(name).told.isFree).toBe(false);
      },
    ],
    [/^the answer (comes|drips)$/, (how) => later.resolve(how === 'comes' ? ok : drip)],
    [/^the upstream is gone$/, () => backend.close()],
    [/^the transport closes$/, () => void close()],
    [/^its deadline is over$/, () => deadline.abort()],
    [
      /^(\d) are open$/,
      async (count) => expect.poll(() => backend.connections.open).toBe(Number(count)),
    ],
    [/^(\d+) s$/, (seconds) => pass(Number(seconds) * 1000)],
    [/^there were (\d)$/, (count) => expect(backend.connections.all).toBe(Number(count))],
  ];
  await carryOut(work, steps, settled);
  const outcomes = [...calls].map(async ([name, { outcome }]) => `${name} ${await outcome}`);
  return (await Promise.all(outcomes)).join(', ');
};

it.each(
  rowsOf(`
  opens a new connection after a minute, however busy the old one was
    answers: read a, a ends, 59 s, read b, b ends, there were 1, 2 s, read c, c ends, there were 2, 1 are open
    -> a 200, b 200, c 200
  opens a new one to a proxy, too
    answers while they go through a proxy: read a, a ends, 59 s, read b, b ends, there were 1, 2 s, read c, c ends,
    there were 2, 1 are open -> a 200, b 200, c 200
  lets what is under way end on the old connection
    a late answer: read a, a arrives, 61 s, read b, b arrives, 2 are open, the answer comes, 1 are open
    -> a 200, b 200
  tells of a call that is given up whether it was sent
    silence: write a, a arrives, write b, b is timed out, a leaves -> a aborted, b timeout unsent
  waits longer for the answer to a write than for that to a read
    silence while reads end after 0.3 s: write a, a arrives, read b, b ends, a leaves
    -> a aborted, b timeout
  tells of a connection that breaks that the call was sent
    reset: write a, a is free -> a cut-off
  and of one that is refused that it was not
    silence: the upstream is gone, write a, a is free -> a unreachable unsent
  keeps the connection of a write that is given up until the upstream has answered
    a late answer: write a, a arrives, a leaves, a is kept, the answer comes, a is free -> a aborted
  does not wait for the whole of that answer
    a late answer while those left are kept: write a, a arrives, a leaves, the answer drips, a is free,
    0 are open -> a aborted
  does not wait for the rest of an answer whose head has come, as a later call is answered
    half an answer to writes while those left are kept: write a, a arrives, read b, b ends,
    a leaves, a is free -> a aborted, b 200
  closes it after some seconds of silence
    silence while those left end after 0.3 s: write a, a arrives, a leaves, a is free, 0 are open
    -> a aborted
  closes it after some seconds of informational answers
    hints while those left end after 0.3 s: write a, a arrives, a leaves, a is free, 0 are open
    -> a aborted
  waits no longer for a read that gets informational answers alone
    hints while calls end after 0.3 s: read a, a is free, 0 are open -> a timeout
  waits no longer for such a write
    hints while calls end after 0.3 s: write a, a is free, 0 are open -> a timeout
  takes the answer that comes after informational ones
    an answer after hints: read a -> a 200
  gives the connection of a read that is given up back as it closes it
    silence: read a, a arrives, a leaves, a is free, 0 are open -> a aborted
  keeps the place of a call that is given up while it connects until that has ended
    silence: read a & a leaves & a is kept, a is free -> a aborted unsent
  closes at once, told so, though a write that is given up still waits for its answer
    silence: write a, a arrives, a leaves, the transport closes, 1 are open, its deadline is over,
    a is free, 0 are open -> a aborted
`),
)('%s', async (_, row, outcomes) => {
  expect(await outcomesOf(row)).toBe(outcomes);
  const sent = outcomes.split(', ').filter((each) => !each.endsWith('unsent'));
  expect(backend.calls).toHaveLength(sent.length);
});

it('sends nothing for a caller who has left', async () => {
  const { send } = await start('silence');
  const caller = createTestCaller();
  caller.leave();
  await expect(send(readOf(caller))).rejects.toMatchObject({
    failure: { reason: 'aborted', inFlightMs: undefined },
  });
  expect(caller.calls.list()).toEqual([]);
});

it('leaves no listener at the signal of a call that has ended', async () => {
  const { send } = await start('an answer');
  const caller = createTestCaller();
  const listeners = new Set<unknown>();
  const watched: Pick<AbortSignal, 'addEventListener' | 'removeEventListener'> = {
    addEventListener: (_: string, listener: unknown) => void listeners.add(listener),
    removeEventListener: (_: string, listener: unknown) => void listeners.delete(listener),
  };
  Object.assign(caller.signal, watched);
  await send(readOf(caller));
  expect(listeners.size).toBe(0);
});

it('gives a proxy no longer for a tunnel than for a connection', async () => {
  const proxy = await startServer(createServer());
  onTestFinished(proxy.close);
  const proxies = { httpProxy: '', httpsProxy: proxy.origin, noProxy: '' };
  const baseUrl = new URL('https://upstream.invalid');
  const { send } = await start('silence', { baseUrl, proxies, timeoutMs: 300 });
  let kept: Promise<void> | undefined;
  const call = readOf(createTestCaller(), {
    keepConnection: (until) => {
      kept = until;
    },
  });
  await expect(send(call)).rejects.toMatchObject({
    failure: { reason: 'timeout', inFlightMs: undefined },
  });
  await kept;
});
