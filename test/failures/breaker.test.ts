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
  otherReads,
  startBreakerGateway,
  writes,
} from '../support/faults/breaker.ts';
import { leavable } from '../support/faults/gate.ts';
import { otherThan } from '../support/faults/places.ts';
import { organizationId, reads, status, upstreams, well } from '../support/faults/stack.ts';
import { type AnswerError, credentials } from '../support/harness.ts';
import { refusingUrl } from '../support/http/raw.ts';

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

describe.each(upstreams)(
  'the breaker of %s opens with the tenth failure in a row of reads of two callers:',
  (upstream) => {
    it.each(opening)('%s', async (_, reaction) => {
      await start(upstream);
      gateway.reactWith(() => reaction);
      await gateway.read(9);
      expect(await gateway.breaker(upstream)).toBe('closed');
      await gateway.read(1);
      expect(await gateway.breaker(upstream)).toBe('open');
      expect(gateway[upstream].calls).toHaveLength(10);
      await gateway.expectKeptBack();
      expect(await gateway.breaker(otherThan(upstream))).toBe('closed');
    });

    it('one thing and another', async () => {
      await start(upstream);
      let calls = 0;
      gateway.reactWith(() => [reset, status(504), status(503), hangUp][calls++ % 4] ?? reset);
      await gateway.read(10);
      expect(await gateway.breaker(upstream)).toBe('open');
    });
  },
);

it.each(upstreams)(
  'the breaker of %s opens with the tenth refused connection of one caller’s reads',
  async (upstream) => {
    await start(upstream, { [`${upstream}Url`]: await refusingUrl() });
    await gateway.read(9, 'one');
    expect(await gateway.breaker(upstream)).toBe('closed');
    await gateway.read(1, 'one');
    expect(await gateway.breaker(upstream)).toBe('open');
    await gateway.expectKeptBack();
  },
);

describe.each(upstreams)('the breaker of %s stays closed', (upstream) => {
  it.each<readonly [string, Reaction]>([
    ...[400, 401, 403, 404, 408, 409, 413, 422, 424, 429, 431, 451, 499, 500, 501, 505, 599].map(
      (code) => [String(code), status(code)] as const,
    ),
    ['503 with Retry-After', status(503, { 'retry-after': '60' })],
    ['a redirect', status(302)],
    ['HTML', { headers: { 'content-type': 'text/html' }, body: '<h1>Sign in</h1>' }],
    ['an envelope with nothing in it', status(200)],
  ])('however often reads of whomever meet %s', async (_, reaction) => {
    await start(upstream);
    gateway.reactWith(() => reaction);
    await gateway.read(25);
    expect(await gateway.breaker(upstream)).toBe('closed');
    expect(gateway[upstream].calls).toHaveLength(25);
  });

  it.each(opening)('however often reads of one caller meet %s', async (_, reaction) => {
    await start(upstream);
    gateway.reactWith(() => reaction);
    await gateway.read(25, 'one');
    expect(await gateway.breaker(upstream)).toBe('closed');
    expect(gateway[upstream].calls).toHaveLength(25);
  });

  it.each(opening)('however often writes of whomever meet %s', async (_, reaction) => {
    await start(upstream);
    gateway.reactWith(() => reaction);
    await gateway.write(25);
    expect(await gateway.breaker(upstream)).toBe('closed');
    expect(gateway[upstream].calls).toHaveLength(25);
  });

  it('however often writes find their connection refused', async () => {
    await start(upstream, { [`${upstream}Url`]: await refusingUrl() });
    await gateway.write(25);
    expect(await gateway.breaker(upstream)).toBe('closed');
  });

  it.each([
    ['no answer', silence],
    ['a body that does not end', drip],
  ])('however often reads of whomever meet %s before a short deadline', async (_, reaction) => {
    await start(upstream, { operationTimeoutMs: 500 });
    gateway.reactWith(() => reaction);
    await Promise.all(Array.from({ length: 25 }, () => gateway.read(1)));
    expect(await gateway.breaker(upstream)).toBe('closed');
    // The read of each thing goes on, and all who come meanwhile wait for it.
    expect(gateway[upstream].calls).toHaveLength(2);
  });

  it('after operations that were never sent', async () => {
    await start(upstream);
    for (let asked = 0; asked < 25; asked += 1) {
      await gateway.query(reads[upstream].document, {});
    }
    expect(await gateway.breaker(upstream)).toBe('closed');
    expect(gateway[upstream].calls).toEqual([]);
  });
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
  const waiting = Array.from(
    { length: 12 },
    (_, index) => `o${index}: organization(id: "${organizationId.slice(0, -2)}${10 + index}") {
      invitations { email } }`,
  );
  const answer = await gateway.query(`{ ${waiting.join(' ')} }`);
  const errors: readonly AnswerError[] = answer.errors;
  expect(errors.map(({ extensions }) => extensions.code)).toEqual(
    Array(12).fill('UPSTREAM_TIMEOUT'),
  );
  expect(gateway.management.calls).toHaveLength(1);
  expect(await gateway.breaker('management')).toBe('closed');
});

it('a success in between begins the count anew', async () => {
  await start('management');
  for (const _ of ['first', 'second', 'third']) {
    gateway.reactWith(() => status(502));
    await gateway.read(9);
    gateway.reactWith(() => well('management'));
    await gateway.read(1);
  }
  expect(await gateway.breaker('management')).toBe('closed');
  expect(gateway.management.calls).toHaveLength(30);
  await gateway.open();
});

it('as many failures open it as the setting says', async () => {
  await start('management', { breakerFailures: 2 });
  gateway.reactWith(() => status(502));
  await gateway.read(1);
  expect(await gateway.breaker('management')).toBe('closed');
  await gateway.read(1);
  expect(await gateway.breaker('management')).toBe('open');
});

it('each sending of a read counts, and an open breaker ends its retries', async () => {
  await start('observability', { maxRetries: 2 });
  gateway.reactWith(() => status(503));
  for (let asked = 0; asked < 4; asked += 1) {
    const isFirst = asked % 2 === 0;
    const document = isFirst ? reads.observability.document : otherReads.observability;
    const { errors } = await gateway.query(document, isFirst ? credentials : otherCredentials);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_UNAVAILABLE' } }]);
  }
  expect(gateway.observability.calls).toHaveLength(10);
  expect(await gateway.breaker('observability')).toBe('open');
});

it('the other upstream’s fields are answered beside those that are kept back', async () => {
  await start('management');
  await gateway.open();
  const { data, errors } = await gateway.query(
    `{ organization(id: "${organizationId}") { name } alert(id: "a1") { name } }`,
  );
  expect(data).toEqual({ organization: null, alert: { name: 'well' } });
  expect(errors).toMatchObject([
    { path: ['organization'], extensions: { code: 'UPSTREAM_UNAVAILABLE', retryable: true } },
  ]);
  const last = gateway.log().trim().split('\n').at(-1) ?? '';
  // What is not sent is no call.
  expect(JSON.parse(last)).toMatchObject({ msg: 'operation', upstreamCalls: 1 });
});

it('an open breaker keeps calls back for its time, and tells how long', async () => {
  await start('management');
  await gateway.open();
  gateway.reactWith(() => well('management'));
  await gateway.expectKeptBack();
  expect(await gateway.breaker('management')).toBe('open');
  const { errors } = await gateway.query(reads.management.document);
  const { retryAfterSeconds } = errors[0].extensions;
  expect(Number.isInteger(retryAfterSeconds)).toBe(true);
  expect(retryAfterSeconds).toBeGreaterThanOrEqual(1);
  expect(retryAfterSeconds).toBeLessThanOrEqual(10);
});

it('a write that was kept back says that it was not sent', async () => {
  await start('management');
  await gateway.open();
  const { errors } = await gateway.query(writes.management);
  expect(errors).toMatchObject([
    { message: expect.stringMatching(/It was not sent\.$/), extensions: { retryable: true } },
  ]);
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
