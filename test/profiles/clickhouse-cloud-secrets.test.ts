import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { json, type Stack, startStack } from '../support/harness.ts';
import { leaksIn, secretWritesBeyond } from '../support/hostile/secret-operations.ts';

/** The upstream refuses each write in words that repeat its whole body. */
describe('a secret that the reference lacks', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startStack({
      management: ({ body }) =>
        json({ status: 400, error: `BAD_REQUEST: cannot take ${body}` }, 400),
      observability: () => json({}),
      config: { managementProfile: 'clickhouse-cloud' },
    });
  });
  afterAll(() => stack.close());

  it.each(
    secretWritesBeyond.map((operation) => ({
      ...operation,
      title: `${operation.name} ${JSON.stringify(operation.variables).match(/"source":(.*)}}/)?.[1]}`,
    })),
  )('is sent, and neither answered nor logged: $title', async ({ name, document, variables }) => {
    stack.calls.length = 0;
    const { text, body } = await stack.query(document, { variables });
    expect(stack.calls.map((call) => leaksIn(call.body).length > 0)).toEqual([true]);
    expect(body.data[name].userErrors).toMatchObject([{ code: 'REJECTED' }]);
    expect(leaksIn(text)).toEqual([]);
    expect(leaksIn(stack.log())).toEqual([]);
  });
});
