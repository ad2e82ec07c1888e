import { expect, it } from 'vitest';
import { json, result, startStack } from '../support/harness.ts';

const ids =
  'organizationId: "0a9a0000-0000-4000-8000-000000000001", serviceId: "5e4c0000-0000-4000-8000-000000000001"';

it('a refusal does not repeat the secret of a mutation before it in the same operation', async () => {
  const secret = 'canary-of-the-first-field';
  const stack = await startStack({
    management: ({ method }) =>
      method === 'POST'
        ? result({ id: '919e0000-0000-4000-8000-000000000001', name: 'one' })
        : json({ status: 400, error: `REFUSED: not while ${secret} is new` }, 400),
    observability: () => json({}, 500),
  });
  const { text, body } = await stack.query(`mutation {
    first: createPipe(input: {${ids}, source: {kafka: {credentials: {username: "u", password: "${secret}"}}}})
      { pipe { name } }
    second: updateServiceScaling(input: {${ids}, numReplicas: 3}) { userErrors { message } }
  }`);
  expect(body.data.first.pipe.name).toBe('one');
  expect(body.data.second.userErrors[0].message).toBe('not while [redacted] is new.');
  expect(text).not.toContain(secret);
  await stack.close();
});
