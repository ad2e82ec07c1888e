import { afterEach, expect, it } from 'vitest';
import { type Answer, type Call, data, json, type Stack, startStack } from './harness.ts';

let stack: Stack;
afterEach(() => stack.close());

it('calls beyond the connections wait, and those beyond the queue fail at once', async () => {
  const waiting: ((answer: Answer) => void)[] = [];
  stack = await startStack({
    management: () => json({}, 500),
    observability: (_: Call) => new Promise<Answer>((answer) => waiting.push(answer)),
    config: { upstreamConnections: 1, upstreamQueue: 2, shareInFlight: false },
  });
  const codes: unknown[] = [];
  const ask = async () => {
    const { body } = await stack.query('{ alerts { name } }');
    codes.push(body.errors?.[0].extensions.code ?? 'answered');
  };
  const asked = Array.from({ length: 8 }, ask);
  // Those that find the queue full are answered while all others wait.
  await expect.poll(() => codes.length).toBe(5);
  expect(new Set(codes)).toEqual(new Set(['UPSTREAM_UNAVAILABLE']));
  const kept = 3;
  for (let answered = 0; answered < kept; answered += 1) {
    await expect.poll(() => waiting.length).toBeGreaterThan(answered);
    waiting[answered]?.(data([]));
  }
  await Promise.all(asked);
  expect(codes.filter((code) => code === 'answered')).toHaveLength(kept);
  expect(stack.calls).toHaveLength(kept);
});
