import { once } from 'node:events';
import { createServer, request as open, type RequestListener } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { createLazyListener } from '../src/lazy-listener.ts';

it('passes on those who waited while it was made, and nobody who left', async () => {
  const { promise: made, resolve: make } = Promise.withResolvers<RequestListener>();
  const listener = createLazyListener(
    () => made,
    (error) => {
      throw error;
    },
  );
  const passed: (string | undefined)[] = [];
  const server = createServer(listener);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
  });
  const address = server.address();
  const port = typeof address === 'object' && address ? address.port : 0;

  const send = async (path: string) => {
    const arrived = once(server, 'request');
    const request = open({ host: '127.0.0.1', port, path, agent: false });
    request.on('error', () => undefined);
    request.end();
    const [, response] = await arrived;
    return { request, response };
  };

  const leaver = await send('/leaver');
  leaver.request.destroy();
  await once(leaver.response, 'close');
  const stayer = await send('/stayer');
  const answered = once(stayer.request, 'response');
  make((request, response) => {
    passed.push(request.url);
    response.end();
  });
  const [answer] = await answered;
  answer.resume();
  expect(passed).toEqual(['/stayer']);
});
