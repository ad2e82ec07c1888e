import { expect, it, onTestFinished } from 'vitest';
import '../../support/undici-timer.ts';
import { paced, startStack } from '../../support/harness.ts';
import { createExactUpstream, mostWithin } from '../../support/pacing/exact-upstream.ts';
import { stopTime } from '../../support/pacing/time.ts';
import {
  count,
  createCallers,
  createOrganization,
  overIn,
  pause,
  pipeWrites,
  rate,
  servicePath,
  slowestOf,
  watchPipe,
  wholeShare,
  writesAmong,
} from '../../support/rest/callers.ts';
import { subscribe } from '../../support/subscribe.ts';

// Minutes of a clock that the test holds: what is shown depends on no machine.

const start = async (services: number) => {
  const organization = createOrganization(services);
  const upstream = createExactUpstream(rate, 60, organization.answering, pause);
  const stack = await startStack({
    management: upstream.answering,
    config: { ...paced, rest: 'write' },
  });
  onTestFinished(stack.close);
  return {
    ...{ become: organization.become, stack },
    ...createCallers(() => stack.url),
    keepsTheLimit: (): void => {
      expect(upstream.refused).toEqual([]);
      for (const times of upstream.counted.values()) {
        expect(mostWithin(rate.windowMs, times)).toBeLessThanOrEqual(rate.calls);
      }
    },
  };
};

const reads = count(40, (each) => ['GET', `${servicePath(each)}/backupConfiguration`] as const);

it('a plan of 40 reads beside a viewer and a writer for three minutes', async () => {
  const clock = stopTime();
  const [own, without] = [await start(8), await start(8)];
  const watch = async ({ view, write }: typeof own, beside: () => Promise<unknown> | undefined) => {
    const isOver = overIn(180);
    const views = view(isOver);
    await pause(15_000);
    const working = beside();
    const writes = await write(isOver);
    await working;
    return { views: await views, writes };
  };
  let plan: Awaited<ReturnType<typeof own.inParallel>> | undefined;
  const [seen, alone] = await clock.until(
    Promise.all([
      watch(own, async () => {
        plan = await own.inParallel(reads);
      }),
      watch(without, () => undefined),
    ]),
  );
  expect(plan?.all.filter(({ status }) => status === 200)).toHaveLength(reads.length);
  expect(plan?.seconds).toBeLessThan(90);
  expect(wholeShare(seen.views)).toBeGreaterThanOrEqual(0.9 * wholeShare(alone.views));
  for (const write of seen.writes) expect(write).toMatchObject({ status: 200, errors: 0 });
  expect(slowestOf(seen.writes)).toBeLessThan(2);
  expect(writesAmong(own.stack.calls)).toEqual(pipeWrites(seen.writes.length));
  own.keepsTheLimit();
});

it('ten scripts that read in a loop for five minutes starve neither a fleet that fills nor a stream', async () => {
  const clock = stopTime();
  const own = await start(30);
  const isOver = overIn(300);
  const stream = await clock.until(subscribe(own.stack.url, watchPipe));
  onTestFinished(stream.leave);
  await clock.until(stream.event(1));
  let answered = 0;
  const loop = async (script: number): Promise<void> => {
    for (let turn = 0; !isOver(); turn += 1) {
      const target = `${servicePath(100 * turn + script)}/backupConfiguration`;
      const { status, retryAfter } = await own.call('GET', target);
      if (status === 200) answered += 1;
      else expect([status, retryAfter > 0]).toEqual([429, true]);
      // Impatient: it does not wait as long as it is told.
      await pause(status === 200 ? 0 : 1000);
    }
  };
  const loops = Promise.all(count(10, loop));
  const viewing = own.view(isOver);
  for (const state of ['Stopping', 'Stopped']) {
    await clock.until(pause(100_000));
    const { length } = stream.events;
    own.become(state);
    const event = await clock.until(stream.event(length + 1));
    expect(event.data.pipe.state).toBe(state);
  }
  const views = await clock.until(viewing);
  await clock.until(loops);
  const renewed = new Map<string, number>();
  for (const { path } of own.stack.calls) {
    if (path.endsWith('/pipes')) renewed.set(path, (renewed.get(path) ?? 0) + 1);
  }
  // Within a minute and a half at the latest, and always from then on.
  expect(wholeShare(views.slice(18))).toBe(1);
  expect(renewed.size).toBe(30);
  expect(Math.min(...renewed.values())).toBeGreaterThan(2);
  expect(answered).toBeGreaterThan(60);
  own.keepsTheLimit();
});

it('an apply of 100 writes leaves pages whole, and each write is carried out once', async () => {
  const clock = stopTime();
  const own = await start(8);
  const state = { isOver: false };
  const views = own.view(() => state.isOver);
  await clock.until(pause(15_000));
  const targets = count(100, (each) => `${servicePath(each)}/scaling`);
  const writes = targets.map((each) => ['PATCH', each, '{"numReplicas":3}'] as const);
  const { all } = await clock.until(own.inParallel(writes));
  state.isOver = true;
  const seen = await clock.until(views);
  expect(wholeShare(seen)).toBe(1);
  expect(all.filter(({ status }) => status === 200)).toHaveLength(100);
  expect(writesAmong(own.stack.calls)).toEqual(targets.map((each) => `PATCH ${each}`).toSorted());
  own.keepsTheLimit();
});
