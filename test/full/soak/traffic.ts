import type { IncomingMessage, ServerResponse } from 'node:http';
import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { faultOfBody } from '../../support/random/fuzz-answer.ts';
import { createRandom } from '../../support/random/random.ts';
import { subscribe } from '../../support/subscribe.ts';
import { withIds } from '../../support/world/ids.ts';

const organization = withIds('organization-1');
const service = withIds('organizationId: "organization-1", serviceId: "service-1"');

/** What callers ask, each as often as it stands here. */
const documents = [
  '{ alerts { id name } }',
  '{ alert(id: "a1") { name dashboard { name tiles { name } } tile { name } } }',
  '{ dashboards { name tags tiles { name alerts { name } } alerts { name } } }',
  `{ organization(id: "${organization}") { name services { name } } }`,
  `{ service(${service}) { name pipes { name } backupConfiguration { __typename } } alerts { name } }`,
  '{ alerts(filter: {nameContains: "caller"}) { name threshold } }',
  `mutation { updateOrganization(input: {organizationId: "${organization}", name: "n"}) { organization { name } } }`,
  'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }',
  // Refused before any call.
  '{ alerts { name ',
  'query Needs($id: ID!) { alert(id: $id) { name } }',
] as const;

const subscriptions = [
  'subscription { alerts { id name state } }',
  'subscription { dashboard(id: "d1") { name tiles { name } alerts { name state } } }',
  `subscription { pipes(${service}) { name } }`,
] as const;

/** What a caller sends: its name stands in both credentials, and in all that it is to find. */
const credentialsOf = (caller: string) => ({
  'management-authorization': `Basic ${btoa(`${caller}:secret`)}`,
  'observability-authorization': `Bearer ${caller}`,
});

/** What of another caller stands in a text. */
const foreignIn = (text: string, caller: string): string | undefined => {
  const names = [...text.matchAll(/"name":"(caller-\d+)"/g)].map(([, name]) => name);
  const other = names.find((name) => name !== caller);
  return other === undefined ? undefined : `${caller} got what is ${other}’s`;
};

/** Sends operations of many callers over a few connections, and looks at every answer. */
export const createLoad = (url: string, connections: number, callers: number, seed: number) => {
  const random = createRandom(seed);
  const { origin, pathname } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const counts = { operations: 0, withErrors: 0, left: 0 };
  const faults: string[] = [];

  const sendOne = async (): Promise<void> => {
    counts.operations += 1;
    // A few callers ask for more than their limit allows.
    const caller = `caller-${random.below(random.chance(3) ? 10 : callers)}`;
    // Some documents are new, and so long that the caches soon have to let others go.
    const fresh = `query New${counts.operations} { alerts { name } } # ${''.padEnd(8000, '.')}`;
    const query = random.chance(5) ? fresh : random.pick(documents);
    const accept = random.chance(10) ? 'application/graphql-response+json' : 'application/json';
    const leaving = random.chance(1) ? new AbortController() : undefined;
    try {
      const answering = pool.request({
        ...{ method: 'POST', path: pathname, body: JSON.stringify({ query }) },
        headers: { ...credentialsOf(caller), 'content-type': 'application/json', accept },
        signal: leaving?.signal ?? null,
      });
      if (leaving) setTimeout(() => leaving.abort(), random.below(5));
      const { statusCode, body } = await answering;
      const text = await body.text();
      if (text.includes('"errors":')) counts.withErrors += 1;
      const wrong = faultOfBody(JSON.parse(text)) ?? foreignIn(text, caller);
      if (statusCode >= 500 || wrong !== undefined) faults.push(`${wrong} ${statusCode}: ${text}`);
    } catch (error) {
      if (leaving) counts.left += 1;
      else faults.push(String(error));
    }
  };

  /** Sends so many operations, and resolves when none of them is under way. */
  const send = async (operations: number): Promise<void> => {
    const last = counts.operations + operations;
    const work = async (): Promise<void> => {
      while (counts.operations < last && faults.length < 10) await sendOne();
    };
    await Promise.all(Array.from({ length: connections }, work));
  };
  return { counts, faults, send, close: () => pool.close() };
};

/** Clients that subscribe until `closing`, and again whenever a stream has ended or they have left it; two belong to a caller. */
export const watch = async (
  url: string,
  streams: number,
  closing: AbortSignal,
  faults: string[],
) => {
  const random = createRandom(streams);
  const keep = async (index: number): Promise<void> => {
    const caller = `caller-${Math.floor(index / 2)}`;
    while (!closing.aborted && faults.length < 10) {
      await pause(random.below(2000));
      const headers = credentialsOf(caller);
      const stream = await subscribe(url, random.pick(subscriptions), { headers });
      const staying = setTimeout(stream.leave, random.below(60_000));
      closing.addEventListener('abort', stream.leave, { once: true });
      if (closing.aborted) stream.leave();
      await stream.ended;
      clearTimeout(staying);
      closing.removeEventListener('abort', stream.leave);
      const text = JSON.stringify(stream.events);
      const wrong = text.includes('INTERNAL_SERVER_ERROR') ? text : foreignIn(text, caller);
      if (wrong !== undefined) faults.push(wrong);
    }
  };
  await Promise.all(Array.from({ length: streams }, (_, index) => keep(index)));
};

type Fault = (response: ServerResponse, body: string) => void;
const head = { 'content-type': 'application/json' } as const;
const status =
  (code: number, headers: Readonly<Record<string, string>> = head): Fault =>
  (response) => {
    response.writeHead(code, headers).end('{"error":"a fault","message":"a fault"}');
  };

/** What goes wrong, each as often as it stands here. */
const upstreamFaults: readonly [Fault, ...Fault[]] = [
  status(500),
  status(503),
  status(403),
  status(404),
  status(429, { 'retry-after': '1' }),
  (response) => response.destroy(),
  (response, body) => {
    response.writeHead(200, { ...head, 'content-length': body.length });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
  (response) => response.writeHead(200, { 'content-type': 'text/html' }).end('<html>'),
  (response, body) => response.writeHead(200, { ...head, 'content-encoding': 'gzip' }).end(body),
  (response) => response.writeHead(200, head).end(JSON.stringify(['x'.repeat(1024 * 1024)])),
];

/** What any caller finds, under a name that is the caller's own. */
const payloadOf = (path: string, name: string): unknown => {
  // It changes, so that subscriptions have something to tell.
  const state = Math.floor(Date.now() / 10_000) % 2 === 0 ? 'OK' : 'ALERT';
  const alert = { id: 'a1', name, state, threshold: 1, dashboard: 'd1', tileId: 't1' };
  const dashboard = { id: 'd1', name, tags: [name], tiles: [{ id: 't1', name }] };
  const isList = /\/(alerts|dashboards|pipes|services)$/.test(path);
  const id = /\/services/.test(path) ? withIds('service-1') : organization;
  const [one] = [
    ...(path.includes('/alerts') ? [alert] : []),
    ...(path.includes('/dashboards') ? [dashboard] : []),
    { id: path.endsWith('/pipes') ? withIds('pipe-1') : id, name },
  ];
  return isList ? [one] : one;
};

/** Calls of each credential in a window, as the real interfaces limit them. */
const rates = {
  management: { calls: 10, windowMs: 10_000 },
  observability: { calls: 100, windowMs: 60_000 },
} as const;

/** Both upstreams; a share of their answers goes wrong. `tolerance` is how many times its limit a credential may reach. */
export const createUpstreams = (faultPercent: number, seed: number, tolerance: number) => {
  const random = createRandom(seed);
  const counts = { calls: 0, beyondLimits: 0, faults: 0, hanging: 0 };
  const arrivals = new Map<string, number[]>();
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    counts.calls += 1;
    response.on('error', () => undefined);
    request.resume();
    const { url: path = '', headers } = request;
    const [scheme, token = ''] = String(headers.authorization).split(' ');
    const isManagement = scheme === 'Basic';
    const { calls, windowMs } = rates[isManagement ? 'management' : 'observability'];
    const times = arrivals.get(token) ?? [];
    arrivals.set(token, times);
    const now = performance.now();
    while ((times[0] ?? now) <= now - windowMs) times.shift();
    times.push(now);
    if (times.length > calls * tolerance) counts.beyondLimits += 1;
    const caller = isManagement ? (atob(token).split(':')[0] ?? '') : token;
    const payload = payloadOf(path, caller);
    const body = JSON.stringify(
      isManagement ? { status: 200, result: payload } : { data: payload },
    );
    if (!random.chance(faultPercent)) {
      response.writeHead(200, head).end(body);
    } else if (random.chance(1)) {
      // Few, as each of them takes a whole deadline.
      counts.hanging += 1;
    } else {
      counts.faults += 1;
      random.pick(upstreamFaults)(response, body);
    }
  };
  return { counts, answer };
};
