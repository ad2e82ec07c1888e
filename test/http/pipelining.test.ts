import { setTimeout as pause } from 'node:timers/promises';
import { Client } from 'undici';
import { describe, expect, it, onTestFinished } from 'vitest';
import { data, result, startStack } from '../support/harness.ts';
import { call, postOf } from '../support/http/caller.ts';

const authorization = 'authorization: Bearer token';

/** A gateway whose list of alerts is that long, and how many of its reads were under way at a time. */
const start = async (length = 10, options: Parameters<typeof startStack>[0]['gateway'] = {}) => {
  const reads = { now: 0, most: 0, all: 0 };
  const stack = await startStack({
    management: () => result([]),
    observability: async ({ path }) => {
      reads.now += 1;
      reads.all += 1;
      reads.most = Math.max(reads.most, reads.now);
      await pause(20);
      reads.now -= 1;
      return path.endsWith('/alerts')
        ? data([{ id: 'a1', message: 'm'.repeat(length) }])
        : data({ id: path.split('/').at(-1), message: `m${reads.all}` });
    },
    gateway: options,
  });
  onTestFinished(stack.close);
  return { ...stack, reads, port: Number(new URL(stack.url).port) };
};

/** A read that is equal to no other. */
const asking = (index: number): string => `{ alert(id: "a${index}") { id message } }`;
const answers = (text: string): readonly string[] =>
  [...text.matchAll(/"alert":\{"id":"(\w+)"/g)].map(([, id = '']) => id);

describe('requests that are sent together on one connection', () => {
  it('are answered one after another, in their order, and it stays open', async () => {
    const { port, reads, callList } = await start();
    const { socket, text, statuses } = call(port);
    const sent = [0, 1, 2, 3, 4];
    socket.write(sent.map((index) => postOf(asking(index), authorization)).join(''));
    await expect.poll(statuses).toEqual(sent.map(() => 200));
    await expect.poll(() => answers(text())).toEqual(['a0', 'a1', 'a2', 'a3', 'a4']);
    expect([reads.most, callList().length]).toEqual([1, 5]);
    socket.write(postOf(asking(5), authorization));
    await expect.poll(() => answers(text()).at(-1)).toBe('a5');
  });

  it.each([
    ['six', 6, 10],
    ['four thousand', 4000, 10],
    ['six with long answers', 6, 3e6],
    ['four thousand with long answers', 4000, 3e6],
  ])(
    '%s are answered but for those beyond five, and nothing of the answers is lost',
    async (_, count, length) => {
      const { port, callList, log } = await start(length);
      const { socket, text, statuses, closed } = call(port);
      const query = '{ alerts { message } }';
      socket.write(postOf(query, authorization, 'cache-control: no-cache').repeat(count));
      expect(await closed).toBeUndefined();
      expect(statuses()).toEqual([200, 200, 200, 200, 200]);
      expect([...text().matchAll(/m{10,}/g)].map(([found]) => found.length)).toEqual([
        ...[length, length, length, length, length],
      ]);
      expect(
        text()
          .match(/^connection: .*$/gim)
          ?.map((line) => line.toLowerCase()),
      ).toEqual([
        ...['connection: keep-alive', 'connection: keep-alive', 'connection: keep-alive'],
        ...['connection: keep-alive', 'connection: close'],
      ]);
      expect(log().match(/"msg":"operation"/g)).toHaveLength(5);
      expect(callList()).toHaveLength(5);
    },
  );

  const rename =
    'mutation { updateOrganization(input: { organizationId: "0a9a0000-0000-4000-8000-000000000001", name: "n" }) { organization { name } } }';

  it.each([
    ['bytes that are none', 'garbage\r\n\r\n'],
    ['a head that is too long', `GET / HTTP/1.1\r\nx: ${'x'.repeat(20_000)}\r\n\r\n`],
    [
      'a body that is broken',
      postOf('{ __typename }', 'transfer-encoding: chunked').replace(/content-length.*\r\n/i, ''),
    ],
  ])('are answered where after them come %s', async (_, rest) => {
    const { port, callList } = await start();
    const { socket, text, statuses, closed } = call(port);
    const basic = `management-authorization: Basic ${btoa('key:secret')}`;
    socket.write(postOf(rename, basic) + postOf(asking(0), authorization) + rest);
    expect(await closed).toBeUndefined();
    expect(statuses()).toEqual([200, 200]);
    expect(text()).toMatch(/^connection: close\r$/im);
    expect(answers(text())).toEqual(['a0']);
    expect(callList()).toEqual([
      'GET /api/v2/alerts/a0',
      'PATCH /v1/organizations/0a9a0000-0000-4000-8000-000000000001',
    ]);
  });

  it('what is no request is refused where nothing comes before it', async () => {
    const { port } = await start();
    const { socket, statuses, closed } = call(port);
    socket.write(postOf('{ __typename }'));
    await expect.poll(statuses).toEqual([200]);
    socket.write('garbage\r\n\r\n');
    expect(await closed).toBeUndefined();
    expect(statuses()).toEqual([200, 400]);
  });

  it('a client that pipelines more than may wait sends the others again, and gets every answer', async () => {
    const { url } = await start();
    const client = new Client(new URL(url).origin, { pipelining: 12 });
    onTestFinished(() => client.destroy());
    const got = await Promise.all(
      Array.from({ length: 60 }, async (_, index) => {
        const path = `/graphql?query=${encodeURIComponent(asking(index))}`;
        const { body } = await client.request({
          ...{ method: 'GET', path },
          headers: { accept: 'application/json', authorization: 'Bearer token' },
        });
        return answers(await body.text())[0];
      }),
    );
    expect(got).toEqual(Array.from({ length: 60 }, (_, index) => `a${index}`));
  });

  it('those that wait are given up when their client leaves', async () => {
    const { port, log, query } = await start();
    const { socket, closed } = call(port);
    socket.write(postOf(asking(0), authorization).repeat(5), () => socket.resetAndDestroy());
    await closed;
    await query('{ __typename }');
    expect(log().match(/"msg":"operation"/g)?.length).toBeLessThan(5);
  });
});

describe('while the responses that wait for slow clients are too many bytes', () => {
  const mutation = 'mutation { createDashboard(input: {name: "new"}) { dashboard { id } } }';

  it('operations are refused before anything is sent, health is told, and later all is as before', async () => {
    const { port, url, query, callList } = await start(9e6, { maxUnsentBytes: 1e6 });
    const { socket } = call(port);
    socket.pause();
    socket.write(postOf('{ alerts { message } }', authorization));
    await expect.poll(async () => (await query('{ __typename }')).status).toBe(503);
    const before = callList();
    const refused = await query(mutation);
    expect([refused.status, refused.headers.get('retry-after')]).toEqual([503, '5']);
    expect(refused.body).toEqual({
      errors: [
        {
          message:
            'Too many responses wait for clients that read slowly. Nothing was carried out; retry in a few seconds.',
          extensions: {
            ...{ code: 'LIMIT_EXCEEDED', limit: 'unsentBytes', requestId: expect.any(String) },
            ...{ retryable: true, retryAfterSeconds: 5 },
          },
        },
      ],
    });
    expect(callList()).toEqual(before);
    for (const path of ['/healthz', '/readyz']) {
      expect((await fetch(new URL(path, url))).status).toBe(200);
    }
    socket.destroy();
    await expect.poll(async () => (await query('{ __typename }')).status).toBe(200);
  });

  it('streams send nothing new until there is room again', async () => {
    const pollMs = { management: 20, observability: 20 };
    const { port, query } = await start(9e6, { maxUnsentBytes: 1e6, pollMs });
    const watching = call(port);
    const headers = ['accept: text/event-stream', authorization];
    watching.socket.write(postOf('subscription { alert(id: "a1") { message } }', ...headers));
    const events = () => watching.text().split('event: next').length - 1;
    await expect.poll(events).toBeGreaterThan(2);
    const { socket } = call(port);
    socket.pause();
    socket.write(postOf('{ alerts { message } }', authorization));
    await expect.poll(async () => (await query('{ __typename }')).status).toBe(503);
    // One event may have been under way.
    await pause(500);
    const before = events();
    await pause(500);
    expect(events()).toBe(before);
    socket.destroy();
    await expect.poll(events).toBeGreaterThan(before);
  });
});
