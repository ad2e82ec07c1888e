import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { type Answering, data, result, stackInTest } from '../support/harness.ts';

/** Sends each upstream one read, which no other request shares. */
const asking = (index: number): string => `{
  organization(organizationId: "0a9a0000-0000-4000-8000-0000000000${10 + index}") { name }
  alert(alertId: "a${index}") { name }
}`;
const answered = { data: { organization: { name: 'well' }, alert: { name: 'well' } } };

/** What that caller brings. */
const caller = (index: number) => ({
  'management-authorization': `Basic ${btoa(`key-${index}:secret`)}`,
  'observability-authorization': `Bearer token-${index}`,
});

/** Upstreams that hold the calls that `isHeld` says, until they are released, and count those that are given up. */
const start = async (config: Partial<Config>, isHeld: (authorization: unknown) => boolean) => {
  const released = Promise.withResolvers<void>();
  const held = { management: 0, observability: 0, givenUp: 0 };
  const answering: Answering = async ({ upstream, headers, onClose }) => {
    if (isHeld(headers.authorization)) {
      held[upstream] += 1;
      onClose(() => {
        held.givenUp += 1;
      });
      await released.promise;
    }
    const answer = { id: 'a1', name: 'well' };
    return upstream === 'management' ? result(answer) : data(answer);
  };
  const stack = await stackInTest({ management: answering, observability: answering, config });
  const ask = async (index: number, as: number) => {
    const headers = { ...caller(as), 'cache-control': 'no-cache' };
    return (await stack.query(asking(index), { headers })).body;
  };
  const times = (count: number, as: (index: number) => number) =>
    Array.from({ length: count }, (_, index) => ask(index, as(index)));
  const holds = (count: number) =>
    expect.poll(() => held).toEqual({ management: count, observability: count, givenUp: 0 });
  return { stack, holds, ask, times, release: released.resolve };
};

it('one caller has a quarter of the connections, and another one is answered meanwhile', async () => {
  const own: readonly unknown[] = Object.values(caller(0));
  const { stack, holds, ask, times, release } = await start({}, (value) => own.includes(value));
  const all = times(80, () => 0);
  await holds(16);
  expect(await ask(0, 1)).toEqual(answered);
  expect(stack.calls).toHaveLength(34);
  release();
  expect(await Promise.all(all)).toEqual(Array(80).fill(answered));
});

it('requests with invented credentials, which are not answered, take nothing from one that has had a success', async () => {
  const team: readonly unknown[] = Object.values(caller(0));
  const config = { upstreamConnections: 16, operationTimeoutMs: 600_000 };
  const { holds, ask, times, release } = await start(config, (value) => !team.includes(value));
  expect(await ask(0, 0)).toEqual(answered);
  const invented = times(100, (index) => 1 + index);
  // All connections that are not for proven credentials are taken, and the other calls wait.
  await holds(12);
  for (const index of [1, 2, 3]) expect(await ask(index, 0)).toEqual(answered);
  await holds(12);
  release();
  await Promise.all(invented);
});
