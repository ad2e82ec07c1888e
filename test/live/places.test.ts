import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createLiveWorld,
  openLive,
  organizationId,
  pipePath,
  pipeQuery,
  pipeSubscription,
  pipesSubscription,
  servicePath,
  type startLive,
} from '../support/live-world.ts';
import { holdTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import type { Subscription } from '../support/subscribe.ts';

const rejections: unknown[] = [];
const note = (reason: unknown): void => void rejections.push(reason);
beforeEach(() => process.on('unhandledRejection', note));
afterEach(() => {
  process.off('unhandledRejection', note);
  expect(rejections.splice(0)).toEqual([]);
});

const keyOf = (name: string) => ({ 'management-authorization': `Basic ${btoa(`${name}:secret`)}` });
/** Lets all requests arrive that are on their way. */
const arrived = () => new Promise((resolve) => setTimeout(resolve, 100));
const refusalOf = async (subscription: Promise<Subscription>) => {
  const { ended, events } = await subscription;
  await ended;
  return events[0];
};
const exceeded = (allowed: number, more = {}) => ({
  errors: [{ extensions: { code: 'LIMIT_EXCEEDED', limit: 'streams', allowed, ...more } }],
});

const openPlaces = async (options: Parameters<typeof startLive>[0] = {}) => {
  const live = await openLive({
    ...options,
    config: { managementRate: undefined, ...options.config },
  });
  const openAs = (name: string, query = pipeSubscription()) => live.open(query, keyOf(name));
  return {
    ...live,
    openAs,
    several: (count: number, name: string) => Array.from({ length: count }, () => openAs(name)),
    count: () => live.gateway.streams().streams,
    counted: (count: number) => until(() => live.gateway.streams().streams === count),
  };
};
/** Calls to management are answered as the world has it, once they are let go. */
const openHeld = async (options: Parameters<typeof startLive>[0] = {}) => {
  const world = createLiveWorld();
  let held = Promise.withResolvers<void>();
  const places = await openPlaces({
    ...options,
    management: async (call) => {
      await held.promise;
      return world.management(call);
    },
  });
  const hold = () => {
    held = Promise.withResolvers();
  };
  return { ...places, world, hold, letGo: () => held.resolve() };
};

describe('of a credential without a success', () => {
  it('four streams are open, and all others once the first has its answer', async () => {
    const { letGo, several, count, counted } = await openHeld();
    const all = several(20, 'new');
    await counted(4);
    await arrived();
    expect(count()).toBe(4);
    letGo();
    for (const each of await Promise.all(all)) {
      expect(await each.event(1)).toEqual({ data: { pipe: { name: 'pipe 0', state: 'Running' } } });
    }
    expect(count()).toBe(20);
  });

  it('all end, and none is opened, once the upstream has refused it', async () => {
    const { letGo, world, openAs, counted, count, calls } = await openHeld();
    const paths = [servicePath, `${servicePath}/pipes`, ...[0, 1, 2].map(pipePath)];
    for (const path of paths) world.fail(`GET ${path}`, 401);
    const all = Array.from({ length: 20 }, (_, index) =>
      openAs('wrong', pipeSubscription(index % 3)),
    );
    await counted(4);
    letGo();
    for (const { ended, events } of await Promise.all(all)) {
      await ended;
      expect(events.at(-1)).toMatchObject({
        errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
        extensions: { ended: 'credential refused' },
      });
    }
    expect(count()).toBe(0);
    // What was sent for streams that have ended is finished.
    await until(() => calls.length === 3);
    expect((await refusalOf(openAs('wrong'))).errors).toMatchObject([
      { message: 'management has just refused this credential.' },
    ]);
    expect(calls).toHaveLength(3);
  });

  it('one that waits is refused when its time is up, and may be tried again', async () => {
    const { several, openAs, counted } = await openHeld({ config: { operationTimeoutMs: 400 } });
    several(4, 'new');
    await counted(4);
    const refusal = await refusalOf(openAs('new'));
    expect(refusal).toMatchObject(exceeded(4, { retryable: true, retryAfterSeconds: 5 }));
    expect(refusal.errors[0].message).toMatch(/which management has not accepted yet: at most 4/);
    expect(refusal.extensions).toBeUndefined();
  });

  it('one that waits is opened when another ends, and takes no place once its client has left', async () => {
    const { several, openAs, count, url } = await openHeld({
      config: { maxStreamsPerCredential: 6 },
    });
    const [first] = await Promise.all(several(4, 'new'));
    const gone = new AbortController();
    const leaves = fetch(url, {
      method: 'POST',
      headers: { ...keyOf('new'), accept: 'text/event-stream', 'content-type': 'application/json' },
      body: JSON.stringify({ query: pipeSubscription() }),
      signal: gone.signal,
    });
    await arrived();
    const waits = openAs('new');
    await arrived();
    expect(await refusalOf(openAs('new'))).toMatchObject(exceeded(6));
    gone.abort();
    await expect(leaves).rejects.toThrow();
    await arrived();
    first?.leave();
    await waits;
    expect(count()).toBe(4);
  });

  it('those that wait are complete when the gateway stops', async () => {
    const { letGo, several, counted, gateway } = await openHeld();
    const opened = several(6, 'new');
    await counted(4);
    await arrived();
    const closed = gateway.close();
    for (const each of await Promise.all(opened)) {
      await each.ended;
      expect(each.isComplete).toBe(true);
    }
    letGo();
    await closed;
  });

  it('all together leave a quarter of the places to others, and give way to them', async () => {
    const { letGo, hold, query, several, openAs, count } = await openHeld({
      config: { maxStreams: 8 },
    });
    letGo();
    expect((await query(pipeQuery, { headers: keyOf('known') })).body.errors).toBeUndefined();
    hold();
    const [first, ...others] = [
      ...(await Promise.all(several(4, 'one'))),
      ...(await Promise.all(several(2, 'two'))),
    ];
    expect(await refusalOf(openAs('three'))).toMatchObject(exceeded(6, { retryable: true }));
    await Promise.all(several(2, 'known'));
    expect(count()).toBe(8);
    await openAs('known');
    await first?.ended;
    expect([first?.isComplete, first?.events, count()]).toEqual([true, [], 8]);
    await Promise.all(several(5, 'known'));
    await Promise.all(others.map((each) => each.ended));
    expect(await refusalOf(openAs('known'))).toMatchObject(exceeded(8));
  });
});

describe('a credential that the upstream has refused', () => {
  const refused = 'management has just refused this credential.';

  it.each(['some seconds', 'a success'])('is refused at once, until %s later', async (later) => {
    const time = holdTime();
    onTestFinished(time.release);
    const { world, query, open, calls } = await openLive();
    world.fail(`GET ${pipePath()}`, 401);
    await query(pipeQuery);
    world.fail(`GET ${pipePath()}`, undefined);
    expect((await refusalOf(open())).extensions).toEqual({ ended: 'credential refused' });
    expect(calls).toHaveLength(1);
    // A stream of the other credential is left alone.
    const alerts = await open('subscription { alerts { name } }');
    expect((await alerts.event(1)).errors).toBeUndefined();
    if (later === 'a success') await query(pipeQuery);
    else time.pass(10);
    expect((await (await open()).event(1)).data.pipe.state).toBe('Running');
  });

  it('is asked for once more where it was accepted before', async () => {
    const { world, query, open } = await openLive();
    const noCache = { headers: { 'cache-control': 'no-cache' } };
    await query(pipeQuery);
    world.fail(`GET ${pipePath()}`, 401);
    await query(pipeQuery, noCache);
    expect((await refusalOf(open())).errors[0].message).not.toBe(refused);
    expect((await refusalOf(open())).errors[0].message).toBe(refused);
    world.fail(`GET ${pipePath()}`, undefined);
    await query(pipeQuery, noCache);
    expect((await (await open()).event(1)).data.pipe.state).toBe('Running');
  });
});

describe('the bounds on streams', () => {
  it('leave room for others where one credential has the 200 that it may by default', async () => {
    const { several, openAs } = await openPlaces();
    const streams = await Promise.all(several(200, 'one'));
    await Promise.all(streams.map((stream) => stream.event(1)));
    expect(await refusalOf(openAs('one'))).toMatchObject(exceeded(200));
    expect((await (await openAs('other')).event(1)).errors).toBeUndefined();
  });

  it('hold for a credential, however it is spelt, and for all; one that has ended gives its place back', async () => {
    const { openAs, open, counted } = await openPlaces({
      config: { maxStreams: 3, maxStreamsPerCredential: 2 },
    });
    const spelt = `basic  ${btoa('key:secret').replaceAll('=', '')}`;
    const one = await openAs('key');
    const two = await open(pipeSubscription(), { 'management-authorization': spelt });
    await Promise.all([one.event(1), two.event(1)]);
    expect(await refusalOf(openAs('key'))).toMatchObject(exceeded(2));
    await (await openAs('other')).event(1);
    expect(await refusalOf(openAs('third'))).toMatchObject(exceeded(3));
    one.leave();
    await counted(2);
    expect((await (await openAs('third')).event(1)).data.pipe.name).toBe('pipe 0');
  });

  it('leave a fifth of the connections to all else', async () => {
    const { several, openAs, query } = await openPlaces({
      config: { maxConnections: 10, maxStreamsPerCredential: 10 },
    });
    for (const stream of several(8, 'one')) await (await stream).event(1);
    expect(await refusalOf(openAs('one'))).toMatchObject(exceeded(8));
    expect((await query('{ __typename }')).status).toBe(200);
  });

  it('count a stream for the credential that it uses, of those that came with it', async () => {
    const { open } = await openHeld({ config: { maxStreamsPerCredential: 4 } });
    await Promise.all([1, 2, 3, 4].map(() => open()));
    const alerts = await open(
      'subscription { ...A } fragment A on Subscription { ... { alerts { name } } }',
    );
    expect((await alerts.event(1)).data).toEqual({ alerts: [{ name: 'lag' }] });
    expect(await refusalOf(open(pipesSubscription))).toMatchObject(exceeded(4));
  });

  const noRead = `subscription { organization(id: "${organizationId}") { id } }`;
  it.each([
    ['reads nothing', noRead, keyOf('any')],
    ['has no credential', pipeSubscription(), { 'management-authorization': '' }],
  ])('are not for one that %s, which ends with its first event', async (_, query, headers) => {
    const { open, count, calls } = await openPlaces({ config: { maxStreams: 4 } });
    for (let turn = 0; turn < 8; turn += 1) {
      expect((await refusalOf(open(query, headers))).extensions).toEqual({
        ended: 'nothing to watch',
      });
    }
    expect([count(), calls]).toEqual([0, []]);
  });
});
