import { createServer } from 'node:net';
import { afterEach, beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { UpstreamError } from '../../src/upstream/error.ts';
import { createTransport } from '../../src/upstream/sending/send.ts';
import { drip, hint, silence } from '../support/faults/reactions.ts';
import { type Call, json, type React, type Reaction, startBackend } from '../support/harness.ts';
import { startServer } from '../support/servers.ts';
import { carryOutWith, present, type Step, together } from '../support/steps.ts';
import { createTestCaller, readOf, settled, writeOf } from '../support/upstream/calls.ts';

let backend: Awaited<ReturnType<typeof startBackend>>;
/** What the backend has got. */
let got: Call[];
let send: ReturnType<typeof createTransport>['send'];
/** Closes the transport, once, as late as the deadline. */
let close: () => Promise<void>;
let deadline: AbortController;
afterEach(async () => {
  deadline.abort();
  await Promise.all([close(), backend.close()]);
});

const ok = json({ data: [] });
/** An answer that the test gives later. */
let given: PromiseWithResolvers<Reaction>;
const late = () => given.promise;
const halfToWrites = ({ method }: { readonly method: string }): Reaction =>
  method === 'GET' ? ok : (response) => response.writeHead(200).write(' ');
const afterHints = (): Reaction => (response) => {
  response.writeEarlyHints({ link: '</>; rel=preload' }, () => {
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
  });
};

type Options = Partial<Parameters<typeof createTransport>[0]> & { readonly isProxied?: boolean };
const start = async (react: React, { isProxied, ...options }: Options = {}): Promise<void> => {
  given = Promise.withResolvers();
  deadline = new AbortController();
  got = [];
  backend = await startBackend('observability', got, react);
  const proxies = { httpProxy: backend.origin, httpsProxy: '', noProxy: '' };
  const transport = createTransport({
    ...(isProxied && { proxies }),
    baseUrl: isProxied ? new URL('http://upstream.example') : new URL(backend.origin),
    ...{ userAgent: 'test', timeoutMs: 180_000, writeTimeoutMs: 180_000 },
    ...{ maxResponseBytes: 1_000, connections: 1, ...options },
  });
  ({ send } = transport);
  let closed: Promise<void> | undefined;
  close = () => {
    closed ??= transport.close(deadline.signal);
    return closed;
  };
};

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
  const told = { isFree: false };
  const free = outcome.then(async () => {
    await Promise.all(kept);
    told.isFree = true;
  });
  return { caller, outcome, free, told };
};
let calls: Map<string, ReturnType<typeof sendCall>>;
beforeEach(() => {
  calls = new Map();
});

/** What becomes of a call. */
const callOf = (name: string) => {
  const call = () => present(calls.get(name));
  return {
    reads: () => calls.set(name, sendCall(readOf)),
    writes: () => calls.set(name, sendCall(writeOf)),
    arrives: () => expect.poll(() => got.length).toBe(calls.size),
    leaves: () => call().caller.leave(),
    isTimedOut: () => call().caller.leave('TimeoutError'),
    ends: () => call().outcome,
    isFree: () => call().free,
    isKept: async () => {
      await call().outcome;
      expect(call().told.isFree).toBe(false);
    },
  };
};
const [a, b, c] = [callOf('a'), callOf('b'), callOf('c')];
const answer = (reaction: Reaction) => () => given.resolve(reaction);
const closes = () => void close();
const deadlineIsOver = () => deadline.abort();
const open = (count: number) => () => expect.poll(() => backend.connections().open).toBe(count);
const wereOpened = (count: number) => () => expect(backend.connections().all).toBe(count);
/** Lets time pass, of which undici learns from `Date`. */
const pass = (seconds: number) => () => {
  const clock = vi.spyOn(Date, 'now').mockReturnValue(Date.now() + seconds * 1000);
  onTestFinished(() => clock.mockRestore());
};
const carryOut = carryOutWith(settled);

/** Carries out the last steps, and compares the status of each call, or why it failed and whether it was unsent. */
const row = async (expected: Readonly<Record<string, string>>, ...steps: readonly Step[]) => {
  await carryOut(...steps);
  const outcomes: Record<string, string> = {};
  for (const [name, { outcome }] of calls) outcomes[name] = await outcome;
  expect(outcomes).toEqual(expected);
  const sent = Object.values(outcomes).filter((each) => !each.endsWith('unsent'));
  expect(got).toHaveLength(sent.length);
};

it('a transport opens a new connection after a minute, however busy the old one was', async () => {
  await start(() => ok);
  await carryOut(a.reads, a.ends, pass(59), b.reads, b.ends, wereOpened(1));
  await row({ a: '200', b: '200', c: '200' }, pass(2), c.reads, c.ends, wereOpened(2), open(1));
});
it('a transport opens a new connection to a proxy after a minute', async () => {
  await start(() => ok, { isProxied: true });
  await carryOut(a.reads, a.ends, pass(59), b.reads, b.ends, wereOpened(1));
  await row({ a: '200', b: '200', c: '200' }, pass(2), c.reads, c.ends, wereOpened(2), open(1));
});
it('a transport lets what is under way end on the old connection', async () => {
  await start(late);
  await carryOut(a.reads, a.arrives);
  await row({ a: '200', b: '200' }, pass(61), b.reads, b.arrives, open(2), answer(ok), open(1));
});
it('a transport tells of a call that is given up whether it was sent', async () => {
  await start(() => silence);
  await carryOut(a.writes);
  await row({ a: 'aborted', b: 'timeout unsent' }, a.arrives, b.writes, b.isTimedOut, a.leaves);
});
it('a transport waits longer for the answer to a write than for that to a read', async () => {
  await start(() => silence, { timeoutMs: 300, connections: 2 });
  await row({ a: 'aborted', b: 'timeout' }, a.writes, a.arrives, b.reads, b.ends, a.leaves);
});
it('a transport keeps the connection of a write that is given up until the upstream has answered', async () => {
  await start(late);
  await row({ a: 'aborted' }, a.writes, a.arrives, a.leaves, a.isKept, answer(ok), a.isFree);
});
it('a transport does not wait for the whole answer to a write that is given up', async () => {
  await start(late, { leftMs: 600_000, connections: 2 });
  await row({ a: 'aborted' }, a.writes, a.arrives, a.leaves, answer(drip), a.isFree, open(0));
});
it('a transport does not wait for the rest of an answer whose head has come, as a later call is answered', async () => {
  await start(halfToWrites, { leftMs: 600_000, connections: 2 });
  await row({ a: 'aborted', b: '200' }, a.writes, a.arrives, b.reads, b.ends, a.leaves, a.isFree);
});
it('a transport closes the connection of a write that is given up after some seconds of silence', async () => {
  await start(() => silence, { leftMs: 300 });
  await row({ a: 'aborted' }, a.writes, a.arrives, a.leaves, a.isFree, open(0));
});
it('a transport closes the connection of a write that is given up after some seconds of informational answers', async () => {
  await start(() => hint, { leftMs: 300 });
  await row({ a: 'aborted' }, a.writes, a.arrives, a.leaves, a.isFree, open(0));
});
it('a transport takes the answer that comes after informational ones', async () => {
  await start(afterHints);
  await row({ a: '200' }, a.reads);
});
it('a transport gives the connection of a read that is given up back as it closes it', async () => {
  await start(() => silence);
  await row({ a: 'aborted' }, a.reads, a.arrives, a.leaves, a.isFree, open(0));
});
it('a transport keeps the place of a call that is given up while it connects until that has ended', async () => {
  await start(() => silence);
  await row({ a: 'aborted unsent' }, together(a.reads, a.leaves, a.isKept), a.isFree);
});
it('a transport closes at once, told so, though a write that is given up still waits for its answer', async () => {
  await start(() => silence);
  await carryOut(a.writes, a.arrives);
  await row({ a: 'aborted' }, a.leaves, closes, open(1), deadlineIsOver, a.isFree, open(0));
});

it('a transport sends nothing for a caller who has left', async () => {
  await start(() => silence);
  const caller = createTestCaller();
  caller.leave();
  await expect(send(readOf(caller))).rejects.toMatchObject({
    failure: { reason: 'aborted', inFlightMs: undefined },
  });
  expect(caller.calls.list()).toEqual([]);
});

it('a transport leaves no listener at the signal of a call that has ended', async () => {
  await start(() => ok);
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

it('a transport gives a proxy no longer for a tunnel than for a connection', async () => {
  const proxy = await startServer(createServer());
  onTestFinished(proxy.close);
  const proxies = { httpProxy: '', httpsProxy: proxy.origin, noProxy: '' };
  const baseUrl = new URL('https://upstream.invalid');
  await start(() => silence, { baseUrl, proxies, timeoutMs: 300 });
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
