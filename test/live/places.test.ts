import { afterEach, beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import {
  createLiveWorld,
  organizationId,
  pipePath,
  pipeQuery,
  pipeSubscription,
  pipesSubscription,
  servicePath,
  startLive,
} from '../support/live-world.ts';
import { holdTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { type Subscription, subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startLive>>;
const rejections: unknown[] = [];
const note = (reason: unknown): void => void rejections.push(reason);
beforeEach(() => process.on('unhandledRejection', note));
afterEach(async () => {
  await stack.close();
  process.off('unhandledRejection', note);
  expect(rejections.splice(0)).toEqual([]);
});

/** Calls to management are answered as the world has it, once they are let go. */
const startHeld = async (options: Parameters<typeof startLive>[0] = {}) => {
  const world = createLiveWorld();
  let held = Promise.withResolvers<void>();
  stack = await startLive({
    ...options,
    config: { managementRate: undefined, ...options?.config },
    management: async (call) => {
      await held.promise;
      return world.management(call);
    },
  });
  return {
    world,
    letGo: () => held.resolve(),
    hold: () => {
      held = Promise.withResolvers();
    },
  };
};

const keyOf = (name: string) => ({ 'management-authorization': `Basic ${btoa(`${name}:secret`)}` });
const open = (name: string, query = pipeSubscription()): Promise<Subscription> =>
  subscribe(stack.url, query, { headers: keyOf(name) });
const several = (count: number, name: string) => Array.from({ length: count }, () => open(name));
const streams = (): number => stack.gateway.streams().streams;
const refusalOf = async (subscription: Promise<Subscription>) => {
  const { ended, events } = await subscription;
  await ended;
  return events[0];
};
/** Lets all requests arrive that are on their way. */
const arrived = () => new Promise((resolve) => setTimeout(resolve, 100));

describe('of a credential without a success', () => {
  it('four streams are open, and all others once the first has its answer', async () => {
    const { letGo } = await startHeld();
    const all = several(20, 'new');
    await until(() => streams() === 4);
    await arrived();
    expect(streams()).toBe(4);
    letGo();
    const opened = await Promise.all(all);
    expect(await Promise.all(opened.map((each) => each.event(1)))).toEqual(
      opened.map(() => ({ data: { pipe: { name: 'pipe 0', state: 'Running' } } })),
    );
    expect(streams()).toBe(20);
    for (const each of opened) each.leave();
  });

  it('all end, and none is opened, once the upstream has refused it', async () => {
    const { letGo, world } = await startHeld();
    const paths = [servicePath, `${servicePath}/pipes`, ...[0, 1, 2].map(pipePath)];
    for (const path of paths) world.fail(`GET ${path}`, 401);
    const all = Array.from({ length: 20 }, (_, index) =>
      open('wrong', pipeSubscription(index % 3)),
    );
    await until(() => streams() === 4);
    letGo();
    const opened = await Promise.all(all);
    await Promise.all(opened.map((each) => each.ended));
    for (const { events } of opened) {
      expect(events.at(-1).errors[0].extensions.code).toBe('UNAUTHENTICATED');
      expect(events.at(-1).extensions).toEqual({ ended: 'credential refused' });
    }
    expect(streams()).toBe(0);
    // What was sent for streams that have ended is finished.
    await until(() => stack.calls.length === 3);
    const sent = stack.calls.length;
    expect((await refusalOf(open('wrong'))).errors).toMatchObject([
      { message: 'management has just refused this credential.' },
    ]);
    expect(stack.calls).toHaveLength(sent);
  });

  it('one that waits is refused when its time is up, and may be tried again', async () => {
    await startHeld({ config: { operationTimeoutMs: 400 } });
    const opened = several(4, 'new');
    await until(() => streams() === 4);
    const { errors, extensions } = await refusalOf(open('new'));
    expect(errors).toMatchObject(
      [
        {
          message: /which management has not accepted yet: at most 4/,
          extensions: { code: 'LIMIT_EXCEEDED', allowed: 4, retryable: true, retryAfterSeconds: 5 },
        },
      ].map(({ message, ...rest }) => ({ ...rest, message: expect.stringMatching(message) })),
    );
    expect(extensions).toBeUndefined();
    for (const each of await Promise.all(opened)) each.leave();
  });

  it('one that waits is opened when another ends, and takes no place once its client has left', async () => {
    await startHeld({ config: { maxStreamsPerCredential: 6 } });
    const [first, ...others] = await Promise.all(several(4, 'new'));
    const gone = new AbortController();
    const leaves = fetch(stack.url, {
      method: 'POST',
      headers: {
        ...keyOf('new'),
        accept: 'text/event-stream',
        'content-type': 'application/json',
      },
      body: JSON.stringify({ query: pipeSubscription() }),
      signal: gone.signal,
    });
    await arrived();
    const waits = open('new');
    await arrived();
    expect((await refusalOf(open('new'))).errors).toMatchObject([{ extensions: { allowed: 6 } }]);
    gone.abort();
    await expect(leaves).rejects.toThrow();
    await arrived();
    first?.leave();
    const opened = await waits;
    expect(streams()).toBe(4);
    for (const each of [...others, opened]) each.leave();
  });

  it('those that wait are complete when the gateway stops', async () => {
    const { letGo } = await startHeld();
    const opened = several(6, 'new');
    await until(() => streams() === 4);
    await arrived();
    const closed = stack.gateway.close();
    const all = await Promise.all(opened);
    await Promise.all(all.map((each) => each.ended));
    expect(all.every((each) => each.isComplete)).toBe(true);
    letGo();
    await closed;
  });

  it('all together leave a quarter of the places to others, and give way to them', async () => {
    const { letGo, hold } = await startHeld({ config: { maxStreams: 8 } });
    letGo();
    expect((await stack.query(pipeQuery, { headers: keyOf('known') })).body.errors).toBeUndefined();
    hold();
    const one = await Promise.all(several(4, 'one'));
    const two = await Promise.all(several(2, 'two'));
    expect((await refusalOf(open('three'))).errors).toMatchObject([
      { extensions: { code: 'LIMIT_EXCEEDED', allowed: 6, retryable: true } },
    ]);
    const known = await Promise.all(several(2, 'known'));
    expect(streams()).toBe(8);
    known.push(await open('known'));
    await one[0]?.ended;
    expect([one[0]?.isComplete, one[0]?.events]).toEqual([true, []]);
    expect(streams()).toBe(8);
    known.push(...(await Promise.all(several(5, 'known'))));
    await Promise.all([...one, ...two].map((each) => each.ended));
    const { errors } = await refusalOf(open('known'));
    expect(errors).toMatchObject([{ extensions: { code: 'LIMIT_EXCEEDED', allowed: 8 } }]);
    for (const each of known) each.leave();
  });
});

describe('a credential that the upstream has refused', () => {
  const noCache = { headers: { 'cache-control': 'no-cache' } };
  const openOwn = () => subscribe(stack.url, pipeSubscription());

  it.each(['some seconds', 'a success'])('is refused at once, until %s later', async (later) => {
    const time = holdTime();
    onTestFinished(time.release);
    stack = await startLive();
    const { world } = stack;
    world.fail(`GET ${pipePath()}`, 401);
    await stack.query(pipeQuery);
    world.fail(`GET ${pipePath()}`, undefined);
    expect((await refusalOf(openOwn())).extensions).toEqual({ ended: 'credential refused' });
    expect(stack.calls).toHaveLength(1);
    if (later === 'a success') await stack.query(pipeQuery);
    else time.pass(10);
    await arrived();
    const pipe = await openOwn();
    expect((await pipe.event(1)).data.pipe.state).toBe('Running');
    pipe.leave();
  });

  it('is asked for once more where it was accepted before', async () => {
    stack = await startLive();
    const { world } = stack;
    await stack.query(pipeQuery);
    world.fail(`GET ${pipePath()}`, 401);
    await stack.query(pipeQuery, noCache);
    const message = 'management has just refused this credential.';
    expect((await refusalOf(openOwn())).errors[0].message).not.toBe(message);
    expect((await refusalOf(openOwn())).errors[0].message).toBe(message);
    world.fail(`GET ${pipePath()}`, undefined);
    await stack.query(pipeQuery, noCache);
    const pipe = await openOwn();
    expect((await pipe.event(1)).data.pipe.state).toBe('Running');
    pipe.leave();
  });
});

describe('a stream counts for the credential that it uses', () => {
  it('of those that came with it', async () => {
    await startHeld({ config: { maxStreamsPerCredential: 4 } });
    const pipes = await Promise.all(
      ['pipe', 'pipe', 'pipe', 'pipe'].map(() => subscribe(stack.url, pipeSubscription())),
    );
    const alerts = await subscribe(
      stack.url,
      'subscription { ...A } fragment A on Subscription { ... { alerts { name } } }',
    );
    expect((await alerts.event(1)).data).toEqual({ alerts: [{ name: 'lag' }] });
    const refused = await subscribe(stack.url, pipesSubscription);
    await refused.ended;
    expect(refused.events[0].errors).toMatchObject([{ extensions: { allowed: 4 } }]);
    for (const each of [...pipes, alerts]) each.leave();
  });

  it('also where the other one was refused', async () => {
    stack = await startLive();
    stack.world.fail(`GET ${pipePath(0)}`, 401);
    await stack.query(pipeQuery);
    const alerts = await subscribe(stack.url, 'subscription { alerts { name } }');
    expect((await alerts.event(1)).errors).toBeUndefined();
    alerts.leave();
  });

  it.each([
    [
      'reads nothing',
      `subscription { organization(id: "${organizationId}") { id } }`,
      keyOf('any'),
    ],
    ['has no credential', pipeSubscription(), { 'management-authorization': '' }],
  ])('and one that %s ends with its first event', async (_, query, headers) => {
    stack = await startLive({ config: { maxStreams: 4 } });
    for (let count = 0; count < 8; count += 1) {
      const none = await subscribe(stack.url, query, { headers });
      await none.ended;
      expect(none.events.map(({ extensions }) => extensions)).toEqual([
        { ended: 'nothing to watch' },
      ]);
    }
    expect([streams(), stack.calls]).toEqual([0, []]);
  });
});
