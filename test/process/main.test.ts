import { readFileSync } from 'node:fs';
import type { ServerResponse } from 'node:http';
import { expect, it } from 'vitest';
import { answered, listen, run, sendAlerts } from '../support/process/run-main.ts';

/** The gateway in front of one backend, once it listens. */
const start = async (backendUrl: string) => {
  const gateway = run({ MANAGEMENT_URL: backendUrl, OBSERVABILITY_URL: backendUrl, PORT: '0' });
  const { host, port, path } = await gateway.logged('listening');
  const ask = () =>
    fetch(`http://${host}:${port}${path}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
      body: '{"query":"{ alerts { name } }"}',
    });
  return { ...gateway, ask, port, path, host };
};

it('does not start without its URLs, and says so in a line each', async () => {
  const { code, text, errors } = await run({}).ended;
  expect([code, text]).toEqual([1, '']);
  const lines = errors.trimEnd().split('\n');
  expect(lines.filter((line) => /MANAGEMENT_URL is required/.test(line))).toHaveLength(1);
  expect(lines.filter((line) => /OBSERVABILITY_URL is required/.test(line))).toHaveLength(1);
  expect(lines.length).toBeLessThanOrEqual(3);
  expect(errors).not.toMatch(/^\s+at /m);
});

it('does not start with any fault, and says every one of them in a line of its own', async () => {
  const { code, errors } = await run({
    MANAGEMENT_URL: 'https://user:canary@management.example',
    OBSERVABILITY_URL: 'ftp://observability.example',
    PORT: 'http',
    EXTENDED_READS: 'maybe',
  }).ended;
  expect(code).toBe(1);
  for (const name of ['MANAGEMENT_URL', 'OBSERVABILITY_URL', 'PORT', 'EXTENDED_READS']) {
    expect(errors.split('\n').filter((line) => line.includes(`${name} must be`))).toHaveLength(1);
  }
  expect(errors).not.toMatch(/canary|^\s+at /m);
});

it('says in a line that its port is in use, and ends with 1', async () => {
  const taken = await listen(sendAlerts);
  const { code, errors } = await run({
    MANAGEMENT_URL: taken.url,
    OBSERVABILITY_URL: taken.url,
    PORT: String(taken.port),
  }).ended;
  expect(code).toBe(1);
  expect(errors).toMatch(new RegExp(`^[^\\n]*127\\.0\\.0\\.1:${taken.port}[^\\n]*\\n$`));
});

it('says in a line that its address is not one of this machine, and ends with 1', async () => {
  const url = 'http://127.0.0.1:1';
  // Of a network that is kept for documentation (RFC 5737).
  const env = { MANAGEMENT_URL: url, OBSERVABILITY_URL: url, HOST: '192.0.2.1', PORT: '4000' };
  const { code, errors } = await run(env).ended;
  expect(code).toBe(1);
  expect(errors).toMatch(/^[^\n]*192\.0\.2\.1:4000[^\n]* not one of this machine[^\n]*HOST\.\n$/);
});

it('is one process, and says where it listens', async () => {
  const backend = await listen(sendAlerts);
  const gateway = await start(backend.url);
  const members = ['level', 'time', 'host', 'port', 'path', 'msg'];
  expect(Object.keys(await gateway.logged('listening'))).toEqual(members);
  if (process.platform === 'linux') {
    const { pid } = gateway.child;
    expect(readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8')).toBe('');
  }
});

it('listens on loopback at /graphql, answers, and logs nothing of the request', async () => {
  const backend = await listen(sendAlerts);
  const gateway = await start(backend.url);
  expect([gateway.host, gateway.path]).toEqual(['127.0.0.1', '/graphql']);
  expect(await (await gateway.ask()).json()).toEqual(answered);
  gateway.child.kill('SIGTERM');
  const { text, errors } = await gateway.ended;
  expect(errors).toBe('');
  expect(text).not.toMatch(/token|alerts|lag/);
});

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'ends with 0 on %s when nobody asks',
  async (signal) => {
    const backend = await listen(sendAlerts);
    const gateway = await start(backend.url);
    await (await gateway.ask()).text();
    gateway.child.kill(signal);
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, errors: '' });
  },
);

it.each(['SIGTERM', 'SIGINT', 'SIGHUP'] as const)(
  'answers what is under way on %s, takes nothing new, and ends with 0',
  async (signal) => {
    const held = Promise.withResolvers<ServerResponse>();
    const backend = await listen(held.resolve);
    const gateway = await start(backend.url);
    const asked = gateway.ask();
    const response = await held.promise;
    gateway.child.kill(signal);
    await gateway.logged('stopping');
    // A terminal that is closed may send several.
    if (signal === 'SIGHUP') gateway.child.kill(signal);
    await expect(gateway.ask()).rejects.toThrow('fetch failed');
    sendAlerts(response);
    const answer = await asked;
    expect([answer.status, await answer.json()]).toEqual([200, answered]);
    expect(await gateway.ended).toMatchObject({ code: 0, signal: null, errors: '' });
  },
);

it('ends at once on a second signal', async () => {
  const held = Promise.withResolvers<ServerResponse>();
  const backend = await listen(held.resolve);
  const gateway = await start(backend.url);
  const asked = gateway.ask().catch(() => 'cut off');
  await held.promise;
  gateway.child.kill('SIGTERM');
  await gateway.logged('stopping');
  gateway.child.kill('SIGINT');
  expect(await gateway.ended).toMatchObject({ code: 1 });
  expect(await asked).toBe('cut off');
});

it('treats a signal that comes twice at once as one: npm passes on what its process group gets', async () => {
  const held = Promise.withResolvers<ServerResponse>();
  const backend = await listen(held.resolve);
  const gateway = await start(backend.url);
  const asked = gateway.ask();
  const response = await held.promise;
  gateway.child.kill('SIGINT');
  gateway.child.kill('SIGINT');
  await gateway.logged('stopping');
  sendAlerts(response);
  expect((await asked).status).toBe(200);
  expect(await gateway.ended).toMatchObject({ code: 0, signal: null });
});
