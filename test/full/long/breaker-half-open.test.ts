import { afterEach, describe, expect, it } from 'vitest';
import { type Reaction, reset } from '../../support/faults/backend.ts';
import {
  type BreakerGateway,
  otherCredentials,
  startBreakerGateway,
} from '../../support/faults/breaker.ts';
import { leavable } from '../../support/faults/gate.ts';
import { reads, status, well } from '../../support/faults/stack.ts';
import { credentials } from '../../support/harness.ts';

let gateway: BreakerGateway;
afterEach(() => gateway.close());

const start = async (...options: Parameters<typeof startBreakerGateway>) => {
  gateway = await startBreakerGateway(...options);
};

describe('an open breaker, once its time is over,', () => {
  const upstream = 'observability';
  const answered = () => gateway.query(reads[upstream].document);

  /** Opens it, and asks until one call tries; that one waits to be told how to react. */
  const trying = async () => {
    await start(upstream, {}, { breakerHalfOpenMs: 100 });
    await gateway.open();
    const reaction = Promise.withResolvers<Reaction>();
    const arrived = Promise.withResolvers<'arrived'>();
    gateway.reactWith(() => {
      arrived.resolve('arrived');
      return reaction.promise;
    });
    for (;;) {
      const { leave, ended } = leavable(gateway.url, reads[upstream].document, credentials);
      const first = await Promise.race([arrived.promise, ended]);
      if (first === 'arrived') return { react: reaction.resolve, leave, ended };
    }
  };

  it('lets one call try, and keeps the others back', async () => {
    const { react, ended } = await trying();
    expect(await gateway.breaker(upstream)).toBe('half-open');
    await gateway.expectKeptBack();
    expect(gateway[upstream].calls).toHaveLength(11);
    react(well(upstream));
    await ended;
  });

  it('closes when that succeeds', async () => {
    const { react, ended } = await trying();
    react(well(upstream));
    await ended;
    expect(await gateway.breaker(upstream)).toBe('closed');
    gateway.reactWith(() => well(upstream));
    expect((await answered()).data.alert.name).toBe('well');
    expect(gateway[upstream].calls).toHaveLength(12);
  });

  it('closes too when the call is refused with a 4xx: the upstream is there', async () => {
    const { react, ended } = await trying();
    react(status(403));
    await ended;
    expect(await gateway.breaker(upstream)).toBe('closed');
  });

  it('needs ten failures again after it has closed', async () => {
    const { react, ended } = await trying();
    react(well(upstream));
    await ended;
    gateway.reactWith(() => status(502));
    await gateway.read(9);
    expect(await gateway.breaker(upstream)).toBe('closed');
    await gateway.read(1);
    expect(await gateway.breaker(upstream)).toBe('open');
  });

  it('opens again when that fails, for its caller until its time is over again', async () => {
    const { react, ended } = await trying();
    react(reset);
    await ended;
    expect(await gateway.breaker(upstream)).toBe('open');
    gateway.reactWith(() => well(upstream));
    const before = gateway[upstream].calls.length;
    while (gateway[upstream].calls.length === before) await answered();
    expect(await gateway.breaker(upstream)).toBe('closed');
  });

  it('lets another caller try at once when that fails', async () => {
    const { react, ended } = await trying();
    react(reset);
    await ended;
    gateway.reactWith(() => well(upstream));
    const { data } = await gateway.query(reads[upstream].document, otherCredentials);
    expect(data.alert.name).toBe('well');
    expect(await gateway.breaker(upstream)).toBe('closed');
  });

  it('lets another try after a write that fails, which tells nothing', async () => {
    await start(upstream, {}, { breakerHalfOpenMs: 100 });
    await gateway.open();
    gateway.reactWith(() => status(502));
    const before = gateway[upstream].calls.length;
    while (gateway[upstream].calls.length === before) await gateway.write(1);
    expect(await gateway.breaker(upstream)).toBe('open');
    gateway.reactWith(() => well(upstream));
    expect((await answered()).data.alert.name).toBe('well');
  });

  it('lets another try when the caller of that one goes away', async () => {
    const { leave } = await trying();
    await leave();
    gateway.reactWith(() => well(upstream));
    const before = gateway[upstream].calls.length;
    while (gateway[upstream].calls.length === before) await answered();
    expect(await gateway.breaker(upstream)).toBe('closed');
  });
});
