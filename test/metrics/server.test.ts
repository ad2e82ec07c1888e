import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { serveMetrics } from '../support/metrics/scrape.ts';
import { answered, listen, run, sendAlerts } from '../support/process/run-main.ts';
import { redisPath, startRedis } from '../support/redis.ts';
import { startServer } from '../support/servers.ts';

const start = async (backendUrl: string, env: Readonly<Record<string, string>>) => {
  const gateway = run({
    ...{ MANAGEMENT_URL: backendUrl, OBSERVABILITY_URL: backendUrl, PORT: '0' },
    ...env,
  });
  return { ...gateway, line: await gateway.logged('listening') };
};

it('is off by default: there is no server for it, and /metrics of the gateway is nothing', async () => {
  const { gateway, origin } = await startGateway();
  expect(gateway.metricsServer).toBeUndefined();
  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
});

it('is on the port of its own alone, in the text format of Prometheus', async () => {
  const { gateway, origin } = await startGateway({ METRICS_PORT: '0' });
  const scrape = await serveMetrics(gateway);
  expect((await scrape()).contentType).toBe('text/plain; version=0.0.4; charset=utf-8');
  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
});

it('answers nothing but GET /metrics and GET /healthz', async () => {
  const { gateway } = await startGateway({ METRICS_PORT: '0' });
  if (!gateway.metricsServer) throw new Error('no server');
  const { origin } = await startServer(gateway.metricsServer);
  const status = async (path: string, method = 'GET') =>
    (await fetch(origin + path, { method })).status;
  expect(await status('/metrics?name=all')).toBe(200);
  expect([await status('/'), await status('/graphql'), await status('/readyz')]).toEqual([
    404, 404, 404,
  ]);
  expect([await status('/metrics', 'POST'), await status('/metrics', 'HEAD')]).toEqual([405, 405]);
  expect(await status('/healthz', 'POST')).toBe(405);
});

it('tells that the process is alive while callers have all connections of the gateway', async () => {
  const { gateway, origin } = await startGateway({ METRICS_PORT: '0', MAX_CONNECTIONS: '1' });
  if (!gateway.metricsServer) throw new Error('no server');
  const metrics = await startServer(gateway.metricsServer);
  const caller = connect(Number(new URL(origin).port), '127.0.0.1');
  onTestFinished(() => void caller.destroy());
  await once(caller, 'connect');
  await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
  const response = await fetch(`${metrics.origin}/healthz`);
  expect([response.status, await response.json()]).toEqual([200, { status: 'alive' }]);
});

it('has no figure of Redis where there is none', async () => {
  const { gateway } = await startGateway({ METRICS_PORT: '0' });
  const { types } = await (await serveMetrics(gateway))();
  expect(types.has('sluice_redis_up')).toBe(false);
});

it.skipIf(redisPath === undefined)('tells whether Redis answers, at each scrape', async () => {
  const redis = await startRedis();
  await redis.kill();
  const { gateway } = await startGateway({
    METRICS_PORT: '0',
    REDIS_URL: redis.url,
    CACHE_SECRET: 'a-secret-that-all-replicas-have-in-common',
  });
  const scrape = await serveMetrics(gateway);
  expect((await scrape()).value('sluice_redis_up')).toBe(0);
  await redis.restart();
  await expect.poll(async () => (await scrape()).value('sluice_redis_up')).toBe(1);
});

it('listens on HOST at METRICS_PORT, says where, and ends with the gateway', async () => {
  const backend = await listen(sendAlerts);
  const { line, child, ended } = await start(backend.url, { METRICS_PORT: '0' });
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const url = `http://${line.host}:${line.metricsPort}/metrics`;
  const status = await new Promise((resolve, reject) => {
    get(url, { agent }, (response) =>
      response.resume().on('end', () => resolve(response.statusCode)),
    ).on('error', reject);
  });
  expect([line.host, status]).toEqual(['127.0.0.1', 200]);
  // The scraper's connection is still open.
  child.kill('SIGTERM');
  expect(await ended).toMatchObject({ code: 0, errors: '' });
});

it('answers while the gateway finishes what is under way', async () => {
  const held = Promise.withResolvers<Parameters<typeof sendAlerts>[0]>();
  const backend = await listen(held.resolve);
  const { line, child, ended, logged } = await start(backend.url, { METRICS_PORT: '0' });
  const asked = fetch(`http://${line.host}:${line.port}${line.path}`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer token' },
    body: '{"query":"{ alerts { name } }"}',
  });
  const response = await held.promise;
  child.kill('SIGTERM');
  await logged('stopping');
  const scraped = await fetch(`http://${line.host}:${line.metricsPort}/metrics`);
  expect(await scraped.text()).toContain('sluice_operations_total{type="query",outcome="ok"} 0');
  sendAlerts(response);
  expect(await (await asked).json()).toEqual(answered);
  expect(await ended).toMatchObject({ code: 0, errors: '' });
});

it('says in a line that its port is in use, and ends with 1', async () => {
  const taken = await listen(sendAlerts);
  const { code, errors } = await run({
    ...{ MANAGEMENT_URL: taken.url, OBSERVABILITY_URL: taken.url, PORT: '0' },
    METRICS_PORT: String(taken.port),
  }).ended;
  expect(code).toBe(1);
  expect(errors).toMatch(
    new RegExp(`^[^\\n]*127\\.0\\.0\\.1:${taken.port} [^\\n]* with METRICS_PORT\\.\\n$`),
  );
});
