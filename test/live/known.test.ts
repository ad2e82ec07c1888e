import { afterEach, describe, expect, it } from 'vitest';
import { json, result } from '../support/harness.ts';
import {
  organizationId,
  pass,
  pipeIds,
  pipePath,
  pipeSubscription,
  readsOf,
  serviceId,
  servicePath,
  startLive,
  stopPipe,
} from '../support/live-world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';

let stack: Awaited<ReturnType<typeof startLive>>;
afterEach(() => stack.close());

const unpolled = { pollMs: { management: 600_000, observability: 600_000 } };
const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;
const service = `subscription { service(${ofService}) { name } }`;

describe('what is known of a watched read', () => {
  it('is the same where the envelope alone differs, so that no event is executed for it', async () => {
    const clock = stopTime();
    const backup = `${servicePath}/backupConfiguration`;
    stack = await startLive({
      config: { maxRetries: 0 },
      management: ({ path }) => {
        if (path === backup) return json({ status: 503, error: 'down' }, 503);
        if (path.endsWith('/pipes')) return result([{ id: pipeIds[0], name: 'pipe' }]);
        return result({ id: serviceId, name: 'service' });
      },
    });
    const stream = await subscribe(
      stack.url,
      `subscription { service(${ofService}) { pipes { name } backupConfiguration { backupPeriodInHours } } }`,
    );
    await clock.until(stream.event(1));
    await pass(clock, 60_000);
    expect(readsOf(stack.calls, `${servicePath}/pipes`)).toBeGreaterThan(4);
    // Each event would read it again: these are the first one and the polls, which back off.
    expect(readsOf(stack.calls, backup)).toBeLessThanOrEqual(5);
    stream.leave();
  });

  it.each([
    ['its answer', result({ id: pipeIds[0], name: 'pipe' })],
    ['404', json({ status: 404, error: 'no' }, 404)],
    ['503', json({ status: 503, error: 'down' }, 503)],
  ])('is not polled before the first event has got %s', async (_, answer) => {
    const clock = stopTime();
    const answered = Promise.withResolvers<void>();
    stack = await startLive({
      config: { maxRetries: 0 },
      management: async () => {
        await answered.promise;
        return answer;
      },
    });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await clock.still(() => stack.calls.length === 1);
    await pass(clock, 20_000);
    answered.resolve();
    await clock.until(pipe.event(1));
    expect(readsOf(stack.calls, pipePath())).toBe(1);
    pipe.leave();
  });

  it('is read again after a write that was refused, for the credential of the write', async () => {
    stack = await startLive({ gateway: unpolled });
    const pipe = await subscribe(stack.url, pipeSubscription());
    const headers = { 'management-authorization': `Basic ${btoa('other:key')}` };
    const other = await subscribe(stack.url, pipeSubscription(), { headers });
    await Promise.all([pipe.event(1), other.event(1)]);
    stack.world.states[0] = 'Stopped';
    stack.world.fail(`PATCH ${pipePath()}/state`, 409);
    await stack.query(stopPipe());
    expect((await pipe.event(2)).data.pipe.state).toBe('Stopped');
    expect(readsOf(stack.calls, pipePath())).toBe(3);
    pipe.leave();
    other.leave();
  });

  it('is not shown any more once another call has found the credential revoked', async () => {
    let isRevoked = false;
    stack = await startLive({
      gateway: unpolled,
      management: ({ path }) =>
        isRevoked
          ? json({ status: 401, error: 'revoked' }, 401)
          : result({ id: path.split('/').at(-1), name: 'thing', state: 'Running' }),
    });
    const watching = await subscribe(stack.url, service);
    await watching.event(1);
    isRevoked = true;
    await stack.query(`{ organization(id: "${organizationId}") { name } }`);
    const late = await subscribe(stack.url, service);
    const { errors } = await late.event(1);
    expect(errors[0].extensions.code).toBe('UNAUTHENTICATED');
    await Promise.all([watching.ended, late.ended]);
    expect(watching.events.at(-1).errors[0].extensions.code).toBe('UNAUTHENTICATED');
  });

  it('answers no first event where no reads are to be kept', async () => {
    stack = await startLive({ gateway: unpolled, config: { readCacheBytes: 0 } });
    const one = await subscribe(stack.url, pipeSubscription());
    await one.event(1);
    stack.world.states[0] = 'Failed';
    const two = await subscribe(stack.url, pipeSubscription());
    expect((await two.event(1)).data.pipe.state).toBe('Failed');
    one.leave();
    two.leave();
  });

  it('is no more than a hash where answers take too much room: an event reads what has changed', async () => {
    const clock = stopTime();
    const filler = 'x'.repeat(20_000);
    let version = 1;
    stack = await startLive({
      config: { readCacheBytes: 64 * 1024 },
      management: ({ path }) =>
        result({ id: path.split('/').at(-1), name: `${version} ${filler}`, state: 'Running' }),
    });
    const pipe = await subscribe(stack.url, pipeSubscription());
    await clock.until(pipe.event(1));
    await pass(clock, 5100);
    expect(readsOf(stack.calls, pipePath())).toBe(2);
    version = 2;
    expect((await clock.until(pipe.event(2))).data.pipe.name).toBe(`2 ${filler}`);
    // The poll, and the event.
    expect(readsOf(stack.calls, pipePath())).toBe(4);
    pipe.leave();
  });

  it('with an answer too large to keep, subscribers do not wake one another for ever', async () => {
    const filler = 'x'.repeat(20_000);
    let version = 0;
    stack = await startLive({
      gateway: unpolled,
      config: { readCacheBytes: 64 * 1024, managementRate: undefined },
      management: ({ path }) => {
        version += 1;
        return result({ id: path.split('/').at(-1), name: `${version} ${filler}` });
      },
    });
    const one = await subscribe(stack.url, pipeSubscription());
    await one.event(1);
    const two = await subscribe(stack.url, pipeSubscription());
    await two.event(1);
    for (let turn = 0; turn < 50; turn += 1) await stack.query('{ __typename }');
    expect([one.events.length, two.events.length]).toEqual([1, 1]);
    expect(stack.calls).toHaveLength(2);
    one.leave();
    two.leave();
  });
});
