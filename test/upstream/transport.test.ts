import { afterEach, expect, it } from 'vitest';
import { CancellationSource } from '../../src/upstream/cancellation.ts';
import { createTransport, reasonOf, type Transport } from '../../src/upstream/transport.ts';
import { type FaultBackend, reset, silence, startFaultBackend } from '../fault-backend.ts';

let backend: FaultBackend;
let transport: Transport;
afterEach(async () => {
  await Promise.all([transport.close(), backend.close()]);
});

const start = async (react: Parameters<typeof startFaultBackend>[0]): Promise<void> => {
  backend = await startFaultBackend(react);
  transport = createTransport({
    baseUrl: backend.url,
    timeoutMs: 30_000,
    maxResponseBytes: 1_000,
    connections: 1,
  });
};

/**
 * Sends a write; `failed` resolves with what it failed with, and whether it was sent; `ended` once its connection is
 * free again.
 */
const post = () => {
  const cancellation = new CancellationSource();
  const { promise: ended, resolve: end } = Promise.withResolvers<void>();
  const failed = new Promise<readonly [reason: string, sent: boolean]>((resolve, reject) => {
    const receiver = {
      answered: reject,
      failed: (error: unknown, inFlightMs: number | undefined) => {
        const sent = inFlightMs !== undefined;
        resolve([reasonOf(error, sent), sent]);
      },
    };
    const request = { method: 'POST', path: '/', headers: [], body: '{}' } as const;
    transport.send(request, cancellation, receiver, { end });
  });
  return { failed, ended, cancel: () => cancellation.cancel('late') };
};

it('tells of a call that is given up whether it was sent', async () => {
  await start(() => silence);
  const first = post();
  const second = post();
  await expect.poll(() => backend.calls).toHaveLength(1);
  second.cancel();
  first.cancel();
  expect([await first.failed, await second.failed]).toEqual([
    ['timeout', true],
    ['timeout', false],
  ]);
  await Promise.all([first.ended, second.ended]);
  expect(backend.calls).toHaveLength(1);
});

it('tells of a connection that breaks that the call was sent', async () => {
  await start(() => reset);
  const { failed, ended } = post();
  expect(await failed).toEqual(['cut-off', true]);
  await ended;
});

it('tells of a connection that is refused that the call was not sent', async () => {
  await start(() => reset);
  await backend.close();
  const gone = backend;
  backend = { ...gone, close: async () => undefined };
  expect(await post().failed).toEqual(['unreachable', false]);
});
