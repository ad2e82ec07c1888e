import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerWith, startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Request } from '../support/upstream/simulated.ts';
import type { Received } from '../support/upstream/simulated-transport.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);
vi.mock('node:timers/promises', () => import('../support/upstream/timers-promises.ts'));

let world: World;
afterEach(() => world.close());

const token = { observability: 'Bearer token' };
const otherToken = { observability: 'Bearer other' };
const alerts = ({ observability }: Request) => observability.listAlerts();
const replaceAlert = ({ observability }: Request) =>
  observability.replaceAlert({ alertId: 'a1' }, { name: 'new' });
/** One call a minute: whoever has made one cannot make another in time. */
const oneCall = { observabilityRate: { calls: 1, windowMs: 60_000 } };

const refused = { failure: { reason: 'no-slot' } };

describe("another token's write in observability", () => {
  beforeEach(() => {
    world = startWorld(oneCall);
  });

  it('leaves what was kept while it is fresh, and has it not shown when it is stale', async () => {
    const { once, clock } = world;
    const read = await once(token, alerts);
    await once(otherToken, replaceAlert);
    expect(await once(token, alerts, 0)).toEqual(read);
    await clock.advance(3000);
    await expect(once(token, alerts)).rejects.toMatchObject(refused);
  });

  it('leaves what was kept to be shown stale where it fails', async () => {
    const { once, clock, answerNext } = world;
    const read = await once(token, alerts);
    answerNext((received) => received.answer({ message: 'no' }, 404));
    await expect(once(otherToken, replaceAlert)).rejects.toThrow();
    await clock.advance(3000);
    expect(await once(token, alerts, 0)).toEqual(read);
  });

  it.each([
    ['is waited for by who began it', false],
    ['was joined after the write, and left by who began it', true],
  ])('has a read not shown stale that was sent before and %s', async (_, isLeft) => {
    const { ask, clock, once, answerNext, until } = world;
    const slowly = (received: Received, number: number) => {
      setTimeout(() => answerWith(received, number), 1000);
    };
    answerNext(slowly);
    const first = ask(token);
    const reading = alerts(first).catch(() => undefined);
    await clock.advance(10);
    await once(otherToken, replaceAlert);
    const joined = alerts(ask(token));
    await clock.advance(10);
    if (isLeft) first.leave();
    const read = await until(joined, 2000);
    await reading;
    expect(await once(token, alerts, 0)).toEqual(read);
    await clock.advance(3000);
    await expect(once(token, alerts)).rejects.toMatchObject(refused);
  });
});
