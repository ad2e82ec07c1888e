import { once } from 'node:events';
import { connect } from 'node:net';
import { describe, expect, it, onTestFinished } from 'vitest';
import { data, result, startStack } from '../support/harness.ts';

const start = async () => {
  const stack = await startStack({
    management: () => result([]),
    observability: () => data([{ id: 'a1', name: 'lag' }]),
    gateway: { streamLifetimeMs: 100 },
  });
  onTestFinished(stack.close);
  return Number(new URL(stack.url).port);
};

const subscription = ['subscription { alerts { name } }', 'text/event-stream'] as const;
const deferred = ['{ __typename ... @defer { alerts { name } } }', 'multipart/mixed'] as const;
const plain = ['{ alerts { name } }', 'application/json'] as const;

/** What comes back until the gateway closes the connection. */
const send = async (
  [query, accept]: readonly [string, string],
  version: string,
  connection: string,
) => {
  const body = JSON.stringify({ query });
  const socket = connect(await start(), '127.0.0.1');
  onTestFinished(() => void socket.destroy());
  let text = '';
  socket.on('data', (chunk: Buffer) => {
    text += chunk.toString();
  });
  socket.write(
    [
      `POST /graphql HTTP/${version}`,
      ...['host: sluice', 'content-type: application/json', 'authorization: Bearer token'],
      ...[`accept: ${accept}`, `content-length: ${body.length}`, `connection: ${connection}`],
      '',
      body,
    ].join('\r\n'),
  );
  await once(socket, 'close');
  const [head = ''] = text.split('\r\n\r\n', 1);
  return { head: head.toLowerCase(), body: text.slice(head.length + 4) };
};

describe('a response ends with its connection where the client asks for that:', () => {
  it.each([
    ['events', '1.1', 'close', subscription],
    ['events', '1.0', 'close', subscription],
    ['events', '1.0', 'keep-alive', subscription],
    ['parts', '1.1', 'close', deferred],
    ['parts', '1.0', 'close', deferred],
    ['parts', '1.0', 'keep-alive', deferred],
    ['one answer', '1.1', 'close', plain],
    ['one answer', '1.0', 'close', plain],
  ] as const)('%s: HTTP/%s, connection: %s', async (_, version, connection, sent) => {
    const { head, body } = await send(sent, version, connection);
    expect(head).toMatch(/^http\/1\.1 200 ok\r\n/);
    expect(head.match(/^connection: .*$/gm)).toEqual(['connection: close']);
    expect(body).toContain('{"name":"lag"}');
    // Asks proxies to hand on what is sent while it grows.
    expect(head.includes('\nx-accel-buffering: no')).toBe(sent !== plain);
    // A client of HTTP/1.0 would read the lengths of the chunks as part of the answer.
    if (version === '1.0') expect(head).not.toContain('transfer-encoding');
    if (version === '1.0' && sent !== plain) expect(body).toMatch(/^(?::\n\n|\r\n---)/);
  });
});
