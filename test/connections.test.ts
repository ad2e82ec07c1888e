import { afterEach, expect, it } from 'vitest';
import { type FaultGateway, startFaultGateway } from './fault-gateway.ts';
import { organizationId, well } from './fault-stack.ts';

let gateway: FaultGateway;
afterEach(() => gateway.close());

/** Asks both upstreams once, by reads that are equal to no others. */
const asking = (index: number): string => `{
  organization(id: "${organizationId.slice(0, -2)}${10 + index}") { name }
  alert(id: "a${index}") { name }
}`;

it('no more connections than are allowed are open to an upstream, and nobody goes without', async () => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = { management: 0, observability: 0 };
  const hold = async (upstream: keyof typeof held) => {
    held[upstream] += 1;
    if (held.management >= 3 && held.observability >= 3) arrived.resolve();
    await released.promise;
    return well(upstream);
  };
  gateway = await startFaultGateway(
    {
      management: () => hold('management'),
      observability: () => hold('observability'),
    },
    { upstreamConnections: 3 },
  );
  const { query, management, observability } = gateway;
  const answers = Array.from({ length: 20 }, (_, index) => query(asking(index)));
  await arrived.promise;
  await query('{ __typename }');
  expect(held).toEqual({ management: 3, observability: 3 });
  released.resolve();
  for (const answer of answers) {
    expect(await answer).toEqual({
      data: { organization: { name: 'well' }, alert: { name: 'well' } },
    });
  }
  for (const { calls, connections } of [management, observability]) {
    expect(calls).toHaveLength(20);
    expect(connections.most).toBe(3);
  }
});

it('64 are allowed where nothing else is said', async () => {
  const released = Promise.withResolvers<void>();
  const full = Promise.withResolvers<void>();
  let held = 0;
  gateway = await startFaultGateway({
    management: async () => {
      held += 1;
      if (held === 64) full.resolve();
      await released.promise;
      return well('management');
    },
    observability: () => well('observability'),
  });
  const { query, management } = gateway;
  const answers = Array.from({ length: 80 }, (_, index) => query(asking(index)));
  await full.promise;
  released.resolve();
  for (const answer of answers) expect((await answer).errors).toBeUndefined();
  expect(management.calls).toHaveLength(80);
  expect(management.connections.most).toBe(64);
});
