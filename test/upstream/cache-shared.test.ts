import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { answerWith, startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Request } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);

let world: World;
beforeEach(() => {
  world = startWorld();
});
afterEach(() => world.close());

const caller = { management: 'Basic b25lOnNlY3JldA==', observability: 'Bearer one' };
const other = { management: 'Basic dHdvOnNlY3JldA==', observability: 'Bearer two' };
const organizations = ({ management }: Request) => management.listOrganizations();
const rename = ({ management }: Request) =>
  management.updateOrganization(
    { organizationId: '0a9a0000-0000-4000-8000-000000000001' },
    { name: 'new' },
  );
const alerts = ({ observability }: Request) => observability.listAlerts();
const replace = ({ observability }: Request) =>
  observability.replaceAlert({ alertId: 'a1' }, { name: 'new' });

type Does = (request: Request) => Promise<unknown>;

/** How many calls of a read are sent when one is under way as a write by another succeeds, or fails, and another begins after. */
const readBeside = async (read: Does, write: Does, status: number) => {
  const { ask, answerNext, clock, until, calls } = world;
  answerNext(
    (received) =>
      received.answer({ error: 'no', message: 'no', status, result: {}, data: {} }, status),
    (received) => setTimeout(() => received.answer({ status: 200, result: [], data: [] }), 1000),
  );
  const writing = write(ask(other)).catch(() => undefined);
  const before = read(ask(caller));
  await until(writing);
  const after = read(ask(caller));
  await clock.advance(2000);
  await Promise.all([before, after]);
  return calls().filter((call) => call.startsWith('GET')).length;
};

describe("another credential's write", () => {
  it('ends the sharing of reads in management when it has succeeded', async () => {
    expect(await readBeside(organizations, rename, 200)).toBe(2);
  });

  it.each([401, 404, 500])('does not end it when it fails with %i', async (status) => {
    expect(await readBeside(organizations, rename, status)).toBe(1);
  });

  it('does not end it in observability', async () => {
    expect(await readBeside(alerts, replace, 200)).toBe(1);
  });
});

describe('a read under way', () => {
  it.each([
    ['of its own credential, that succeeds', caller, rename, 200, organizations, 2],
    ['of its own credential, that fails', caller, rename, 404, organizations, 2],
    ['of another, that succeeds', other, rename, 200, organizations, 2],
    ['of another, that fails', other, rename, 404, organizations, 1],
    ['of its own token, that succeeds', caller, replace, 200, alerts, 2],
    ['of another token, that succeeds', other, replace, 200, alerts, 1],
  ] as const)(
    'is handed to those who wait for it, and kept or not, where it was sent before the end of a write %s',
    async (_, writer, write, status, read, reads) => {
      const { ask, answerNext, clock, once, until, calls } = world;
      answerNext(
        (received) => received.answer({ status, error: 'no', result: {}, data: {} }, status),
        (received) => setTimeout(() => received.answer({ status: 200, result: [], data: [] }), 200),
      );
      const writing = write(ask(writer)).catch(() => undefined);
      await clock.advance(10);
      const waiting = read(ask(caller));
      await until(writing);
      expect(await until(waiting, 300)).toEqual([]);
      await once(caller, read);
      expect(calls().filter((call) => call.startsWith('GET'))).toHaveLength(reads);
    },
  );

  it('is shared between spellings of one credential', async () => {
    const { ask, until, calls } = world;
    const spellings = ['Bearer one', 'bearer one', 'Bearer  one'];
    await until(Promise.all(spellings.map((observability) => alerts(ask({ observability })))));
    expect(calls()).toHaveLength(1);
  });

  it('is not joined by who asks for what is read after that, but joins those who ask so', async () => {
    const { ask, clock, until, calls } = world;
    const before = alerts(ask(caller));
    await clock.advance(10);
    const asking = ask({ ...caller, maxAge: 0 });
    await clock.advance(10);
    const after = [alerts(asking), alerts(ask(caller)), alerts(asking)];
    const lists = await until(Promise.all([before, ...after]));
    // Whatever comes first serves all for whom it counts.
    expect(lists.map(([alert]) => alert?.name)).toEqual(
      [1, 2, 1, 2].map((number) => `Bearer one ${number}`),
    );
    expect(calls()).toHaveLength(2);
  });

  it('is not kept where one that was sent later has been answered before', async () => {
    const { ask, answerNext, clock, once, until, calls } = world;
    answerNext((received, number) => setTimeout(() => answerWith(received, number), 200));
    const slow = alerts(ask(caller));
    await clock.advance(10);
    const later = await once({ ...caller, maxAge: 0 }, alerts);
    // It has served who waited for the earlier one, too.
    expect(await until(slow, 0)).toEqual(later);
    expect(await until(alerts(ask(caller)), 0)).toEqual(later);
    expect(calls()).toHaveLength(2);
  });

  it('is joined where it is no older than its joiner allows', async () => {
    const { ask, clock, until, calls } = world;
    const before = alerts(ask(caller));
    await clock.advance(10);
    await until(Promise.all([before, alerts(ask({ ...caller, maxAge: 1 }))]));
    expect(calls()).toHaveLength(1);
  });

  it('that waits for its turn is joined by all, whatever writes and wishes come before it is sent', async () => {
    await world.close();
    world = startWorld({ observabilityRate: { calls: 1, windowMs: 4000 } });
    const { ask, clock, once, until, calls } = world;
    await once(caller, ({ observability }) => observability.listDashboards());
    calls();
    const first = alerts(ask(caller));
    await clock.advance(10);
    const joined = alerts(ask({ ...caller, maxAge: 0 }));
    const writing = replace(ask(caller));
    await clock.advance(5000);
    await writing;
    const later = alerts(ask(caller));
    await until(Promise.all([first, joined, later]), 5000);
    expect(calls()).toEqual(['PUT /api/v2/alerts/a1', 'GET /api/v2/alerts']);
  });
});
