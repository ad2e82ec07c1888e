import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { call, postOf } from '../support/http/caller.ts';

const head = (line: string, ...headers: readonly string[]): string =>
  [line, 'host: sluice', ...headers, '', ''].join('\r\n');

/** All that comes back until the gateway closes the connection, which the bytes ask it to. */
const send = async (bytes: string): Promise<string> => {
  const { port } = await startGateway();
  const caller = call(port);
  caller.socket.write(bytes);
  expect(await caller.closed).toBeUndefined();
  return caller.text();
};

describe('a target that is a whole URL is answered as its path is:', () => {
  it.each([
    ['GET', '/healthz', 200, '{"status":"alive"}'],
    ['GET', '/readyz', 200, '"status":"ready"'],
    ['GET', '/', 200, 'The GraphQL endpoint is /graphql.'],
    ['GET', '/graphql?query={__typename}', 200, '{"data":{"__typename":"Query"}}'],
    ['GET', '/nowhere', 404, ''],
  ])('%s %s', async (method, path, status, body) => {
    const text = await send(
      head(`${method} http://sluice.example${path} HTTP/1.1`, 'connection: close'),
    );
    expect(text).toMatch(new RegExp(`^HTTP/1\\.1 ${status} `));
    expect(text).toContain(body);
  });

  it('a POST', async () => {
    const post = postOf('{ __typename }', 'connection: close');
    const text = await send(post.replace('POST /', 'POST https://sluice.example:8443/'));
    expect(text).toContain('{"data":{"__typename":"Query"}}');
  });

  it('one that is no URL is no fault of the gateway', async () => {
    const text = await send(head('OPTIONS * HTTP/1.1', 'connection: close'));
    expect(text).toMatch(/^HTTP\/1\.1 4\d\d /);
  });
});

describe('an upgrade', () => {
  const key = 'sec-websocket-key: dGhlIHNhbXBsZSBub25jZQ==';

  it.each(['websocket', 'WebSocket', 'h2c, websocket'])(
    'to %s is refused with a word on Server-Sent Events',
    async (upgrade) => {
      const headers = [
        'connection: Upgrade',
        `upgrade: ${upgrade}`,
        key,
        'sec-websocket-version: 13',
      ];
      const text = await send(head('GET /graphql HTTP/1.1', ...headers));
      expect(text).toMatch(/^HTTP\/1\.1 426 Upgrade Required\r\n/);
      expect(text).toMatch(/\r\nconnection: upgrade, close\r\n/i);
      const { errors } = JSON.parse(text.slice(text.indexOf('{')));
      expect(errors).toEqual([
        {
          message: expect.stringContaining('Server-Sent Events'),
          extensions: { code: 'BAD_REQUEST', requestId: expect.any(String) },
        },
      ]);
    },
  );

  it('to HTTP/2 is ignored, and the request is answered', async () => {
    const post = postOf(
      '{ __typename }',
      'connection: Upgrade, HTTP2-Settings, close',
      'upgrade: h2c',
      'http2-settings: AAMAAABkAAQCAAAAAAIAAAAA',
    );
    expect(await send(post)).toContain('{"data":{"__typename":"Query"}}');
  });
});
