import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { createGateway, type GatewayOptions } from '../../src/index.ts';
import { createLog } from '../../src/log.ts';
import { credentials, data, startBackends } from '../support/harness.ts';
import { post, sendChunked, sendSized } from '../support/http/requests.ts';
import { drawPort } from '../support/ports.ts';
import { serve, startServer } from '../support/servers.ts';
import { subscribe } from '../support/subscribe.ts';

const alerts = data([{ id: 'a', name: 'lag' }]);
const silent = createLog({ write: () => undefined });

/** A server of one's own with the gateway's handler, in front of a backend, until the test ends. */
const start = async (options: Partial<GatewayOptions> = {}) => {
  const backends = await startBackends({ observability: () => alerts });
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
  const ask = (query: string) => post(url, query, credentials);
  return { ask, gateway, server, origin, url };
};

it('answers for a server of one’s own, with a log and plugins of one’s own', async () => {
  const seen: unknown[] = [];
  const lines: string[] = [];
  const { ask, origin } = await start({
    settings: { MANAGEMENT_ULR: 'http://cnry.example', MCP_MAX_CHARACTERS: '9' },
    plugins: [{ onParams: ({ params }) => void seen.push(params.query) }],
    log: createLog({ write: (line) => void lines.push(line) }),
  });
  const answer = await ask('{ alerts { name } }');
  expect(await answer.json()).toEqual({ data: { alerts: [{ name: 'lag' }] } });
  expect(seen).toEqual(['{ alerts { name } }']);
  const messages = lines.map((line) => JSON.parse(line).msg);
  expect(messages).toEqual([
    'unknown setting, similar to a known one',
    'a setting does not do what it says beside another',
    'operation',
  ]);
  expect(await (await fetch(`${origin}/readyz`)).json()).toMatchObject({ status: 'ready' });
});

it.each([
  ['of known length', sendSized, { query: '{ __typename }' }],
  ['in chunks, and parsed', sendChunked, { query: '{ __typename }' }],
  ['in chunks, and dropped', sendChunked, undefined],
])('tells of a body %s that the server has read before', async (_, way, parsed) => {
  const { gateway } = await start({ settings: { MCP: 'read' } });
  const { origin } = await serve(async (req, res) => {
    await req.toArray();
    gateway.handler(Object.assign(req, { body: parsed }), res);
  });
  const post = { method: 'POST', headers: { 'content-type': 'application/json' } };
  for (const path of ['/graphql', '/mcp']) {
    const answer = await way(origin + path, { ...post, body: '{"query":"{ __typename }"}' });
    expect([path, answer.status]).toEqual([path, 500]);
    expect(await answer.text()).toContain('The body was read before it came to the gateway: ');
  }
});

it('close() ends subscriptions, and waits for requests under way', async () => {
  const [begun, held] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
  const onResponse = async ({ request }: { readonly request: Request }): Promise<void> => {
    if (request.headers.get('accept') === 'text/event-stream') return;
    begun.resolve();
    await held.promise;
  };
  const { ask, url, gateway, server } = await start({ plugins: [{ onResponse }] });
  const stream = await subscribe(url, 'subscription { alerts { name } }');
  await stream.event(1);
  const answer = ask('{ dashboards { name } }');
  await begun.promise;

  const closed = once(server, 'close');
  server.close();
  const stopped = gateway.close().then(() => 'stopped');
  await stream.ended;
  expect(stream.isComplete).toBe(true);
  // Long enough for all that close() would do without that request.
  expect(await Promise.race([stopped, pause(300, 'waiting')])).toBe('waiting');
  held.resolve();
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
  const late = await (await ask('{ dashboards { name } }')).json();
  expect(late.errors[0].extensions).toMatchObject({ code: 'RATE_LIMITED', retryable: true });
});

it('rejects with every faulty setting, or where the metrics port is in use', async () => {
  const faulty = createGateway({ settings: { PORT: 'http' }, log: silent });
  await expect(faulty).rejects.toThrow(
    /^MANAGEMENT_URL is required.*\nPORT must be.*\nOBSERVABILITY_URL is required/,
  );
  // @ts-expect-error JavaScript may give nothing.
  const nothing = createGateway();
  await expect(nothing).rejects.toThrow(
    /^createGateway must get \{ settings \}: process\.env, or /,
  );
  // @ts-expect-error And a number.
  const number = createGateway({ settings: { METRICS_PORT: 9464 }, log: silent });
  await expect(number).rejects.toThrow(/^METRICS_PORT must be text, got number$/);
  const { port } = await serve(() => undefined);
  const taken = start({ settings: { METRICS_PORT: String(port) } });
  await expect(taken).rejects.toMatchObject({ code: 'EADDRINUSE', port });
});
