import { expect, it } from 'vitest';
import { startBreakerGateway } from '../../support/faults/breaker.ts';
import { leavable } from '../../support/faults/gate.ts';
import { reads, well } from '../../support/faults/stack.ts';
import { credentials, type Reaction } from '../../support/harness.ts';

const upstream = 'observability';

// What else may come of a try: test/upstream/breaker.test.ts.
it.each(['answered well', 'left by its caller'])(
  'an open breaker lets one call try once its time is over; where that is %s, it closes with that or the next',
  async (end) => {
    const gateway = await startBreakerGateway(upstream, {}, { breakerHalfOpenMs: 100 });
    await gateway.open();
    const reaction = Promise.withResolvers<Reaction>();
    const arrived = Promise.withResolvers<'arrived'>();
    gateway.reactWith(() => {
      arrived.resolve('arrived');
      return reaction.promise;
    });
    const ask = () => leavable(gateway.url, reads[upstream].document, credentials);
    let asked = ask();
    while ((await Promise.race([arrived.promise, asked.ended])) !== 'arrived') asked = ask();
    expect(await gateway.breaker(upstream)).toBe('half-open');
    await gateway.expectKeptBack();
    expect(gateway.callsOf(upstream)).toHaveLength(11);
    if (end === 'answered well') {
      reaction.resolve(well(upstream));
      await asked.ended;
    } else {
      await asked.leave();
      gateway.reactWith(() => well(upstream));
      while (gateway.callsOf(upstream).length === 11) await ask().ended;
    }
    expect(await gateway.breaker(upstream)).toBe('closed');
  },
);
