import { describe, expect, it } from 'vitest';
import { type BreakerGateway, startBreakerGateway } from '../support/faults/breaker.ts';
import { otherThan, upstreams } from '../support/faults/places.ts';
import { drip, reset, resetWithinBody, silence, status } from '../support/faults/reactions.ts';
import { organizationId, otherCredentials, well, writes } from '../support/faults/stack.ts';
import { nowhere } from '../support/gateway.ts';
import { credentials, type Reaction } from '../support/harness.ts';
import { numbers } from '../support/world/worlds.ts';

// Callers who leave, and calls that wait in vain, open none either: two-callers.long.test.ts.

let gateway: BreakerGateway;
const start = async (...options: Parameters<typeof startBreakerGateway>) => {
  gateway = await startBreakerGateway(...options);
};

const later = status(503, { 'retry-after': '60' });
const html = { headers: { 'content-type': 'text/html' }, body: '<h1>' };

describe.each(upstreams)('the breaker of %s', (upstream) => {
  it.each<[string, Reaction]>([
    ['502', status(502)],
    ['a reset before the answer', reset],
    ['a reset within the body', resetWithinBody],
  ])('opens with the tenth failure in a row of reads of two callers: %s', async (_, reaction) => {
    await start(upstream);
    gateway.reactWith(() => reaction);
    await gateway.read(9);
    expect(await gateway.breaker(upstream)).toBe('closed');
    await gateway.read(1);
    expect(await gateway.breaker(upstream)).toBe('open');
    expect(gateway.callsOf(upstream)).toHaveLength(10);
    await gateway.expectKeptBack();
    expect(await gateway.breaker(otherThan(upstream))).toBe('closed');
  });

  it('opens with the tenth refused connection of one caller’s reads, and with none of a write', async () => {
    await start(upstream, { [`${upstream}Url`]: new URL(nowhere) });
    await gateway.write(25);
    await gateway.read(9, 'one');
    expect(await gateway.breaker(upstream)).toBe('closed');
    await gateway.read(1, 'one');
    expect(await gateway.breaker(upstream)).toBe('open');
  });

  it.each<[string, 'both' | 'one' | 'writes', Reaction]>([
    ['reads of both callers meet 500', 'both', status(500)],
    ['reads of both callers meet a 503 that says when to come back', 'both', later],
    ['reads of both callers meet HTML', 'both', html],
    ['reads of one caller meet 503', 'one', status(503)],
    ['writes of both callers meet 503', 'writes', status(503)],
  ])('stays closed however often %s', async (_, by, reaction) => {
    await start(upstream);
    gateway.reactWith(() => reaction);
    await (by === 'writes' ? gateway.write(25) : gateway.read(25, by));
    expect(await gateway.breaker(upstream)).toBe('closed');
    expect(gateway.callsOf(upstream)).toHaveLength(25);
  });

  it.each([
    ['no answer', silence],
    ['a body that does not end', drip],
  ])('stays closed however often reads meet %s before a short deadline', async (_, reaction) => {
    await start(upstream, { operationTimeoutMs: 500 });
    gateway.reactWith(() => reaction);
    await Promise.all(numbers(25).map(() => gateway.read(1)));
    expect(await gateway.breaker(upstream)).toBe('closed');
    // The read of each thing goes on, and all who come meanwhile wait for it.
    expect(gateway.callsOf(upstream)).toHaveLength(2);
  });
});

it('each sending of a read counts, and an open breaker ends its retries', async () => {
  await start('observability', { maxRetries: 2 });
  gateway.reactWith(() => status(503));
  await gateway.read(4);
  expect(gateway.callsOf('observability')).toHaveLength(10);
  expect(await gateway.breaker('observability')).toBe('open');
});

it('an open breaker costs only its own fields, tells for how long, and a write that it was not sent', async () => {
  await start('management');
  await gateway.open();
  gateway.reactWith(() => well('management'));
  const { data, errors } = await gateway.query(
    `{ organization(organizationId: "${organizationId}") { name } alert(alertId: "a1") { name } }`,
  );
  expect(data).toEqual({ organization: null, alert: { name: 'well' } });
  const [{ path, extensions }] = errors;
  expect([path, extensions.code]).toEqual([['organization'], 'UPSTREAM_UNAVAILABLE']);
  expect(numbers(10)).toContain(extensions.retryAfterSeconds);
  const { errors: ofWrite } = await gateway.query(writes.management);
  expect(ofWrite[0].message).toMatch(/The write was not sent\.$/);
  // What is not sent is no call, and no credential is told.
  expect(gateway.lines().at(-2)).toMatchObject({ msg: 'operation', upstreamCalls: 1 });
  expect(gateway.log()).toContain('circuit breaker');
  for (const value of [credentials, otherCredentials].flatMap((each) => Object.values(each))) {
    expect(gateway.log()).not.toContain(value.split(' ')[1]);
  }
});
