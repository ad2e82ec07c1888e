import { afterEach, expect, it } from 'vitest';
import {
  type FaultGateway,
  organizationId,
  startFaultGateway,
  well,
} from '../support/faults/stack.ts';

let gateway: FaultGateway;
afterEach(() => gateway.close());

/** Asks both upstreams once, by reads that are equal to no others. */
const asking = (index: number): string => `{
  organization(id: "${organizationId.slice(0, -2)}${10 + index}") { name }
  alert(id: "a${index}") { name }
}`;

/** What that caller brings. */
const caller = (index: number) => ({
  'management-authorization': `Basic ${btoa(`key-${index}:secret`)}`,
  'observability-authorization': `Bearer token-${index}`,
});

const answered = { data: { organization: { name: 'well' }, alert: { name: 'well' } } };

/** Backends that hold the calls that `isHeld` says, until they are released. */
const start = async (
  expected: number,
  config: Parameters<typeof startFaultGateway>[1],
  isHeld = (_: string | undefined): boolean => true,
) => {
  const arrived = Promise.withResolvers<void>();
  const released = Promise.withResolvers<void>();
  const held = { management: 0, observability: 0 };
  const hold = async (upstream: keyof typeof held, authorization: string | undefined) => {
    if (!isHeld(authorization)) return well(upstream);
    held[upstream] += 1;
    if (held.management >= expected && held.observability >= expected) arrived.resolve();
    await released.promise;
    return well(upstream);
  };
  gateway = await startFaultGateway(
    {
      management: ({ authorization }) => hold('management', authorization),
      observability: ({ authorization }) => hold('observability', authorization),
    },
    config,
  );
  return { held, arrived: arrived.promise, release: released.resolve };
};

it.each<readonly [string, { upstreamConnections?: number }, number]>([
  ['3, where 3 are allowed,', { upstreamConnections: 3 }, 3],
  ['48, the share of credentials that are not proven of 64,', {}, 48],
])('no more than %s are open to an upstream, and nobody goes without', async (_, config, most) => {
  const { held, arrived, release } = await start(most, config);
  const { query, management, observability } = gateway;
  const answers = Array.from({ length: 80 }, (_, index) => query(asking(index), caller(index)));
  await arrived;
  await query('{ __typename }');
  expect(held).toEqual({ management: most, observability: most });
  release();
  for (const answer of answers) expect(await answer).toEqual(answered);
  for (const { calls, connections } of [management, observability]) {
    expect(calls).toHaveLength(80);
    // Those that were answered are proven, and may have the others.
    expect(connections.most).toBeLessThanOrEqual(config.upstreamConnections ?? 64);
  }
});

it('one caller has a quarter of them, and another one is answered meanwhile', async () => {
  const first = caller(0);
  const { held, arrived, release } = await start(16, {}, (authorization) =>
    Object.values(first).includes(authorization ?? ''),
  );
  const { query, management, observability } = gateway;
  const answers = Array.from({ length: 80 }, (_, index) => query(asking(index), first));
  await arrived;
  expect(await query(asking(0), caller(1))).toEqual(answered);
  expect(held).toEqual({ management: 16, observability: 16 });
  release();
  for (const answer of answers) expect(await answer).toEqual(answered);
  for (const { calls } of [management, observability]) expect(calls).toHaveLength(81);
});
