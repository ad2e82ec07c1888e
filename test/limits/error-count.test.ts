import { afterEach, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  data,
  result,
  type Stack,
  startStack,
  wide,
} from '../support/harness.ts';
import { postWays } from '../support/limits/ways.ts';

let stack: Stack;
afterEach(() => stack.close());

const rows = (count: number) =>
  Array.from({ length: count }, (_, index) => ({ id: `a${index}`, name: {} }));

/** Each of the rows has a name that does not fit. */
const start = async (count: number): Promise<void> => {
  stack = await startStack({
    management: () => result([]),
    observability: () => data(rows(count)),
  });
};

const query = '{ alerts { id name } }';

describe('an answer has at most a hundred errors', () => {
  it('and all of them where there are no more', async () => {
    await start(100);
    for (const send of Object.values(postWays)) {
      const { body } = await send(stack, { query });
      expect(body.errors).toHaveLength(100);
      expect(body.errors?.at(-1)).toMatchObject({ path: ['alerts', 99, 'name'] });
    }
  });

  it.each([101, 102, 250])('and says how many were left out: %i', async (count) => {
    await start(count);
    for (const send of Object.values(postWays)) {
      const { body } = await send(stack, { query });
      const errors = body.errors ?? [];
      expect(body.data).toEqual({ alerts: rows(count).map(({ id }) => ({ id, name: null })) });
      expect(errors.slice(0, 100).map(({ path }: AnswerError) => path)).toEqual(
        Array.from({ length: 100 }, (_, index) => ['alerts', index, 'name']),
      );
      expect(errors.slice(100)).toEqual([
        {
          message: `The answer may have at most 100 errors: ${count - 100} more were left out.`,
          extensions: {
            code: 'LIMIT_EXCEEDED',
            limit: 'errors',
            allowed: 100,
            requestId: expect.any(String),
          },
        },
      ]);
    }
  });

  it('and its line in the log names each code once', async () => {
    await start(250);
    await stack.query(query);
    const line = JSON.parse(stack.log().trim().split('\n').at(-1) ?? '');
    expect(line.codes).toEqual(['UPSTREAM_BAD_RESPONSE', 'LIMIT_EXCEEDED']);
  });
});

describe('a document of very many lines', () => {
  const lines = (count: number) => `${'\n'.repeat(count)}{ alerts { id name } }`;
  const locations = async (text: string) => {
    const { body } = await stack.query(text);
    return body.errors.map((error: { locations: unknown }) => error.locations);
  };

  it('has no place for its errors but the start', async () => {
    stack = await startStack({
      management: () => result([]),
      observability: () => data(rows(3)),
      config: wide,
    });
    expect(await locations(lines(5000))).toEqual(Array(3).fill([{ line: 5001, column: 15 }]));
    expect(await locations(lines(5001))).toEqual(Array(3).fill([{ line: 1, column: 1 }]));
    expect(await locations(lines(100_000))).toEqual(Array(3).fill([{ line: 1, column: 1 }]));
  });

  it('is not written into the log, secrets included', async () => {
    await start(0);
    const secret = 'a-secret-of-the-caller';
    await stack.query(
      `${'\r'.repeat(6000)}mutation { deleteDashboard(input: {dashboardId: "${secret}"}) { userErrors { code } } }`,
    );
    expect(stack.log()).not.toContain(secret);
  });
});
