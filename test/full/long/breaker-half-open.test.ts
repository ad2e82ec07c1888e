import { afterEach, expect, it } from 'vitest';
import { type Reaction, reset } from '../../support/faults/backend.ts';
import { type BreakerGateway, startBreakerGateway } from '../../support/faults/breaker.ts';
import { leavable } from '../../support/faults/gate.ts';
import { reads, status, well } from '../../support/faults/stack.ts';
import { credentials } from '../../support/harness.ts';

let gateway: BreakerGateway;
afterEach(() => gateway.close());

const upstream = 'observability';
const { document } = reads[upstream];

/** Opens the breaker, and asks until one call tries once its time is over; that one waits to be told how to react. */
const trying = async () => {
  gateway = await startBreakerGateway(upstream, {}, { breakerHalfOpenMs: 100 });
  await gateway.open();
  const reaction = Promise.withResolvers<Reaction>();
  const arrived = Promise.withResolvers<'arrived'>();
  gateway.reactWith(() => {
    arrived.resolve('arrived');
    return reaction.promise;
  });
  for (;;) {
    const { leave, ended } = leavable(gateway.url, document, credentials);
    if ((await Promise.race([arrived.promise, ended])) !== 'arrived') continue;
    const react = async (how: Reaction): Promise<void> => {
      reaction.resolve(how);
      await ended;
    };
    return { react, leave };
  }
};

// What else may come of a try: test/upstream/breaker.test.ts.
it.each([
  ['answered well', well(upstream), 'closed'],
  ['refused with a 4xx', status(403), 'closed'],
  ['cut off', reset, 'open'],
])(
  'an open breaker lets one call try once its time is over; where that is %s',
  async (_, how, then) => {
    const { react } = await trying();
    expect(await gateway.breaker(upstream)).toBe('half-open');
    await gateway.expectKeptBack();
    expect(gateway[upstream].calls).toHaveLength(11);
    await react(how);
    expect(await gateway.breaker(upstream)).toBe(then);
  },
);

it('an open breaker lets another call try when the caller of that one goes away', async () => {
  const { leave } = await trying();
  await leave();
  gateway.reactWith(() => well(upstream));
  const before = gateway[upstream].calls.length;
  while (gateway[upstream].calls.length === before) await gateway.query(document);
  expect(await gateway.breaker(upstream)).toBe('closed');
});
