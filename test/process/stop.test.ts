import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { until } from '../support/process/run-main.ts';
import { serve } from '../support/servers.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const head = 'POST /graphql HTTP/1.1\r\nhost: sluice\r\ncontent-type: application/json\r\n';

describe('a gateway that is told to stop is not kept by a client that', () => {
  it.each([
    ['sends nothing', ''],
    ['has sent half a header', 'POST /graphql HTTP/1.1\r\nhost:'],
    ['has sent half a body', `${head}content-length: 1000\r\n\r\n{"query":`],
    [
      'has sent half a body of unknown length',
      `${head}transfer-encoding: chunked\r\n\r\n5\r\n{"que\r\n`,
    ],
  ])('%s', async (_, sent) => {
    const gateway = await startGateway({}, { drainMs: 50 });
    const socket = connect(gateway.port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (sent) socket.write(sent);
    // The server has seen the connection once it answers another.
    expect((await fetch(`${gateway.origin}/healthz`)).status).toBe(200);
    const closed = once(socket, 'close');
    await gateway.close();
    await closed;
    expect(gateway.server.listening).toBe(false);
  });
});

it('a gateway that is told to stop is not kept by a response whose parts may come for minutes', async () => {
  const upstream = await serve(() => undefined);
  const gateway = await startGateway({ OBSERVABILITY_URL: upstream.origin }, { drainMs: 50 });
  const response = await fetch(gateway.url, {
    method: 'POST',
    headers: {
      ...{ accept: 'multipart/mixed', 'content-type': 'application/json' },
      authorization: 'Bearer t',
    },
    body: JSON.stringify({ query: '{ __typename ... @defer { alerts { name } } }' }),
  });
  const cutOff = expect(response.text()).rejects.toThrow('terminated');
  await gateway.close();
  await cutOff;
  await until(() => gateway.lines.join('').includes('"msg":"operation"'));
});

it('a gateway that is told to stop is not kept by a read that hangs while its caller waits', async () => {
  const asked = Promise.withResolvers<void>();
  const upstream = await serve(() => asked.resolve());
  const gateway = await startGateway({ OBSERVABILITY_URL: upstream.origin }, { drainMs: 50 });
  const answer = fetch(gateway.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer t' },
    body: JSON.stringify({ query: '{ alerts { name } }' }),
  });
  const cutOff = expect(answer).rejects.toThrow('fetch failed');
  await asked.promise;
  await gateway.close();
  await cutOff;
  // Nor is it left to its own bound.
  expect(gateway.lines.join('')).not.toContain('"reason":"timeout"');
});
