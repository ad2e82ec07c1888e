import { once } from 'node:events';
import { Agent, get } from 'node:http';
import { connect } from 'node:net';
import { expect, it, onTestFinished } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { serveMetrics } from '../support/metrics/scrape.ts';
import { answered, listen, run, sendAlerts } from '../support/process/run-main.ts';
import { redisPath, startRedis } from '../support/redis.ts';
import { startServer } from '../support/servers.ts';

it('is off by default: there is no server for it, and /metrics of the gateway is nothing', async () => {
  const { gateway, origin } = await startGateway();
  expect(gateway.metricsServer).toBeUndefined();
  expect((await fetch(`${origin}/metrics`)).status).toBe(404);
});

it('is on a port of its own, in the text format of Prometheus, and has nothing else but health', async () => {
  const { gateway, origin } = await startGateway({ METRICS_PORT: '0', MAX_CONNECTIONS: '1' });
  expect((await fetch(`${origin}/metrics`, { headers: { connection: 'close' } })).status).toBe(404);
  if (!gateway.metricsServer) throw new Error('no server');
  const { contentType, types } = await (await serveMetrics(gateway))();
  expect(contentType).toMatch(/^text\/plain; version=0\.0\.4/);
  expect(types.get('sluice_operations_total')).toBe('counter');
  // There is no Redis.
  expect(types.has('sluice_redis_up')).toBe(false);
});

it.each([
  ['GET', '/metrics?name=all', 200],
  ['GET', '/', 404],
  ['GET', '/graphql', 404],
  ['GET', '/readyz', 404],
  ['POST', '/metrics', 405],
  ['HEAD', '/metrics', 405],
  ['POST', '/healthz', 405],
  ['GET', '/healthz', 200],
])(
  'answers %s %s with %d while callers have all connections of the gateway',
  async (method, path, status) => {
    const { gateway, origin } = await startGateway({ METRICS_PORT: '0', MAX_CONNECTIONS: '1' });
    if (!gateway.metricsServer) throw new Error('no server');
    const metrics = await startServer(gateway.metricsServer);
    const caller = connect(Number(new URL(origin).port), '127.0.0.1');
    onTestFinished(() => void caller.destroy());
    await once(caller, 'connect');
    await expect(fetch(`${origin}/healthz`)).rejects.toThrow();
    expect((await fetch(metrics.origin + path, { method })).status).toBe(status);
  },
);

it.skipIf(redisPath === undefined)('tells whether Redis answers, at each scrape', async () => {
  const redis = await startRedis();
  await redis.kill();
  const { gateway } = await startGateway({
    ...{ METRICS_PORT: '0', REDIS_URL: redis.url },
    CACHE_SECRET: 'a-secret-that-all-replicas-have-in-common',
  });
  const scrape = await serveMetrics(gateway);
  expect((await scrape()).value('sluice_redis_up')).toBe(0);
  await redis.restart();
  await expect.poll(async () => (await scrape()).value('sluice_redis_up')).toBe(1);
});

it('listens on HOST at METRICS_PORT, says where, answers while the gateway stops, and ends with it', async () => {
  const held = Promise.withResolvers<Parameters<typeof sendAlerts>[0]>();
  const { url } = await listen(held.resolve);
  const env = { MANAGEMENT_URL: url, OBSERVABILITY_URL: url, PORT: '0', METRICS_PORT: '0' };
  const { child, ended, logged } = run(env);
  const { host, port, path, metricsPort } = await logged('listening');
  expect(host).toBe('127.0.0.1');
  const asked = fetch(`http://${host}:${port}${path}?query={alerts{name}}`, {
    headers: { authorization: 'Bearer token' },
  });
  const response = await held.promise;
  const agent = new Agent({ keepAlive: true });
  onTestFinished(() => agent.destroy());
  const scrape = async (): Promise<string> => {
    const [scraped] = await once(
      get(`http://${host}:${metricsPort}/metrics`, { agent }),
      'response',
    );
    return (await scraped.toArray()).join('');
  };
  await scrape();
  child.kill('SIGTERM');
  await logged('stopping');
  expect(await scrape()).toContain('sluice_operations_total{type="query",outcome="ok"} 0');
  sendAlerts(response);
  expect(await (await asked).json()).toEqual(answered);
  // The scraper's connection is still open.
  expect(await ended).toMatchObject({ code: 0, errors: '' });
});
