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
    ...{ baseUrl: backend.url, userAgent: 'test', timeoutMs: 30_000, writeTimeoutMs: 180_000 },
    ...{ maxResponseBytes: 1_000, connections: 1, ...options },
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
  const free = Promise.all(kept);
  void free.then(() => {
    isFree = true;
  });
  return { outcome, leave: caller.leave, free, isFree: () => isFree };
};

/** A call that has arrived, and whose caller has left. */
const leave = async (of: typeof readOf) => {
  const sent = send(of);
  await expect.poll(() => backend.calls).toHaveLength(1);
  sent.leave();
  expect(await sent.outcome).toEqual(['aborted', true]);
  return sent;
};

const untilClosed = () => expect.poll(() => backend.connections.open).toBe(0);

it('tells of a call that is given up whether it was sent', async () => {
  await start(() => silence);
  const first = send(writeOf);
  const second = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  second.leave('TimeoutError');
  first.leave();
  expect(await Promise.all([first.outcome, second.outcome])).toEqual([
    ...[
      ['aborted', true],
      ['timeout', false],
    ],
  ]);
  expect(backend.calls).toHaveLength(1);
});

it('waits longer for the answer to a write than for that to a read', async () => {
  await start(() => silence, { timeoutMs: 300, connections: 2 });
  const write = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  expect(await send(readOf).outcome).toEqual(['timeout', true]);
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

it('tells of a connection that breaks that the call was sent, and of one that is refused that it was not', async () => {
  await start(() => reset);
  const broken = send(writeOf);
  expect(await broken.outcome).toEqual(['cut-off', true]);
  await broken.free;
  await backend.close();
  backend = { ...backend, close: async () => undefined };
  const refused = send(writeOf);
  expect(await refused.outcome).toEqual(['unreachable', false]);
  await refused.free;
});

it('keeps the connection of a write that is given up until the upstream has answered', async () => {
  const answer = Promise.withResolvers<Reaction>();
  await start(() => answer.promise);
  const { free, isFree } = await leave(writeOf);
  await settled();
  expect(isFree()).toBe(false);
  answer.resolve(json({ data: {} }));
  await free;
});

it('does not wait for the whole of that answer', async () => {
  const answer = Promise.withResolvers<Reaction>();
  await start(() => answer.promise);
  const { free } = await leave(writeOf);
  answer.resolve(drip);
  await free;
  await untilClosed();
});

it('does not wait for the rest of an answer that had begun', async () => {
  const begin: Reaction = (response) => response.writeHead(200).write(' ');
  await start(({ method }) => (method === 'GET' ? json({ data: [] }) : begin), { connections: 2 });
  const write = send(writeOf);
  await expect.poll(() => backend.calls).toHaveLength(1);
  // The head of its answer has come once a later call is answered.
  expect(await send(readOf).outcome).toEqual([200]);
  write.leave();
  expect(await write.outcome).toEqual(['aborted', true]);
  await write.free;
});

it.each([
  ['silence', silence],
  ['informational answers', hint],
])('closes it after some seconds of %s', async (_, what) => {
  await start(() => what, { leftMs: 300 });
  await (await leave(writeOf)).free;
  await untilClosed();
});

it.each([
  ['read', readOf],
  ['write', writeOf],
])('waits no longer for a %s that gets informational answers alone', async (_, of) => {
  await start(() => hint, { timeoutMs: 300, writeTimeoutMs: 300 });
  const { outcome, free } = send(of);
  expect(await outcome).toEqual(['timeout', true]);
  await free;
  await untilClosed();
});

it('takes the answer that comes after informational ones', async () => {
  await start(() => (response) => {
    response.writeEarlyHints({ link: '</>; rel=preload' }, () => {
      response.writeHead(200, { 'content-type': 'application/json' }).end('{"data":[]}');
    });
  });
  expect(await send(readOf).outcome).toEqual([200]);
});

it('gives the connection of a read that is given up back as it closes it', async () => {
  await start(() => silence);
  await (await leave(readOf)).free;
  await untilClosed();
});

it('keeps the place of a call that is given up while it connects until that has ended', async () => {
  await start(() => silence);
  // Whatever is sent now is given up before its connection is there.
  const sent = send(readOf);
  sent.leave();
  expect(await sent.outcome).toEqual(['aborted', false]);
  expect(sent.isFree()).toBe(false);
  await sent.free;
  expect(backend.calls).toEqual([]);
});

it('leaves no listener at the signal of a call that has ended', async () => {
  await start(() => json({ data: [] }));
  const caller = createTestCaller();
  const listeners = new Set<unknown>();
  const watched: Pick<AbortSignal, 'addEventListener' | 'removeEventListener'> = {
    addEventListener: (_: string, listener: unknown) => void listeners.add(listener),
    removeEventListener: (_: string, listener: unknown) => void listeners.delete(listener),
  };
  Object.assign(caller.signal, watched);
  await transport.send(readOf(caller));
  expect(listeners.size).toBe(0);
});

it('closes at once, told so, though a write that is given up still waits for its answer', async () => {
  await start(() => silence);
  const { free } = await leave(writeOf);
  const deadline = new AbortController();
  const closed = close(deadline.signal);
  await settled();
  expect(backend.connections.open).toBe(1);
  deadline.abort();
  await closed;
  await free;
  await untilClosed();
});
