import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { createFront } from '../src/front.ts';
import { createReceive } from '../src/request.ts';

it('tells of an error that leaves a request without an answer, and closes its connection', async () => {
  const told: unknown[] = [];
  const broken = new Error('nothing can be finished');
  const front = createFront({
    path: '/graphql',
    maxBodyBytes: 1000,
    receive: createReceive({
      operationTimeoutMs: 1000,
      maxUpstreamCalls: 1,
      maxParallelCalls: 1,
      explain: false,
    }),
    findText: ({ query }) => query as string,
    run: () => ({ data: {} }),
    finish: () => {
      throw broken;
    },
    others: (_, response) => void response.end('others'),
    allowOrigin: () => 'open',
    answerHealth: () => false,
    onFailure: (error) => told.push(error),
  });
  const server = createServer(front).listen(0, '127.0.0.1');
  onTestFinished(() => {
    server.close();
  });
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  const asked = fetch(`http://127.0.0.1:${port}/graphql`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: '{"query":"{ a }"}',
  });
  await expect(asked).rejects.toThrow('fetch failed');
  expect(told).toEqual([broken]);
});
