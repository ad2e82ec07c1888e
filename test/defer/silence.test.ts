import { describe, expect, it, onTestFinished } from 'vitest';
import type { GatewayOptions } from '../../src/gateway/server.ts';
import { createGate } from '../support/faults/gate.ts';
import { data, result, startStack } from '../support/harness.ts';
import { askInParts, events } from '../support/in-parts.ts';
import { organizationId, serviceId } from '../support/live-world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';

const page = `{ service(organizationId: "${organizationId}", serviceId: "${serviceId}") {
  name ... @defer { pipes { name } }
} }`;

/** A service whose pipes are answered when the test says so. */
const start = async (options: Partial<GatewayOptions> = {}) => {
  const gate = createGate();
  const stack = await startStack({
    management: (call) =>
      call.path.endsWith('/pipes') ? gate.answering(call) : result({ id: serviceId, name: 'one' }),
    observability: () => data([]),
    gateway: options,
  });
  onTestFinished(() => stack.close());
  return { gate, stack };
};

const first = expect.objectContaining({ data: { service: { name: 'one' } }, hasNext: true });
const last = { incremental: [{ data: { pipes: [] }, path: ['service'] }], hasNext: false };
const empty = { hasNext: true };

const commentsIn = (text: string): number =>
  text.split('\n\n').filter((each) => each === ':').length;

describe('while the next part is waited for', () => {
  it('an empty one comes every 15 seconds, so that proxies keep the connection', async () => {
    const clock = stopTime();
    const { gate, stack } = await start();
    const { parts, ended } = askInParts(stack, page);
    await clock.still(() => parts.length === 1);
    clock.advance(14_900);
    await stack.query('{ __typename }');
    expect(parts).toEqual([first]);
    clock.advance(100);
    await clock.still(() => parts.length === 2);
    clock.advance(15_000 - 7500);
    await stack.query('{ __typename }');
    expect(parts).toHaveLength(2);
    // The read has 25 seconds in all.
    (await gate.arrived(1)).answer(result([]));
    expect(await ended).toEqual([first, empty, last]);
  });

  it("Yoga's comments do the same on a stream of events", async () => {
    const { gate, stack } = await start();
    const { ended, text } = askInParts(stack, page, { accept: events });
    // Under test there is one every 300 milliseconds.
    await until(
      () =>
        text()
          .split('\n\n')
          .filter((each) => each === ':').length > 2,
    );
    (await gate.arrived(1)).answer(result([]));
    expect(await ended).toEqual([first, last]);
  });

  it('a subscription has these comments alone, though its client takes parts too', async () => {
    const { stack } = await start({ silenceMs: 50 });
    const accept = 'text/event-stream, multipart/mixed';
    const { parts, text, leave } = askInParts(stack, 'subscription { alerts { id } }', { accept });
    await until(() => commentsIn(text()) > 2);
    leave();
    expect(parts).toEqual([{ data: { alerts: [] } }]);
  });
});
