import '../../support/client/built.ts';
import { setTimeout as pause } from 'node:timers/promises';
import { ApolloClient, gql, HttpLink, InMemoryCache } from '@apollo/client';
import { Defer20220824Handler } from '@apollo/client/incremental';
import { Agent } from 'undici';
import { expect, it, onTestFinished } from 'vitest';
import { createClient, TypedDocumentString } from '../../../client/src/index.ts';
import { graphqlSse } from '../../support/client/others.ts';
import { blocks } from '../../support/docs/blocks.ts';
import { credentials, data, result, type StackOptions, startStack } from '../../support/harness.ts';
import { askInParts, events, multipart } from '../../support/in-parts.ts';
import {
  organizationId,
  pipeSubscription,
  serviceId,
  startLive,
} from '../../support/live-world.ts';
import { describeWithNginx, startNginx } from '../../support/nginx/server.ts';

const path = 'test/full/proxies/nginx.test.ts';

/** What docs/operating.md shows. */
const documented = blocks.find(({ conditions }) => conditions['run-by'] === path)?.text ?? '';

/** What somebody writes who reads of nginx elsewhere: HTTP/1.0 to the gateway, no kept connections, 60 seconds. */
const plain = 'server { listen 127.0.0.1:8080; location / { proxy_pass http://127.0.0.1:4000; } }';

/** An nginx before this gateway; → the URL of its endpoint. */
const startBefore = async (gatewayUrl: string, servers: string): Promise<string> => {
  const { host } = new URL(gatewayUrl);
  const origin = await startNginx((port) =>
    servers.replace('127.0.0.1:4000', host).replace('127.0.0.1:8080', `127.0.0.1:${port}`),
  );
  return `${origin}/graphql`;
};

describeWithNginx.each([
  ['as docs/operating.md shows it', documented],
  ['as it is installed', plain],
])('behind nginx %s', (_, servers) => {
  const headers = { ...credentials };

  const startWatched = async () => {
    const stack = await startLive({
      config: { managementRate: undefined },
      gateway: { pollMs: { management: 50, observability: 50 } },
    });
    onTestFinished(() => stack.close());
    return { stack, url: await startBefore(stack.url, servers) };
  };

  it('a subscription of the client package gets its events as they come', async () => {
    const { stack, url } = await startWatched();
    const leaving = new AbortController();
    const document = new TypedDocumentString<{ pipe: { state: string } }, Record<string, never>>(
      pipeSubscription(),
    );
    const states: unknown[] = [];
    for await (const { data } of createClient({ url, headers }).subscribe(document, {}, leaving)) {
      states.push(data?.pipe.state);
      stack.world.states[0] = 'Failed';
      if (states.length === 2) break;
    }
    expect(states).toEqual(['Running', 'Failed']);
  });

  it("a subscription of graphql-sse's client gets its events as they come", async () => {
    const { stack, url } = await startWatched();
    const client = graphqlSse(url, headers);
    const events = client.iterate<{ pipe: { state: string } }>({ query: pipeSubscription() });
    const next = async () => (await events.next()).value?.data?.pipe.state;
    expect(await next()).toBe('Running');
    stack.world.states[0] = 'Failed';
    expect(await next()).toBe('Failed');
    await events.return?.(undefined);
    client.dispose();
  });

  it('Apollo Client shows the first part of a response while the rest is read', async () => {
    const { reading, stack } = await startLate();
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new HttpLink({ uri: await startBefore(stack.url, servers), headers }),
      incrementalHandler: new Defer20220824Handler(),
    });
    const query = gql`{ service(organizationId: "${organizationId}", serviceId: "${serviceId}") {
      name ... @defer { pipes { name } }
    } }`;
    const seen: unknown[] = [];
    await new Promise<void>((resolve, reject) => {
      client.watchQuery({ query }).subscribe(({ data: shown, dataState, error }) => {
        if (error) reject(error);
        if (shown !== undefined) seen.push(shown);
        // The rest is read only after the first part was shown.
        if (dataState === 'streaming') reading.resolve();
        if (dataState === 'complete') resolve();
      });
    });
    client.stop();
    expect(seen[0]).toMatchObject({ service: { name: 'one' } });
    expect(seen[0]).not.toHaveProperty('service.pipes');
    expect(seen.at(-1)).toMatchObject({ service: { name: 'one', pipes: [{ name: 'late' }] } });
  });
});

/** A gateway before a service whose pipes are read once the test says so. */
const startLate = async (gateway: StackOptions['gateway'] = {}) => {
  const reading = Promise.withResolvers<void>();
  const stack = await startStack({
    management: async (call) => {
      if (!call.path.endsWith('/pipes')) return result({ id: 'service-1', name: 'one' });
      await reading.promise;
      return result([{ id: 'pipe-1', name: 'late' }]);
    },
    observability: () => data([]),
    gateway,
  });
  onTestFinished(() => stack.close());
  return { reading, stack };
};

describeWithNginx('a response in parts that waits for longer than nginx does', () => {
  it.each([
    ['empty parts', multipart, '{"hasNext":true}'],
    ['comments', events, ':\n\n'],
  ])('is kept by %s', async (_, accept, sign) => {
    const { reading, stack } = await startLate({ silenceMs: 300 });
    const servers = documented.replace('proxy_read_timeout 200s', 'proxy_read_timeout 3s');
    expect(servers).not.toBe(documented);
    const url = await startBefore(stack.url, servers);
    const query = `{ service(organizationId: "${organizationId}", serviceId: "${serviceId}") {
      name ... @defer { pipes { name } }
    } }`;
    const { parts, ended, text } = askInParts({ ...stack, url }, query, { accept });
    // Each comes after 0.3 seconds.
    while (text().split(sign).length < 15) await pause(20);
    reading.resolve();
    await ended;
    expect(parts.at(-1)).toEqual({
      incremental: [{ data: { pipes: [{ name: 'late' }] }, path: ['service'] }],
      hasNext: false,
    });
  });
});

describeWithNginx('connections that nginx keeps', () => {
  /** With both time limits divided by 60, so that the test ends. */
  const idleMs = 1000;
  const gatewayIdleMs = 1250;

  it('are closed by nginx before the gateway closes them, so that no request gets 502', async () => {
    const stack = await startStack({ management: () => result([]), observability: () => data([]) });
    onTestFinished(() => stack.close());
    stack.gateway.server.keepAliveTimeout = gatewayIdleMs;
    let connections = 0;
    stack.gateway.server.on('connection', () => {
      connections += 1;
    });
    const servers = documented.replace('keepalive_timeout 60s', `keepalive_timeout ${idleMs}ms`);
    expect(servers).not.toBe(documented);
    const url = await startBefore(stack.url, servers);
    const dispatcher = new Agent({ keepAliveTimeout: 30_000 });
    onTestFinished(() => dispatcher.close());
    const statuses: number[] = [];
    const send = async (): Promise<void> => {
      const { statusCode, body } = await dispatcher.request({
        origin: new URL(url).origin,
        path: '/graphql',
        method: 'POST',
        headers: { ...credentials, 'content-type': 'application/json' },
        body: JSON.stringify({ query: '{ __typename }' }),
      });
      await body.dump();
      statuses.push(statusCode);
    };
    const gaps = Array.from({ length: 16 }, (_, index) => idleMs - 80 + index * 10);
    const pages = Array.from({ length: 8 }, async (_, page) => {
      await pause(page * 7);
      for (const gap of gaps) {
        await send();
        await send();
        await pause(gap);
      }
    });
    await Promise.all(pages);
    expect(statuses).toHaveLength(8 * 32);
    expect(new Set(statuses)).toEqual(new Set([200]));
    // Kept: the second request of each pair, at least, found a connection.
    expect(connections).toBeLessThan(statuses.length / 2 + 8);
  });
});
