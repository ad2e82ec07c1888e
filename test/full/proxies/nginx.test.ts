import '../../support/client/built.ts';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Agent } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, TypedDocumentString } from '../../../client/src/index.ts';
import { createFolder } from '../../support/client/folder.ts';
import { blocks } from '../../support/docs/blocks.ts';
import {
  credentials,
  data,
  result,
  type StackOptions,
  stackInTest,
} from '../../support/harness.ts';
import { askInParts, events, multipart } from '../../support/in-parts.ts';
import { ofService, openLive, pipeSubscription, soon } from '../../support/live-world.ts';
import { drawPort } from '../../support/ports.ts';
import { run, startMain } from '../../support/process/run-main.ts';
import { nginxPath } from '../../support/programs.ts';

const path = 'test/full/proxies/nginx.test.ts';
const describeWithNginx = describe.skipIf(nginxPath === undefined);

/** What docs/operating.md shows. */
const documented = blocks.find(({ conditions }) => conditions['run-by'] === path)?.text ?? '';

/** What somebody writes who reads of nginx elsewhere: HTTP/1.0 to the gateway, no kept connections, 60 seconds. */
const plain = 'server { listen 127.0.0.1:8080; location / { proxy_pass http://127.0.0.1:4000; } }';

/** One process, which keeps all its files in its folder. What Debian sets besides stays as it is. */
const around = (servers: string): string => `
daemon off;
master_process off;
pid pid;
error_log stderr warn;
events { worker_connections 768; }
http {
  access_log off;
  gzip on;
  ${['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'].map((kind) => `${kind}_temp_path ${kind};`).join(' ')}
  ${servers}
}
`;

const listens = (origin: string): Promise<boolean> =>
  fetch(origin).then(...[() => true, () => false]);

/** An nginx on loopback before this gateway, until the test ends; → the URL of the endpoint there. */
const startBefore = async (gatewayUrl: string, servers: string): Promise<string> => {
  let origin: string;
  do origin = `http://127.0.0.1:${drawPort()}`;
  while (await listens(origin));
  const placed = servers
    .replace('127.0.0.1:4000', new URL(gatewayUrl).host)
    .replace('127.0.0.1:8080', new URL(origin).host);
  const folder = await createFolder({ 'nginx.conf': around(placed) }, []);
  const { child, output } = run({}, [
    nginxPath ?? '',
    '-p',
    folder,
    '-c',
    join(folder, 'nginx.conf'),
  ]);
  while (!(await listens(origin))) {
    if (child.exitCode !== null) throw new Error(`nginx ended: ${output.errors}`);
    await pause(20);
  }
  return `${origin}/graphql`;
};

/** The last part of its response. */
const late = {
  incremental: [{ data: { pipes: [{ name: 'late' }] }, path: ['service'] }],
  hasNext: false,
};
const inParts = `{ service(${ofService}) { name ... @defer { pipes { name } } } }`;

/** A gateway before a service whose pipes are read once the test says so. */
const startLate = async (gateway: StackOptions['gateway'] = {}) => {
  const reading = Promise.withResolvers<void>();
  const stack = await stackInTest({
    management: async (call) => {
      if (!call.path.endsWith('/pipes')) return result({ id: 'service-1', name: 'one' });
      await reading.promise;
      return result([{ id: 'pipe-1', name: 'late' }]);
    },
    observability: () => data([]),
    gateway,
  });
  return { reading, stack };
};

describeWithNginx.each([
  ['as docs/operating.md shows it', documented],
  ['as it is installed', plain],
])('behind nginx %s', (_, servers) => {
  const headers = { ...credentials };

  it('a subscription gets its events as they come', async () => {
    const stack = await openLive(soon);
    const url = await startBefore(stack.url, servers);
    type Data = { readonly pipe: { readonly state: string } };
    const query = new TypedDocumentString<Data, Record<string, never>>(pipeSubscription());
    const events = createClient({ url, headers }).subscribe(query, {});
    expect((await events.next()).value?.data?.pipe.state).toBe('Running');
    stack.world.states[0] = 'Failed';
    expect((await events.next()).value?.data?.pipe.state).toBe('Failed');
    await events.return();
  });

  it('a response in parts shows its first part while the rest is read', async () => {
    const { reading, stack } = await startLate();
    const url = await startBefore(stack.url, servers);
    const { parts, ended } = askInParts({ ...stack, url }, inParts, { accept: multipart });
    // The rest is read only after the first part has come.
    await expect.poll(() => parts.length).toBe(1);
    expect(parts[0]).toMatchObject({ data: { service: { name: 'one' } }, hasNext: true });
    reading.resolve();
    await ended;
    expect(parts.at(-1)).toEqual(late);
  });
});

describeWithNginx('nginx as docs/operating.md shows it', () => {
  it.each([
    ['empty parts', multipart, '{"hasNext":true}'],
    ['comments', events, ':\n\n'],
  ])(
    'waits longer than it would for a response in parts that is kept by %s',
    async (_, accept, sign) => {
      const { reading, stack } = await startLate({ silenceMs: 300 });
      const servers = documented.replace('proxy_read_timeout 200s', 'proxy_read_timeout 3s');
      expect(servers).not.toBe(documented);
      const url = await startBefore(stack.url, servers);
      const { parts, ended, text } = askInParts({ ...stack, url }, inParts, { accept });
      // Each comes after 0.3 seconds.
      while (text().split(sign).length < 15) await pause(20);
      reading.resolve();
      await ended;
      expect(parts.at(-1)).toEqual(late);
    },
  );

  it('closes the connections that it keeps before the gateway closes them, so that no request gets 502', async () => {
    const stack = await stackInTest();
    const { server } = stack.gateway;
    // Both time limits are divided by 60, so that the test ends.
    const idleMs = 1000;
    server.keepAliveTimeout = 1250;
    let connections = 0;
    server.on('connection', () => {
      connections += 1;
    });
    const servers = documented.replace('keepalive_timeout 60s', `keepalive_timeout ${idleMs}ms`);
    expect(servers).not.toBe(documented);
    const { origin, pathname } = new URL(await startBefore(stack.url, servers));
    const dispatcher = new Agent({ keepAliveTimeout: 30_000 });
    onTestFinished(() => dispatcher.close());
    const headers = { ...credentials, 'content-type': 'application/json' };
    const statuses: number[] = [];
    const send = async (): Promise<void> => {
      const { statusCode, body } = await dispatcher.request({
        ...{ origin, path: pathname, method: 'POST', headers, body: '{"query":"{ __typename }"}' },
      });
      await body.dump();
      statuses.push(statusCode);
    };
    const pages = Array.from({ length: 8 }, async (_, page) => {
      await pause(page * 7);
      for (let gap = idleMs - 80; gap < idleMs + 80; gap += 10) {
        await send();
        await send();
        await pause(gap);
      }
    });
    await Promise.all(pages);
    expect(statuses).toEqual(Array.from({ length: 8 * 32 }, () => 200));
    // Kept: the second request of each pair, at least, found a connection.
    expect(connections).toBeLessThan(statuses.length / 2 + 8);
  });
});

describeWithNginx('two replicas behind nginx, restarted one after the other', () => {
  it('leave no request without its answer, and no subscription behind', async () => {
    let name = 'before';
    const startReplica = async (port: number) =>
      startMain(
        (response) => {
          response.setHeader('content-type', 'application/json');
          response.end(JSON.stringify({ data: [{ id: 'a1', name }] }));
        },
        { PORT: String(port) },
      );
    const ports = [drawPort(), drawPort()] as const;
    const replicas = await Promise.all(ports.map(startReplica));
    const servers = documented.replace(/server 127\.0\.0\.1:4000.*;/, (line) =>
      ports.map((port) => line.replace('4000', String(port))).join(' '),
    );
    expect(servers).not.toBe(documented);
    const url = await startBefore(`http://127.0.0.1:${ports[0]}/graphql`, servers);

    type Data = { readonly alerts: readonly { readonly name: string }[] };
    const document = new TypedDocumentString<Data, Record<string, never>>(
      'subscription { alerts { name } }',
    );
    const whys: unknown[] = [];
    const client = createClient({ url, observability: 'Bearer live' });
    const events = client.subscribe(document, {}, { onRetry: (why) => whys.push(why) });
    expect((await events.next()).value?.data).toEqual({ alerts: [{ name }] });
    let isOver = false;
    const answers = new Map<string, number>();
    const pages = Array.from({ length: 6 }, async (_, page) => {
      const headers = { 'content-type': 'application/json', authorization: `Bearer page-${page}` };
      while (!isOver) {
        const text = await fetch(url, {
          ...{ method: 'POST', headers, body: '{"query":"{ alerts { name } }"}' },
        }).then((response) => response.text(), String);
        answers.set(text, (answers.get(text) ?? 0) + 1);
        await pause(10 + page);
      }
    });
    for (const [index, port] of ports.entries()) {
      replicas[index]?.child.kill('SIGTERM');
      expect(await replicas[index]?.ended).toMatchObject({ code: 0, errors: '' });
      await startReplica(port);
    }
    isOver = true;
    await Promise.all(pages);
    expect([...answers.keys()]).toEqual(['{"data":{"alerts":[{"name":"before"}]}}']);
    // The gateway has ended the stream without an error, at least once.
    expect(new Set(whys)).toEqual(new Set([undefined]));
    name = 'after';
    expect((await events.next()).value?.data).toEqual({ alerts: [{ name }] });
    await events.return();
  });
});
