import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { paced, result } from '../support/harness.ts';
import { basic, open, service } from './open.ts';

it('many tools may wait at a time, each with a budget of its own', async () => {
  const { call, calls } = await open({
    config: { ...paced, managementRate: { calls: 2, windowMs: 300 }, maxUpstreamCalls: 2 },
  });
  const targets = ['a', 'b', 'c', 'd', 'e', 'f', 'g'].map((each) => `${service}/${each}`);
  const answers = await Promise.all(targets.map((target) => call(`/management${target}`)));
  expect(answers.map(({ status }) => status)).toEqual(targets.map(() => 200));
  expect(calls).toHaveLength(targets.length);
});

it('tools that read slowly stop no operation, and get no more answers', async () => {
  const megabytes = 1024 * 1024;
  const { origin, call, query, calls, log } = await open({
    management: ({ path }) => ({
      body: path.endsWith('/large') ? 'x'.repeat(9 * megabytes) : '{}',
    }),
    // The kernel keeps some megabytes of each answer.
    gateway: { maxUnsentBytes: 40 * megabytes },
  });
  const sockets = Array.from({ length: 16 }, () => {
    const socket = connect(Number(new URL(origin).port), '127.0.0.1').pause();
    socket.write(
      `GET /management${service}/large HTTP/1.1\r\nhost: gateway\r\nauthorization: ${basic}\r\n\r\n`,
    );
    return socket;
  });
  onTestFinished(() => {
    for (const socket of sockets) socket.destroy();
  });
  await expect.poll(() => log().match(/"way":"rest"/g)).toHaveLength(sockets.length);
  expect(calls.length).toBeGreaterThan(8);
  expect(await query('{ alerts { name } }')).toMatchObject({ status: 200 });
  const { status, headers } = await call(`/management${service}`);
  expect([status, headers.get('retry-after')]).toEqual([503, '5']);
});

it('a call whose tool leaves before its turn is never sent', async () => {
  const held = Promise.withResolvers<void>();
  const { call, paths } = await open({
    management: async () => {
      await held.promise;
      return result({});
    },
    config: { ...paced, managementRate: { calls: 1, windowMs: 300 } },
  });
  const leaving = new AbortController();
  // The only slot is in use until this is answered.
  const first = call(`/management${service}/first`);
  const calls = [
    ['GET', service],
    ['GET', `${service}/other`],
    ['PATCH', `${service}/scaling`],
    ['POST', `${service}/other`],
  ] as const;
  const left = calls.map(([method, at]) =>
    call(`/management${at}`, { method, signal: leaving.signal }),
  );
  // Whatever was asked before has arrived then.
  for (const _ of [1, 2]) await call('/healthz');
  leaving.abort();
  await Promise.allSettled(left);
  held.resolve();
  await first;
  for (const last of ['a', 'b']) await call(`/management${service}/${last}`);
  expect(paths()).toEqual(['first', 'a', 'b'].map((each) => `GET ${service}/${each}`));
});

it('what a write may have changed is read anew, though its tool has left', async () => {
  const [sent, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const { call, paths } = await open({
    management: async ({ method }) => {
      if (method === 'GET') return result({});
      sent.resolve();
      await held.promise;
      return result({});
    },
    config: { ...paced, managementRate: undefined },
  });
  const read = () => call(`/management${service}`);
  const leaving = new AbortController();
  await read();
  const write = call(`/management${service}/other`, { method: 'POST', signal: leaving.signal });
  await sent.promise;
  leaving.abort();
  await expect(write).rejects.toThrow();
  await read();
  held.resolve();
  await read();
  expect(paths().map((each) => each.split(' ')[0])).toEqual(['GET', 'POST', 'GET', 'GET']);
});
