import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { UpstreamError } from '../../src/upstream/error.ts';
import { createTransport, type Transport } from '../../src/upstream/sending/send.ts';
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
import { createTestCaller, readOf, settled, writeOf } from '../support/upstream/calls.ts';

let backend: FaultBackend;
let transport: Transport;
/** Closes the transport, once. */
let close: Transport['close'];
afterEach(async () => {
  await Promise.all([close(new AbortController().signal), backend.close()]);
});

const start = async (
  react: Parameters<typeof startFaultBackend>[0],
  options: Partial<Parameters<typeof createTransport>[0]> = {},
): Promise<void> => {
  backend = await startFaultBackend(react);
  transport = createTransport({
    baseUrl: backend.url,
    userAgent: 'test',
    timeoutMs: 30_000,
    writeTimeoutMs: 180_000,
    maxResponseBytes: 1_000,
    connections: 1,
    ...options,
  });
  let closed: Promise<void> | undefined;
  close = (signal) => {
    closed ??= transport.close(signal);
    return closed;
  };
};

/** Sends a call; `outcome` resolves with its status, or with what it failed with and whether it was sent. */
const send = (of: typeof readOf) => {
  const caller = createTestCaller();
  const kept: Promise<void>[] = [];
  let isFree = false;
  const outcome = transport
    .send(of(caller, { keepConnection: (until) => void kept.push(until) }))
    .then(
      ({ status }) => [status],
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error;
        return [error.failure.reason, error.failure.inFlightMs !== undefined];
      },
    );
  void Promise.all(kept).then(() => {
    isFree = true;
  });
  return { outcome, leave: caller.leave, free: Promise.all(kept), isFree: () => isFree };
};

it('tells of a call that is given up whether it was sent', async () => {
  await start(() => silence);
  const first = send(writeOf);
  const second = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  second.leave('TimeoutError');
  first.leave();
  expect([await first.outcome, await second.outcome]).toEqual([
    ['aborted', true],
    ['timeout', false],
  ]);
  expect(backend.calls).toHaveLength(1);
});

it('waits longer for the answer to a write than for that to a read', async () => {
  await start(() => silence, { timeoutMs: 2000 });
  const write = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  // The one connection may have two calls, so the read has one of its own.
  const other = createTransport({
    ...{ baseUrl: backend.url, userAgent: 'test', timeoutMs: 2000, writeTimeoutMs: 180_000 },
    ...{ maxResponseBytes: 1_000, connections: 1 },
  });
  await expect(other.send(readOf(createTestCaller()))).rejects.toMatchObject({
    failure: { reason: 'timeout', cause: 'UND_ERR_HEADERS_TIMEOUT' },
  });
  await other.close(new AbortController().signal);
  write.leave();
  expect(await write.outcome).toEqual(['aborted', true]);
});

it('sends nothing for a caller who has left', async () => {
  await start(() => silence);
  const caller = createTestCaller();
  caller.leave();
  await expect(transport.send(readOf(caller))).rejects.toMatchObject({
    failure: { reason: 'aborted', inFlightMs: undefined },
  });
  expect(caller.calls.list()).toEqual([]);
});

it('tells of a connection that breaks that the call was sent', async () => {
  await start(() => reset);
  const { outcome, free } = send(writeOf);
  expect(await outcome).toEqual(['cut-off', true]);
  await free;
});

it('tells of a connection that is refused that the call was not sent', async () => {
  await start(() => reset);
  await backend.close();
  const gone = backend;
  backend = { ...gone, close: async () => undefined };
  const { outcome, free } = send(writeOf);
  expect(await outcome).toEqual(['unreachable', false]);
  await free;
});

it('keeps the connection of a write that is given up until the upstream has answered', async () => {
  const answer = Promise.withResolvers<Reaction>();
  await start(() => answer.promise);
  const { outcome, leave, free, isFree } = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  leave();
  expect(await outcome).toEqual(['aborted', true]);
  await settled();
  expect(isFree()).toBe(false);
  answer.resolve(json({ data: {} }));
  await free;
});

it('does not wait for the whole answer to a write that is given up', async () => {
  const answer = Promise.withResolvers<Reaction>();
  await start(() => answer.promise);
  const { outcome, leave, free } = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  leave();
  expect(await outcome).toEqual(['aborted', true]);
  answer.resolve(drip);
  await free;
  await expect.poll(() => backend.connections.open).toBe(0);
});

it('does not wait for the rest of an answer to a write that is given up', async () => {
  await start(() => drip);
  const { outcome, leave, free } = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  // The head of the answer has come by then.
  await pause(200);
  leave();
  expect(await outcome).toEqual(['aborted', true]);
  await free;
  await expect.poll(() => backend.connections.open).toBe(0);
});

it.each([
  ['silence', silence],
  ['informational answers', hint],
])(
  'closes the connection of a write that is given up after some seconds of %s',
  async (_, what) => {
    await start(() => what, { leftMs: 300 });
    const { outcome, leave, free } = send(writeOf);
    await expect.poll(() => backend.calls).toHaveLength(1);
    leave();
    expect(await outcome).toEqual(['aborted', true]);
    await free;
    await expect.poll(() => backend.connections.open).toBe(0);
  },
);

it.each([
  ['read', readOf],
  ['write', writeOf],
])('waits no longer for a %s that gets informational answers alone', async (_, of) => {
  await start(() => hint, { timeoutMs: 300, writeTimeoutMs: 300 });
  const { outcome, free } = send(of);
  expect(await outcome).toEqual(['timeout', true]);
  await free;
  await expect.poll(() => backend.connections.open).toBe(0);
});

it('takes the answer that comes after informational ones', async () => {
  await start(() => (response) => {
    response.writeEarlyHints({ link: '</>; rel=preload' }, () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
    });
  });
  const { outcome, free } = send(readOf);
  expect(await outcome).toEqual([200]);
  await free;
});

it('gives the connection of a read that is given up back as it closes it', async () => {
  await start(() => silence);
  const { outcome, leave, free } = send(readOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  leave();
  expect(await outcome).toEqual(['aborted', true]);
  await free;
  await expect.poll(() => backend.connections.open).toBe(0);
});

it('keeps the place of a call that is given up while it connects until that has ended', async () => {
  await start(() => silence);
  // Whatever is sent now is given up before its connection is there.
  const { outcome, leave, free, isFree } = send(readOf);
  leave();
  expect(await outcome).toEqual(['aborted', false]);
  expect(isFree()).toBe(false);
  await free;
  expect(backend.calls).toEqual([]);
});

it('leaves no listener at the signal of a call that has ended', async () => {
  await start(() => json({ data: [] }));
  const caller = createTestCaller();
  const listeners = new Set<unknown>();
  const { signal } = caller;
  const watched: Pick<AbortSignal, 'addEventListener' | 'removeEventListener'> = {
    addEventListener: (_: string, listener: unknown) => void listeners.add(listener),
    removeEventListener: (_: string, listener: unknown) => void listeners.delete(listener),
  };
  Object.assign(signal, watched);
  await transport.send(readOf(caller));
  expect(listeners.size).toBe(0);
});

it('closes at once, told so, though a write that is given up still waits for its answer', async () => {
  await start(() => silence);
  const { outcome, leave, free } = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  leave();
  expect(await outcome).toEqual(['aborted', true]);
  const deadline = new AbortController();
  const closed = close(deadline.signal);
  await settled();
  expect(backend.connections.open).toBe(1);
  deadline.abort();
  await closed;
  await free;
  await expect.poll(() => backend.connections.open).toBe(0);
});
