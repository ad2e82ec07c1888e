import { expect, it } from 'vitest';
import { pipeSubscription, startLive } from '../support/live-world.ts';
import { subscribe } from '../support/subscribe.ts';

it('an event that fails by a fault of the gateway says no more than that, and leaves a line in the log', async () => {
  const stack = await startLive({
    gateway: {
      plugins: [
        {
          onSubscribe: ({ args }) => {
            // Nothing can be executed with that.
            Object.assign(args, { schema: { secret: 'canary' } });
          },
        },
      ],
    },
  });
  const pipe = await subscribe(stack.url, pipeSubscription());
  await pipe.ended;
  expect(pipe.events).toHaveLength(1);
  expect(pipe.events[0].errors).toMatchObject([
    { message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } },
  ]);
  expect(JSON.stringify(pipe.events)).not.toContain('canary');
  expect(stack.log()).toContain('"msg":"unexpected error"');
  expect(stack.gateway.streams().streams).toBe(0);
  await stack.close();
});
