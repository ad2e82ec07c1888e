import { once } from 'node:events';
import { createServer } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { startServer } from './children.ts';
import { headersOf, post } from './clients.ts';
import { unpaced } from './cpu.ts';
import { table } from './report.ts';
import { bodyOf } from './scenarios.ts';
import { count } from './world.ts';

const rows = 5000;

const listOf = (row: (index: number) => object): string =>
  JSON.stringify({ data: count(rows, row) });
const lists = new Map([
  [
    '/api/v2/alerts',
    listOf((index) => ({
      ...{ id: `a${index}`, name: `Latency is high ${(index * 7919) % rows}`, state: 'OK' },
      ...{ dashboard: `d${index}`, tileId: 't', threshold: 1, createdAt: '2026-03-01T00:00:00Z' },
    })),
  ],
  [
    '/api/v2/dashboards',
    listOf((index) => ({ id: `d${index}`, name: `Page ${index}`, tiles: [] })),
  ],
]);

const aliases = (times: number, field: (index: number) => string): string =>
  count(times, (index) => `a${index}: ${field(index)}`).join(' ');
const letter = (index: number): string => 'latency is high'.slice(0, 1 + (index % 15));

/** The requests within the limits that take the most time. */
const requests: Readonly<Record<string, string>> = {
  'a long text in 110 filters': bodyOf(
    `query ($text: String) { ${aliases(110, () => 'alerts(filter: {nameContains: $text}) { id }')} }`,
    { text: 'x'.repeat(1000) },
  ),
  '75 filters and orders': bodyOf(
    `{ ${aliases(75, (index) => `alerts(filter: {nameContains: "${letter(index)}"}, orderBy: {field: NAME}) { id }`)} }`,
  ),
  '400 fields of each row': bodyOf(`{ alerts { ${aliases(400, () => 'threshold')} } }`),
  'joins there and back': bodyOf(
    '{ dashboards { alerts { dashboard { alerts { dashboard { name } } } } } }',
  ),
  '60 joins of each row': bodyOf(`{ alerts { ${aliases(60, () => 'dashboard { name }')} } }`),
  'an event of 400 fields of each row': bodyOf(
    `subscription { alerts { ${aliases(400, () => 'threshold')} } }`,
  ),
};

/** Reads an answer, or the first event of a stream. */
const ask = async (pool: Pool, body: string): Promise<void> => {
  const headers = headersOf('fetch', 0);
  if (!body.includes('subscription')) {
    await post(pool, headers, body);
    return;
  }
  const accept = 'text/event-stream';
  const request = {
    method: 'POST',
    path: '/graphql',
    headers: { ...headers, accept },
    body,
  } as const;
  const { body: events } = await pool.request(request);
  let end = '';
  for await (const chunk of events) {
    end = `${end}${chunk}`.slice(-2);
    if (chunk.length > 100 && end === '\n\n') break;
  }
};

/** How long /healthz waits at most while each of the worst requests is answered. */
export const measureHealth = async (say: (what: string) => void): Promise<string> => {
  say('one request against health');
  const backend = createServer((request, response) => {
    const text = lists.get(request.url ?? '');
    response.writeHead(text ? 200 : 404, { 'content-type': 'application/json' }).end(text ?? '{}');
  }).listen(0, '127.0.0.1');
  await once(backend, 'listening');
  const address = backend.address();
  if (address === null || typeof address === 'string') throw new Error('the backend has no port');
  const server = await startServer('Sluice', `http://127.0.0.1:${address.port}`, unpaced);
  const pool = new Pool(server.url);

  const waits = async (body: string): Promise<number> => {
    const asked = { isOver: false };
    const end = (): void => {
      asked.isOver = true;
    };
    const asking = ask(pool, body).finally(end);
    let longest = 0;
    while (!asked.isOver) {
      const began = performance.now();
      const { body: health } = await pool.request({ method: 'GET', path: '/healthz' });
      await health.text();
      longest = Math.max(longest, performance.now() - began);
      await pause(5);
    }
    await asking;
    return longest;
  };

  const figures: (readonly [string, string])[] = [];
  for (const [name, body] of Object.entries(requests)) {
    // The first is slower, since nothing is compiled yet.
    await waits(body);
    figures.push([name, (await waits(body)).toFixed(0)]);
  }
  await pool.destroy();
  await server.stop();
  backend.closeAllConnections();
  backend.close();
  const header = [`one request against health, ${rows} rows`, 'longest wait of /healthz, ms'];
  return `## One request against health\n\n${table(1, header, figures)}`;
};
