import { afterEach, expect, it, vi } from 'vitest';
import { type Answer, type Call, data, json, type Stack, startStack } from './harness.ts';

/** More than it takes for what is selected of them to be compiled. */
const length = 250;
const alertsOf = (owner: string) =>
  Array.from({ length }, (_, index) => ({ id: `a${index}`, name: `"${owner}" ${index} \u2028` }));

const query = '{ alerts { id name } other: alerts { name } }';
const as = (token: string, accept = '*/*') => ({
  headers: {
    accept,
    'x-request-id': 'the-same',
    'observability-authorization': `Bearer ${token}`,
  },
});

let stack: Stack;
afterEach(() => stack.close());

it('prints an answer once for the requests that share it, and for no other credential', async () => {
  let held: (() => void)[] | undefined;
  const answerOf = ({ headers }: Call): Answer =>
    data(alertsOf(String(headers.authorization).replace('Bearer ', '')));
  stack = await startStack({
    management: () => json({}, 500),
    observability: (call) =>
      new Promise((answer) => {
        if (held) held.push(() => answer(answerOf(call)));
        else answer(answerOf(call));
      }),
  });
  const expected = {
    // Yoga's way in shares no answer.
    ours: (await stack.query(query, as('ours', 'application/json;q=1'))).text,
    theirs: (await stack.query(query, as('theirs', 'application/json;q=1'))).text,
  };
  expect(expected.ours).not.toBe(expected.theirs);
  expect((await stack.query(query, as('ours'))).text).toBe(expected.ours);

  held = [];
  const stringify = vi.spyOn(JSON, 'stringify');
  try {
    const before = stack.calls.length;
    const answers = ['ours', 'ours', 'theirs', 'ours'].map((token) =>
      stack.query(query, as(token)),
    );
    await expect.poll(() => stack.calls.length).toBe(before + 2);
    // Whoever was sent before this has come to its read.
    await stack.query('{ __typename }');
    for (const answer of held) answer();
    const [first, second, other, third] = (await Promise.all(answers)).map(({ text }) => text);
    expect([first, second, third]).toEqual([expected.ours, expected.ours, expected.ours]);
    expect(other).toBe(expected.theirs);
    expect(stack.calls).toHaveLength(before + 2);
    const printed = stringify.mock.calls.filter(([value]) => value?.data?.alerts !== undefined);
    expect(printed).toHaveLength(2);
  } finally {
    stringify.mockRestore();
  }
});
