import { expect, it, onTestFinished } from 'vitest';
import { json, result, startStack } from '../support/harness.ts';
import { stopTime } from '../support/pacing/time.ts';

it('a mutation is over after 200 seconds, for which proxies wait, however late its write was answered', async () => {
  const clock = stopTime();
  const written = Promise.withResolvers<void>();
  const stack = await startStack({
    management: async ({ method }) => {
      if (method === 'GET') return new Promise<never>(() => undefined);
      await written.promise;
      return result({ id: 'p1', name: 'n' });
    },
    observability: () => json({}, 500),
  });
  onTestFinished(stack.close);
  const answer = stack.query(`mutation {
    createPipe(input: {
      organizationId: "0a9a0000-0000-4000-8000-000000000001"
      serviceId: "5e4c0000-0000-4000-8000-000000000001"
      name: "n"
      source: { postgres: { host: "h" } }
    }) { pipe { name service { name } } }
  }`);
  await clock.still(() => stack.calls.length === 1);
  const beganAt = performance.now();
  clock.advance(175_000);
  written.resolve();
  const { body } = await clock.until(answer);
  expect(performance.now() - beganAt).toBe(25_000 + 175_000);
  expect(body).toMatchObject({
    data: { createPipe: { pipe: { name: 'n', service: null } } },
    errors: [{ extensions: { code: 'UPSTREAM_TIMEOUT' } }],
  });
});
