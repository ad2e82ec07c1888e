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
    maxQueued: 10,
  });
};

/** Sends a write; `failed` resolves with what it failed with, and whether it was sent. */
const post = () => {
  const cancellation = new CancellationSource();
  const failed = new Promise<readonly [reason: string, sent: boolean]>((resolve, reject) => {
    transport.send({ method: 'POST', path: '/', headers: [], body: '{}' }, cancellation, {
      answered: reject,
      failed: (error, inFlightMs) => {
        const sent = inFlightMs !== undefined;
        resolve([reasonOf(error, sent), sent]);
      },
    });
  });
  return { failed, cancel: () => cancellation.cancel('late') };
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
  expect(backend.calls).toHaveLength(1);
});

it('tells of a connection that breaks that the call was sent', async () => {
  await start(() => reset);
  expect(await post().failed).toEqual(['cut-off', true]);
});

it('tells of a connection that is refused that the call was not sent', async () => {
  await start(() => reset);
  await backend.close();
  const gone = backend;
  backend = { ...gone, close: async () => undefined };
  expect(await post().failed).toEqual(['unreachable', false]);
});
