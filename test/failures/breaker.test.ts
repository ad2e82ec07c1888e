import { afterEach, describe, expect, it } from 'vitest';
import {
  drip,
  hangUp,
  type Reaction,
  reset,
  resetWithinBody,
  silence,
} from '../support/faults/backend.ts';
import {
  type BreakerGateway,
  otherCredentials,
  startBreakerGateway,
  writes,
} from '../support/faults/breaker.ts';
import { leavable } from '../support/faults/gate.ts';
import { otherThan } from '../support/faults/places.ts';
import { organizationId, reads, status, upstreams, well } from '../support/faults/stack.ts';
import { type AnswerError, credentials } from '../support/harness.ts';
import { refusingUrl } from '../support/http/raw.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers } from '../support/world/worlds.ts';

let gateway: BreakerGateway;
afterEach(() => gateway.close());
const start = async (...options: Parameters<typeof startBreakerGateway>) => {
  gateway = await startBreakerGateway(...options);
};

const opening: readonly (readonly [title: string, reaction: Reaction])[] = [
  ['502', status(502)],
  ['503', status(503)],
  ['504', status(504)],
  ['a reset before the answer', reset],
  ['a connection closed without an answer', hangUp],
  ['a reset within the body', resetWithinBody],
];

const later = status(503, { 'retry-after': '60' });
const html = { headers: { 'content-type': 'text/html' }, body: '<h1>' };

describe.each(upstreams)('the breaker of %s', (upstream) => {
  it.each(opening)(
    'opens with the tenth failure in a row of reads of two callers: %s',
    async (_, reaction) => {
      await start(upstream);
      gateway.reactWith(() => reaction);
      await gateway.read(9);
      expect(await gateway.breaker(upstream)).toBe('closed');
      await gateway.read(1);
      expect(await gateway.breaker(upstream)).toBe('open');
      expect(gateway[upstream].calls).toHaveLength(10);
      await gateway.expectKeptBack();
      expect(await gateway.breaker(otherThan(upstream))).toBe('closed');
    },
  );

  it('opens with the tenth refused connection of one caller’s reads, and with none of a write', async () => {
    await start(upstream, { [`${upstream}Url`]: await refusingUrl() });
    await gateway.write(25);
    await gateway.read(9, 'one');
    expect(await gateway.breaker(upstream)).toBe('closed');
    await gateway.read(1, 'one');
    expect(await gateway.breaker(upstream)).toBe('open');
    await gateway.expectKeptBack();
  });

  it.each<[string, 'both' | 'one' | 'writes', Reaction]>([
    ['reads of whomever meet 404', 'both', status(404)],
    ['reads of whomever meet 500', 'both', status(500)],
    ['reads of whomever meet a 503 that says when to come back', 'both', later],
    ['reads of whomever meet HTML', 'both', html],
    ['reads of one caller meet 503', 'one', status(503)],
    ['reads of one caller meet a reset', 'one', reset],
    ['writes of whomever meet 503', 'writes', status(503)],
    ['writes of whomever meet a reset', 'writes', reset],
  ])('stays closed however often %s', async (_, by, reaction) => {
    await start(upstream);
    gateway.reactWith(() => reaction);
    await (by === 'writes' ? gateway.write(25) : gateway.read(25, by));
    expect(await gateway.breaker(upstream)).toBe('closed');
    expect(gateway[upstream].calls).toHaveLength(25);
  });

  it.each([
    ['no answer', silence],
    ['a body that does not end', drip],
  ])(
    'stays closed however often reads of whomever meet %s before a short deadline',
    async (_, reaction) => {
      await start(upstream, { operationTimeoutMs: 500 });
      gateway.reactWith(() => reaction);
      await Promise.all(numbers(25).map(() => gateway.read(1)));
      expect(await gateway.breaker(upstream)).toBe('closed');
      // The read of each thing goes on, and all who come meanwhile wait for it.
      expect(gateway[upstream].calls).toHaveLength(2);
    },
  );
});

it('callers who go away open no breaker, and their read is finished', async () => {
  await start('observability');
  const arrived = Promise.withResolvers<void>();
  const answered = Promise.withResolvers<Reaction>();
  gateway.reactWith(() => {
    arrived.resolve();
    return answered.promise;
  });
  for (let left = 0; left < 12; left += 1) {
    const { leave } = leavable(gateway.url, reads.observability.document, credentials);
    await arrived.promise;
    await leave();
  }
  expect(await gateway.breaker('observability')).toBe('closed');
  expect(gateway.observability.calls).toHaveLength(1);
  answered.resolve(well('observability'));
  expect((await gateway.query(reads.observability.document)).data.alert.name).toBe('well');
});

it('calls that were still to be sent at the deadline tell nothing of their upstream', async () => {
  await start('management', { operationTimeoutMs: 500, upstreamConnections: 1 });
  gateway.reactWith(() => silence);
  const fields = numbers(12).map(
    (each) => `o${each}: organization(id: "organization-${each}") { invitations { email } }`,
  );
  const { errors } = await gateway.query(withIds(`{ ${fields.join(' ')} }`));
  const codes = errors.map(({ extensions }: AnswerError) => extensions.code);
  expect(codes).toEqual(Array(12).fill('UPSTREAM_TIMEOUT'));
  expect(gateway.management.calls).toHaveLength(1);
  expect(await gateway.breaker('management')).toBe('closed');
});

it('each sending of a read counts, and an open breaker ends its retries', async () => {
  await start('observability', { maxRetries: 2 });
  gateway.reactWith(() => status(503));
  await gateway.read(4);
  expect(gateway.observability.calls).toHaveLength(10);
  expect(await gateway.breaker('observability')).toBe('open');
});

it('an open breaker tells for how long, costs only its own fields, and a write that it was not sent', async () => {
  await start('management');
  await gateway.open();
  gateway.reactWith(() => well('management'));
  const { data, errors } = await gateway.query(
    `{ organization(id: "${organizationId}") { name } alert(id: "a1") { name } }`,
  );
  expect(data).toEqual({ organization: null, alert: { name: 'well' } });
  expect(errors).toMatchObject([
    { path: ['organization'], extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } },
  ]);
  // What is not sent is no call.
  const last = gateway.log().trim().split('\n').at(-1) ?? '';
  expect(JSON.parse(last)).toMatchObject({ msg: 'operation', upstreamCalls: 1 });
  expect([1, 2, 3, 4, 5, 6, 7, 8, 9, 10]).toContain(errors[0].extensions.retryAfterSeconds);
  const { errors: ofWrite } = await gateway.query(writes.management);
  expect(ofWrite[0].message).toMatch(/The write was not sent\.$/);
  expect(await gateway.breaker('management')).toBe('open');
});

it('no credential is in the log of a breaker that opens', async () => {
  await start('management');
  await gateway.open();
  const log = gateway.log();
  expect(log).toContain('circuit breaker');
  for (const caller of [credentials, otherCredentials]) {
    for (const value of Object.values(caller)) expect(log).not.toContain(value.split(' ')[1]);
  }
});
