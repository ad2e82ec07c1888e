import { describe, it, type TestContext } from 'vitest';
import { data, startStack } from '../../support/harness.ts';
import { createDocuments } from '../../support/pacing/documents.ts';
import {
  createExactUpstream,
  mostWithin,
  type WindowKind,
  windowKinds,
} from '../../support/pacing/exact-upstream.ts';

const rate = { calls: 10, windowMs: 500 };
const jitterMs = 60;
const holders = Array.from({ length: 8 }, (_, index) => `Basic ${btoa(`key-${index}:secret`)}`);

const start = async (kind: WindowKind, { onTestFinished }: TestContext) => {
  const upstream = createExactUpstream(rate, kind, jitterMs);
  const stack = await startStack({
    management: upstream.answering,
    observability: () => data([]),
    config: { managementRate: rate },
  });
  onTestFinished(() => stack.close());
  return { ...upstream, stack, documentOf: createDocuments() };
};

const times = (count: number, each: () => Promise<void>): Promise<unknown> =>
  Promise.all(Array.from({ length: count }, each));

// Nothing is said about how long anything takes, so they may keep each other waiting.
describe.concurrent.each(windowKinds)(
  'an upstream whose windows are %s, with 60 ms of jitter each way,',
  (kind) => {
    it('answers 1 000 calls without a 429, the limit in each window', async (context) => {
      const { expect } = context;
      const { stack, documentOf, counted, refused } = await start(kind, context);
      const errors: unknown[] = [];
      const view = async (holder: string): Promise<void> => {
        for (let operation = 0; operation < 5; operation += 1) {
          const headers = { 'management-authorization': holder };
          const { body } = await stack.query(documentOf(5), { headers });
          errors.push(...(body.errors ?? []));
        }
      };
      await Promise.all(holders.map((holder) => times(5, () => view(holder))));
      expect([errors, refused]).toEqual([[], []]);
      expect(stack.calls).toHaveLength(1000);
      for (const holder of holders) {
        expect(mostWithin(rate.windowMs, counted.get(holder) ?? [])).toBe(rate.calls);
      }
    });
  },
);

// One kind after the other, and few callers: a call that was given up is to be counted within a second, and an upstream that
// shares a busy process with the gateway may read it later than that.
describe.each(windowKinds)('where callers leave while their calls are under way,', (kind) => {
  it(`an upstream whose windows are ${kind} answers no 429 either`, async (context) => {
    const { expect } = context;
    const { stack, documentOf, counted, refused } = await start(kind, context);
    const few = holders.slice(0, 2);
    const send = async (holder: string, signal: AbortSignal | null): Promise<unknown> => {
      const response = await fetch(stack.url, {
        method: 'POST',
        headers: { 'content-type': 'application/json', 'management-authorization': holder },
        body: JSON.stringify({ query: documentOf(10) }),
        signal,
      });
      return response.json();
    };
    const view = async (holder: string): Promise<void> => {
      for (let round = 0; round < 3; round += 1) {
        const leaving = new AbortController();
        const left = expect(send(holder, leaving.signal)).rejects.toThrow();
        const countedBefore = counted.get(holder)?.length ?? 0;
        await expect
          .poll(() => counted.get(holder)?.length ?? 0, { interval: 5 })
          .toBeGreaterThan(countedBefore);
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
});
