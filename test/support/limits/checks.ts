import { expect } from 'vitest';
import type { Stack } from '../harness.ts';
import type { WayAnswer, ways } from './ways.ts';

export const expectRefused = (
  stack: Stack,
  answer: WayAnswer,
  limit: string,
  allowed: number,
): void => {
  expect(answer.body).not.toHaveProperty('data');
  expect(answer.body.errors).toMatchObject([
    { extensions: { code: 'LIMIT_EXCEEDED', limit, allowed } },
  ]);
  expect(answer.status).toBeLessThan(500);
  expect(answer.type).toMatch(/json/);
  expect(stack.calls).toEqual([]);
};

/** `executed` says whether the selections themselves are asked for. */
export const expectAccepted = (stack: Stack, answer: WayAnswer, executed: boolean): void => {
  expect(answer.body.errors).toBeUndefined();
  expect(answer.status).toBe(200);
  expect(answer.body.data).toBeTypeOf('object');
  expect(stack.calls.length > 0).toBe(executed);
};

export const isAskedFor = (form: string): boolean => !form.includes('not asked for');

/** One document at the limit and one beyond it, in that form; each of them must be new to the gateway. */
export const atAndBeyond = async (
  stack: Stack,
  limit: string,
  allowed: number,
  documentOf: (count: number) => string,
  entries: typeof ways,
  executed: boolean,
): Promise<void> => {
  for (const [title, send] of Object.entries(entries)) {
    for (const count of [allowed, allowed + 1]) {
      stack.calls.length = 0;
      // Told apart by a comment, so that no entry lives on what another has left in a cache.
      const query = `# ${title}\n${documentOf(count)}`;
      const answer = await send(stack, { query, operationName: 'Asked' });
      if (count === allowed) expectAccepted(stack, answer, executed);
      else {
        expectRefused(stack, answer, limit, allowed);
        const message = answer.body.errors?.[0]?.message;
        // Tokens are not counted beyond the last that is allowed.
        const got = limit === 'tokens' ? '' : `; this one comes to ${count}`;
        expect(message).toMatch(new RegExp(` ${allowed} .*, fragments included${got}\\.$`));
      }
    }
  }
};
