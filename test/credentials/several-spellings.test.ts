import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, data, json, result, type Stack, startStack } from '../support/harness.ts';

let stack: Stack;
afterEach(() => stack.close());

/** Starts a gateway whose observability upstream answers one token so, however the header spells it. */
const start = async (answer: () => Answer | Promise<Answer>): Promise<void> => {
  stack = await startStack({
    management: () => result([]),
    observability: ({ headers }) =>
      headers.authorization?.includes('provoker') ? answer() : data([{ id: 'a', name: 'well' }]),
    config: { maxRetries: 0 },
  });
};

const spellings = ['Bearer ', 'bearer ', 'BEARER ', 'Bearer  ', 'Bearer   ', 'bearer  '].map(
  (start) => `${start}provoker`,
);

const ask = (credential: string, document = '{ alerts { name } }') =>
  stack.query(document, { headers: { 'observability-authorization': credential } });

const isAnswered = async (): Promise<void> => {
  const { body } = await ask('Bearer other');
  expect(body).toEqual({ data: { alerts: [{ name: 'well' }] } });
};

describe('a caller who spells one credential in several ways', () => {
  it('does not open the breaker for others', async () => {
    await start(() => json({ message: 'no' }, 504));
    for (const spelling of [...spellings, ...spellings]) await ask(spelling);
    expect(stack.calls).toHaveLength(12);
    await isAnswered();
  });

  it('has no more connections than one who does not', async () => {
    await start(() => new Promise(() => undefined));
    const documents = Array.from(
      { length: 20 },
      (_, index) => `{ alert(id: "a${index}") { name } }`,
    );
    // The gateway closes with most of these unanswered.
    for (const document of documents) {
      for (const spelling of spellings) void ask(spelling, document).catch(() => undefined);
    }
    await expect.poll(() => stack.calls.length).toBe(16);
    await isAnswered();
    expect(stack.calls).toHaveLength(17);
  });
});
