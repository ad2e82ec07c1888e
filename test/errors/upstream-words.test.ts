import { expect, it } from 'vitest';
import { json, startStack } from '../support/harness.ts';

it('an upstream’s words arrive as one line without control characters', async () => {
  const stack = await startStack({
    management: () => json({}, 500),
    observability: () =>
      json({ message: ' red \u001b[31m and \u0000 nothing\u2028second line' }, 400),
  });
  const { body } = await stack.query(
    'mutation { createDashboard(input: {name: "x"}) { userErrors { message } } }',
  );
  expect(body.data.createDashboard.userErrors).toEqual([{ message: 'red  [31m and   nothing' }]);
  await stack.close();
});
