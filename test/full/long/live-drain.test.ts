import { once } from 'node:events';
import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { run, sendAlerts } from '../../support/process/run-main.ts';
import { subscribe } from '../../support/subscribe.ts';

const streams = 100;

it('ends each of a hundred streams properly when it is told to stop, and exits with 0', async () => {
  const server = createServer((_, response) => sendAlerts(response)).listen(0, '127.0.0.1');
  await once(server, 'listening');
  onTestFinished(() => {
    server.close();
    server.closeAllConnections();
  });
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  const url = `http://127.0.0.1:${address.port}`;
  const gateway = run({ MANAGEMENT_URL: url, OBSERVABILITY_URL: url, PORT: '0' });
  const { port } = await gateway.logged('listening');
  const opened = await Promise.all(
    Array.from({ length: streams }, (_, index) =>
      subscribe(`http://127.0.0.1:${port}/graphql`, 'subscription { alerts { name } }', {
        headers: { 'observability-authorization': `Bearer token-${index % 10}` },
      }),
    ),
  );
  await Promise.all(opened.map((stream) => stream.event(1)));
  gateway.child.kill('SIGTERM');
  await Promise.all(opened.map(({ ended }) => ended));
  for (const { isComplete, response } of opened) {
    expect([isComplete, response.complete]).toEqual([true, true]);
  }
  const { code, signal, errors } = await gateway.ended;
  expect([code, signal, errors]).toEqual([0, null, '']);
  const ended = gateway.lines('subscription').map((line) => line.ended);
  expect(ended).toEqual(Array.from({ length: streams }, () => 'gateway stops'));
});
