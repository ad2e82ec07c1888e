import { once } from 'node:events';
import { connect, type Socket } from 'node:net';
import { afterEach, describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { createGateway } from '../../src/gateway/server.ts';
import { createLog } from '../../src/log.ts';

const sockets: Socket[] = [];
afterEach(() => {
  for (const socket of sockets.splice(0)) socket.destroy();
});

const start = async () => {
  const gateway = createGateway({
    config: readConfig({
      MANAGEMENT_URL: 'http://127.0.0.1:1',
      OBSERVABILITY_URL: 'http://127.0.0.1:1',
    }),
    log: createLog({ write: () => undefined }),
    drainMs: 50,
  });
  gateway.server.listen(0, '127.0.0.1');
  await once(gateway.server, 'listening');
  const address = gateway.server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return { gateway, port: address.port };
};

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
    const { gateway, port } = await start();
    const socket = connect(port, '127.0.0.1');
    sockets.push(socket);
    socket.on('error', () => undefined);
    await once(socket, 'connect');
    if (sent) socket.write(sent);
    // The server has seen the connection once it answers another.
    expect((await fetch(`http://127.0.0.1:${port}/healthz`)).status).toBe(200);
    const closed = once(socket, 'close');
    await gateway.close();
    await closed;
    expect(gateway.server.listening).toBe(false);
  });
});
