import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate } from '../support/faults/gate.ts';
import { type Call, paced, startStack } from '../support/harness.ts';
import { type Arriving, askInParts, events, multipart } from '../support/in-parts.ts';
import { startFleet } from '../support/pacing/fleet.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const backend = createBackend(worldOf({ services: 3 }));
const operationTimeoutMs = 2000;
const deferTimeoutMs = 20_000;

const start = async (config: Partial<Config> = {}) => {
  const clock = stopTime();
  const gate = createGate();
  const stack = await startStack({
    ...backend,
    // Pipes, invitations and organizations are answered when the test says so, and all else at once.
    management: (call) =>
      /\/(?:pipes|invitations|organizations)$/.test(call.path)
        ? gate.answering(call)
        : backend.management(call),
    config: { operationTimeoutMs, writeTimeoutMs: operationTimeoutMs, deferTimeoutMs, ...config },
  });
  onTestFinished(() => stack.close());
  const sent = (end: string): readonly Call[] =>
    stack.calls.filter(({ path }) => path.endsWith(end));
  const answer = async (end: string): Promise<void> => {
    const waiting = gate.calls.find(({ call }) => withNames(call.path).endsWith(end));
    waiting?.answer(await backend.management(waiting.call));
  };
  const answerAll = async () => {
    for (const number of numbers(3)) await answer(`/service-${number}/pipes`);
  };
  /** Asks for the page, and waits for its first part and its calls. */
  const begin = async () => {
    const response = askInParts(stack, page);
    await clock.still(() => response.parts.length === 1 && sent('/pipes').length === 3);
    return response;
  };
  return { clock, stack, sent, answer, answerAll, begin };
};

const page = withIds(
  'query Page { organization(id: "organization-1") { services { name ... @defer { pipes { name } } } } }',
);
const laterOf = ({ parts }: Pick<Arriving, 'parts'>) =>
  parts.flatMap(({ incremental = [] }) => incremental);
/** The number of each service whose pipes have come, in the order in which they came. */
const servicesOf = (response: Pick<Arriving, 'parts'>) =>
  laterOf(response).map(({ path }) => Number(path[2]) + 1);
const errorsOf = (response: Pick<Arriving, 'parts'>) =>
  laterOf(response).map(({ errors }) => errors?.map(({ extensions }) => extensions));
const none = [undefined, undefined, undefined];
const timedOut = expect.objectContaining({ code: 'UPSTREAM_TIMEOUT', retryable: true });

describe('the parts of a response that are deferred', () => {
  it('come after OPERATION_TIMEOUT_MS too, each as soon as its read is there', async () => {
    const { clock, stack, answer, begin } = await start();
    const response = await begin();
    clock.advance(operationTimeoutMs + 1000);
    for (const number of [2, 3, 1]) {
      const before = laterOf(response).length;
      await answer(`/service-${number}/pipes`);
      await clock.still(() => laterOf(response).length === before + 1);
    }
    await response.ended;
    expect(servicesOf(response)).toEqual([2, 3, 1]);
    expect(errorsOf(response)).toEqual(none);
    expect(response.parts.at(-1)?.hasNext).toBe(false);
    expect(stack.calls).toHaveLength(4);
  });

  it('of 120 services come in one response, in the order of their slots', async () => {
    const { clock, stack } = await startFleet({ services: 120 });
    const response = askInParts(stack, page);
    await clock.until(response.ended);
    expect(servicesOf(response)).toEqual(numbers(120));
    expect(errorsOf(response).every((codes) => codes === undefined)).toBe(true);
    expect(stack.calls).toHaveLength(121);
  });

  it('come with UPSTREAM_TIMEOUT when DEFER_TIMEOUT_MS is over', async () => {
    const { clock, stack, answer, begin } = await start();
    const response = await begin();
    clock.advance(operationTimeoutMs + 1000);
    await answer('/service-2/pipes');
    await clock.still(() => laterOf(response).length === 1);
    clock.advance(deferTimeoutMs - operationTimeoutMs - 1000);
    await response.ended;
    expect(errorsOf(response)).toEqual([undefined, [timedOut], [timedOut]]);
    expect(servicesOf(response).toSorted()).toEqual([1, 2, 3]);
    expect(response.parts.at(-1)?.hasNext).toBe(false);
    expect(stack.log()).toContain('"codes":["UPSTREAM_TIMEOUT"]');
  });

  it('whose slots come only after DEFER_TIMEOUT_MS say at once when to ask again', async () => {
    const clock = stopTime();
    const stack = await startStack({
      ...backend,
      config: { ...paced, managementRate: { calls: 1, windowMs: 40_000 }, deferTimeoutMs: 90_000 },
    });
    onTestFinished(() => stack.close());
    const response = askInParts(stack, page);
    await clock.still(() => laterOf(response).length === 1);
    expect(servicesOf(response)).toEqual([3]);
    expect(errorsOf(response)).toEqual([
      [expect.objectContaining({ code: 'RATE_LIMITED', retryAfterSeconds: expect.any(Number) })],
    ]);
    await clock.until(response.ended);
    expect(servicesOf(response)).toEqual([3, 1, 2]);
  });

  it('have no less time than the operation', async () => {
    const { clock, answerAll, begin } = await start({ deferTimeoutMs: 500 });
    const response = await begin();
    clock.advance(operationTimeoutMs - 100);
    await answerAll();
    await response.ended;
    expect(errorsOf(response)).toEqual(none);
  });

  it.each([multipart, events])(
    'are given up when their caller leaves, and no timer goes on (%s)',
    async (accept) => {
      const { clock, stack } = await start({
        managementRate: { calls: 1, windowMs: 60_000 },
        deferTimeoutMs: 600_000,
      });
      const before = vi.getTimerCount();
      const response = askInParts(stack, page, { accept });
      await clock.still(() => response.parts.length === 1);
      clock.advance(operationTimeoutMs);
      response.leave();
      await clock.still(() => stack.log().includes('"operationName":"Page"'));
      // Those of the connections are over before.
      clock.advance(5000);
      await clock.still(() => vi.getTimerCount() === before);
      clock.advance(120_000);
      await stack.query('{ __typename }');
      expect(stack.calls).toHaveLength(1);
    },
  );
});

describe('OPERATION_TIMEOUT_MS holds for', () => {
  it('the first part', async () => {
    const { clock, sent, answerAll, stack } = await start();
    const document = withIds(
      '{ organization(id: "organization-1") { invitations { id } services { name ... @defer { pipes { name } } } } }',
    );
    const response = askInParts(stack, document);
    await clock.still(() => sent('/pipes').length + sent('/invitations').length === 4);
    clock.advance(operationTimeoutMs);
    await clock.still(() => response.parts.length > 0);
    expect(response.parts[0]).toMatchObject({
      errors: [{ path: ['organization', 'invitations'], extensions: { code: 'UPSTREAM_TIMEOUT' } }],
      hasNext: true,
    });
    await answerAll();
    await response.ended;
    expect(errorsOf(response)).toEqual(none);
  });

  it('a field of the first part, though a deferred part has begun its read before', async () => {
    const { clock, stack, sent, answer, answerAll } = await start();
    const document = withIds(`{
      organization(id: "organization-1") { services { name ... @defer { pipes { name } } } }
      organizations { id service(id: "service-2") { pipes { state } } }
    }`);
    const response = askInParts(stack, document);
    await clock.still(() => sent('/pipes').length === 3);
    await answer('/v1/organizations');
    await stack.query('{ __typename }');
    clock.advance(operationTimeoutMs);
    await clock.still(() => response.parts.length > 0);
    expect(response.parts[0]).toMatchObject({
      errors: [{ path: ['organizations', 0, 'service', 'pipes'], extensions: timedOut }],
    });
    await answerAll();
    await response.ended;
    expect(errorsOf(response)).toEqual(none);
    expect(sent('/pipes')).toHaveLength(3);
  });

  it('the whole response to a client that takes no parts', async () => {
    const { clock, sent, stack } = await start();
    const response = askInParts(stack, page, { accept: 'application/json' });
    await clock.still(() => sent('/pipes').length === 3);
    clock.advance(operationTimeoutMs);
    const [whole, ...more] = await response.ended;
    expect(more).toEqual([]);
    expect(whole?.errors).toMatchObject(numbers(3).map(() => ({ extensions: timedOut })));
  });
});
