import { once } from 'node:events';
import { createServer, get } from 'node:http';
import { text } from 'node:stream/consumers';
import { expect, it, onTestFinished } from 'vitest';
import { createGateway, type GatewayOptions } from '../../src/index.ts';
import { createLog } from '../../src/log.ts';
import { type Answering, credentials, data, startBackends } from '../support/harness.ts';
import { drawPort } from '../support/ports.ts';
import { serve, startServer } from '../support/servers.ts';
import { subscribe } from '../support/subscribe.ts';

const alerts = data([{ id: 'a', name: 'lag' }]);
const answered = { data: { alerts: [{ name: 'lag' }] } };

const silent = createLog({ write: () => undefined });

/** A server of one's own with the gateway's handler, in front of a backend, until the test ends. */
const start = async (
  options: Partial<GatewayOptions> = {},
  observability: Answering = () => alerts,
) => {
  const backends = await startBackends({ observability });
  const settings = { ...backends.env, ...options.settings };
  const gateway = await createGateway({ log: silent, ...options, settings });
  const server = createServer({ joinDuplicateHeaders: true }, gateway.handler);
  const { origin, close } = await startServer(server);
  onTestFinished(async () => {
    await close();
    await gateway.close();
    await backends.close();
  });
  const url = `${origin}/graphql`;
  const ask = (query: string) => {
    const headers = { 'content-type': 'application/json', ...credentials };
    return fetch(url, { method: 'POST', headers, body: JSON.stringify({ query }) });
  };
  return { ask, calls: backends.calls, gateway, server, origin, url };
};

it('answers for a server of one’s own, with a log and plugins of one’s own', async () => {
  const seen: unknown[] = [];
  const lines: string[] = [];
  const { ask, origin } = await start({
    settings: { MANAGEMENT_ULR: 'http://cnry.example' },
    plugins: [{ onParams: ({ params }) => void seen.push(params.query) }],
    log: createLog({ write: (line) => void lines.push(line) }),
  });
  const answer = await ask('{ alerts { name } }');
  expect(await answer.json()).toEqual(answered);
  expect(seen).toEqual(['{ alerts { name } }']);
  const messages = lines.map((line) => JSON.parse(line).msg);
  expect(messages).toEqual(['unknown setting, similar to a known one', 'operation']);
  const paths = ['/readyz', '/healthz', '/other'];
  const statuses = paths.map(async (path) => (await fetch(origin + path)).status);
  expect(await Promise.all(statuses)).toEqual([200, 200, 404]);
});

it('refuses a request with two credentials', async () => {
  const { url, calls } = await start();
  const headers = ['Authorization', 'Bearer one', 'Authorization', 'Bearer two'];
  const request = get(`${url}?query={alerts{name}}`, {
    headers: ['Host', 'a', 'Accept', 'application/json', ...headers],
  });
  const [response] = await once(request, 'response');
  expect(JSON.parse(await text(response))).toMatchObject({
    errors: [{ extensions: { code: 'UNAUTHENTICATED' } }],
  });
  expect(calls).toEqual([]);
});

it('close() ends subscriptions, and waits for requests under way', async () => {
  const held = Promise.withResolvers<void>();
  const arrived = Promise.withResolvers<void>();
  const { ask, url, gateway, server } = await start({}, async ({ path }) => {
    if (path !== '/api/v2/dashboards') return alerts;
    arrived.resolve();
    await held.promise;
    return data([]);
  });
  const stream = await subscribe(url, 'subscription { alerts { name } }');
  await stream.event(1);
  const answer = ask('{ dashboards { name } }');
  await arrived.promise;

  const closed = once(server, 'close');
  server.close();
  let isStopped = false;
  const stopped = gateway.close().then(() => {
    isStopped = true;
  });
  await stream.ended;
  expect([stream.isComplete, isStopped]).toEqual([true, false]);
  held.resolve();
  expect(await (await answer).json()).toEqual({ data: { dashboards: [] } });
  expect((await answer).headers.get('connection')).toBe('close');
  await Promise.all([stopped, closed]);
});

it('serves metrics at METRICS_PORT until close()', async () => {
  const METRICS_PORT = String(drawPort());
  const { ask, gateway } = await start({ settings: { METRICS_PORT } });
  await ask('{ alerts { name } }');
  const scrape = () => fetch(`http://127.0.0.1:${METRICS_PORT}/metrics`);
  expect(await (await scrape()).text()).toMatch(/^sluice_/m);
  await gateway.close();
  await expect(scrape()).rejects.toThrow('fetch failed');
});

it('rejects with every faulty setting, or where the metrics port is in use', async () => {
  const faulty = createGateway({ settings: { PORT: 'http' }, log: silent });
  await expect(faulty).rejects.toThrow(
    /^MANAGEMENT_URL is required.*\nOBSERVABILITY_URL is required.*\nPORT must be/,
  );
  const { port } = await serve(() => undefined);
  const taken = start({ settings: { METRICS_PORT: String(port) } });
  await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});
