import { describe, it, type TestContext } from 'vitest';
import { data, startStack } from '../../support/harness.ts';
import { post } from '../../support/http/requests.ts';
import {
  createExactUpstream,
  documentOf,
  mostWithin,
} from '../../support/pacing/exact-upstream.ts';
import { subscribe } from '../../support/subscribe.ts';

const rate = { calls: 10, windowMs: 500 };
const jitterMs = 60;
const holders = Array.from({ length: 8 }, (_, index) => `Basic ${btoa(`key-${index}:secret`)}`);

const start = async ({ onTestFinished }: TestContext) => {
  const upstream = createExactUpstream(rate, jitterMs);
  const stack = await startStack({
    management: upstream.answering,
    observability: () => data([]),
    // However slow the machine is.
    config: { managementRate: rate, operationTimeoutMs: 600_000, pacingWaitMs: 600_000 },
    gateway: { pollMs: { management: 100, observability: 100 } },
  });
  onTestFinished(() => stack.close());
  return { ...upstream, stack };
};

describe('an upstream with 60 ms of jitter each way', () => {
  it('answers 1 000 calls without a 429', async (context) => {
    const { expect } = context;
    const { stack, counted, refused } = await start(context);
    const errors: unknown[] = [];
    const view = async (holder: string): Promise<void> => {
      for (let operation = 0; operation < 5; operation += 1) {
        const headers = { 'management-authorization': holder };
        const { body } = await stack.query(documentOf(5), { headers });
        errors.push(...(body.errors ?? []));
      }
    };
    const views = holders.flatMap((holder) => [1, 2, 3, 4, 5].map(() => view(holder)));
    await Promise.all(views);
    expect([errors, refused]).toEqual([[], []]);
    expect(stack.calls).toHaveLength(1000);
    for (const holder of holders) {
      expect(mostWithin(rate.windowMs, counted.get(holder) ?? [])).toBeLessThanOrEqual(rate.calls);
    }
  });

  // Few callers: a call that was given up is to be counted within a second, and an upstream that shares a busy process with
  // the gateway may read it later than that.
  it('answers no 429 either where callers leave while their calls are under way', async (context) => {
    const { expect } = context;
    const { stack, counted, refused } = await start(context);
    const few = holders.slice(0, 2);
    const send = async (holder: string, signal: AbortSignal | null): Promise<unknown> => {
      const headers = { 'management-authorization': holder };
      return (await post(stack.url, documentOf(10), headers, { signal })).json();
    };
    const view = async (holder: string): Promise<void> => {
      const count = () => counted.get(holder)?.length ?? 0;
      for (let round = 0; round < 3; round += 1) {
        const leaving = new AbortController();
        const left = expect(send(holder, leaving.signal)).rejects.toThrow();
        const before = count();
        await expect.poll(count, { interval: 5 }).toBeGreaterThan(before);
        setTimeout(() => leaving.abort(), (Math.random() * jitterMs) / 2);
        await left;
        expect(await send(holder, null)).not.toHaveProperty('errors');
      }
    };
    await Promise.all(few.map(view));
    expect(refused).toEqual([]);
    // Those of the callers who left have been sent too.
    expect(stack.calls.length).toBeGreaterThan(few.length * 3 * 10);
    for (const holder of few) {
      expect(mostWithin(rate.windowMs, counted.get(holder) ?? [])).toBeLessThanOrEqual(rate.calls);
    }
  });

  it('answers no 429 to the polls of ten subscriptions beside the views of one key', async (context) => {
    const { expect } = context;
    const { stack, counted, refused } = await start(context);
    const [holder = ''] = holders;
    const headers = { 'management-authorization': holder };
    const id = (number: number) => `00000000-0000-4000-9000-${`${number}`.padStart(12, '0')}`;
    const watch = (number: number) =>
      `subscription { pipes(organizationId: "${id(0)}", serviceId: "${id(number)}") { id } }`;
    const open = async (number: number) => {
      const stream = await subscribe(stack.url, watch(number), { headers });
      await stream.event(1);
      return stream;
    };
    // Before its first answer a key may have four streams.
    const first = await open(10);
    const opened = [
      first,
      ...(await Promise.all(Array.from({ length: 9 }, (_, index) => open(index + 1)))),
    ];
    for (let view = 0; view < 10; view += 1) {
      const { body } = await stack.query(documentOf(5), { headers });
      expect(body).not.toHaveProperty('errors');
    }
    for (const stream of opened) stream.leave();
    expect(refused).toEqual([]);
    // Some were polled meanwhile.
    expect(stack.calls.length).toBeGreaterThan(10 + 50);
    expect(mostWithin(rate.windowMs, counted.get(holder) ?? [])).toBeLessThanOrEqual(rate.calls);
  });
});
