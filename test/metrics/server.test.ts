import { once } from 'node:events';
import { Agent, get, type ServerResponse } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { version } from '../../src/version.ts';
import { startGateway } from '../support/gateway.ts';
import { call } from '../support/http/raw.ts';
import { serveMetrics } from '../support/metrics.ts';
import { answered, sendAlerts, startMain } from '../support/process/run-main.ts';
import { redisPath, startRedis } from '../support/redis.ts';
import { startServer } from '../support/servers.ts';

it('the server of metrics is off by default, and is on a port of its own, in the text format of Prometheus', async () => {
  const off = await startGateway();
  expect(off.gateway.metricsServer).toBeUndefined();
  const { gateway, origin } = await startGateway({ METRICS_PORT: '0' });
  for (const each of [off.origin, origin])
    expect((await fetch(`${each}/metrics`)).status).toBe(404);
  const { contentType, types, samples } = await (await serveMetrics(gateway))();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(types.get('sluice_operations_total')).toBe('counter');
  const labels = { version, node: process.versions.node };
  expect(samples).toContainEqual({ name: 'sluice_build_info', labels, value: 1 });
  // There is no Redis.
  expect(types.has('sluice_redis_up')).toBe(false);
});

it.each([
  ['GET', '/metrics?name=all', 200],
  ['GET', '/graphql', 404],
  ['GET', '/readyz', 404],
  ['POST', '/metrics', 405],
  ['GET', '/healthz', 200],
])(
  'the server of metrics answers %s %s with %d while callers have all connections of the gateway',
  async (method, path, status) => {
    const { gateway, origin, port } = await startGateway({
      METRICS_PORT: '0',
      MAX_CONNECTIONS: '1',
    });
    if (!gateway.metricsServer) throw new Error('no server');
    const metrics = await startServer(gateway.metricsServer);
    await once(call(port).socket, 'connect');
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
    expect((await fetch(metrics.origin + path, { method })).status).toBe(status);
  },
);

it.skipIf(redisPath === undefined)(
  'a scrape tells whether Redis answers, at each scrape',
  async () => {
    const redis = await startRedis();
    await redis.kill();
    const CACHE_SECRET = 'a-secret-that-all-replicas-have-in-common';
    const env = { METRICS_PORT: '0', REDIS_URL: redis.url, CACHE_SECRET };
    const scrape = await serveMetrics((await startGateway(env)).gateway);
    expect((await scrape()).value('redis_up')).toBe(0);
    await redis.restart();
    await expect.poll(async () => (await scrape()).value('redis_up')).toBe(1);
  },
);

it('the server of metrics listens on HOST at METRICS_PORT, says where, answers while the gateway stops, and ends with it', async () => {
  const held = Promise.withResolvers<ServerResponse>();
  const { ask, child, ended, logged } = await startMain(held.resolve, { METRICS_PORT: '0' });
  const { host, metricsPort } = await logged('listening');
  expect(host).toBe('127.0.0.1');
  const asked = ask('{ alerts { name } }');
  const response = await held.promise;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const scrape = async (): Promise<string> => {
    const sent = get(`http://${host}:${metricsPort}/metrics`, { agent });
    const [scraped] = await once(sent, 'response');
    return (await scraped.toArray()).join('');
  };
  await scrape();
  child.kill('SIGTERM');
  await logged('stopping');
  expect(await scrape()).toContain('sluice_operations_total{type="query",outcome="ok"} 0');
  sendAlerts(response);
  expect(await asked).toEqual(answered);
  // The scraper's connection is still open.
  expect(await ended).toMatchObject({ code: 0, errors: '' });
});
