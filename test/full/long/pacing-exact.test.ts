import { describe, it, type TestContext } from 'vitest';
import { data, startStack } from '../../support/harness.ts';
import { createDocuments } from '../../support/pacing/documents.ts';
import {
  createExactUpstream,
  mostWithin,
  type WindowKind,
  windowKinds,
} from '../../support/pacing/exact-upstream.ts';
import { subscribe } from '../../support/subscribe.ts';

const rate = { calls: 10, windowMs: 500 };
const jitterMs = 60;
const holders = Array.from({ length: 8 }, (_, index) => `Basic ${btoa(`key-${index}:secret`)}`);

const start = async (kind: WindowKind, { expect, onTestFinished }: TestContext) => {
  const upstream = createExactUpstream(rate, kind, jitterMs);
  const stack = await startStack({
    management: upstream.answering,
    observability: () => data([]),
    // However slow the machine is.
    config: { managementRate: rate, operationTimeoutMs: 600_000, pacingWaitMs: 600_000 },
    gateway: { pollMs: { management: 100, observability: 100 } },
  });
  onTestFinished(() => stack.close());
  const documentOf = createDocuments();
  const { counted, refused } = upstream;
  return {
    ...{ stack, documentOf, counted },
    /** Expects a view of so many calls to be whole. */
    view: async (holder: string, calls: number): Promise<void> => {
      const headers = { 'management-authorization': holder };
      const { body } = await stack.query(documentOf(calls), { headers });
      expect(body).not.toHaveProperty('errors');
    },
    expectKept: (calls: number): void => {
      expect(refused).toEqual([]);
      expect(stack.calls.length).toBeGreaterThanOrEqual(calls);
      for (const times of counted.values()) {
        expect(mostWithin(rate.windowMs, times)).toBeLessThanOrEqual(rate.calls);
      }
    },
  };
};

// Nothing is said about how long anything takes, so they may keep each other waiting.
describe.concurrent.each(windowKinds)(
  'an upstream whose windows are %s, with 60 ms of jitter each way,',
  (kind) => {
    it('answers 1 000 calls without a 429', async (context) => {
      const { view, expectKept } = await start(kind, context);
      const viewers = holders.flatMap((holder) => [1, 2, 3, 4, 5].map(() => holder));
      const views = viewers.map(async (holder) => {
        for (let operation = 0; operation < 5; operation += 1) await view(holder, 5);
      });
      await Promise.all(views);
      expectKept(1000);
    });
  },
);

// One kind after the other, and few callers: a call that was given up is to be counted within a second, and an upstream that
// shares a busy process with the gateway may read it later than that.
describe.each(windowKinds)('where its windows are %s', (kind) => {
  it('an upstream answers no 429 either where callers leave while their calls are under way', async (context) => {
    const { expect } = context;
    const { stack, documentOf, counted, view, expectKept } = await start(kind, context);
    const few = holders.slice(0, 2);
    const leave = async (holder: string): Promise<void> => {
      const count = () => counted.get(holder)?.length ?? 0;
      for (let round = 0; round < 3; round += 1) {
        const leaving = new AbortController();
        const headers = { 'content-type': 'application/json', 'management-authorization': holder };
        const body = JSON.stringify({ query: documentOf(10) });
        const sent = fetch(stack.url, { method: 'POST', headers, body, signal: leaving.signal });
        const left = expect(sent.then((answer) => answer.text())).rejects.toThrow();
        const before = count();
        await expect.poll(count, { interval: 5 }).toBeGreaterThan(before);
        setTimeout(() => leaving.abort(), (Math.random() * jitterMs) / 2);
        await left;
        await view(holder, 10);
      }
    };
    await Promise.all(few.map(leave));
    // Those of the callers who left have been sent too.
    expectKept(few.length * 3 * 10 + 1);
  });

  it('an upstream answers no 429 to the polls of ten subscriptions beside the views of one key', async (context) => {
    const { stack, view, expectKept } = await start(kind, context);
    const [holder = ''] = holders;
    const id = (number: number) => `00000000-0000-4000-9000-${`${number}`.padStart(12, '0')}`;
    const streams = Array.from({ length: 10 }, (_, index) =>
      subscribe(
        stack.url,
        `subscription { pipes(organizationId: "${id(0)}", serviceId: "${id(index + 1)}") { id } }`,
        { headers: { 'management-authorization': holder } },
      ),
    );
    const opened = await Promise.all(streams);
    await Promise.all(opened.map((stream) => stream.event(1)));
    for (let views = 0; views < 10; views += 1) await view(holder, 5);
    for (const stream of opened) stream.leave();
    // Some were polled meanwhile.
    expectKept(10 + 50 + 1);
  });
});
