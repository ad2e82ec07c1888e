import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createRandom } from '../../support/random/random.ts';
import { startServer } from '../../support/servers.ts';
import { withIds } from '../../support/world/ids.ts';

type Fault = (response: ServerResponse, body: string) => void;

const head = { 'content-type': 'application/json' } as const;

const sendStatus =
  (status: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  (response) => {
    response.writeHead(status, { ...head, ...headers });
    response.end(JSON.stringify({ status, error: 'a fault', message: 'a fault' }));
  };

const send =
  (textOf: (body: string) => string, headers: Readonly<Record<string, string>> = head): Fault =>
  (response, body) => {
    response.writeHead(200, headers).end(textOf(body));
  };

/** What goes wrong, each as often as it stands here. */
const faults: Readonly<Record<string, Fault>> = {
  '500': sendStatus(500),
  '503': sendStatus(503),
  '403': sendStatus(403),
  '404': sendStatus(404),
  '422': sendStatus(422),
  'a 429 that asks for a second': sendStatus(429, { 'retry-after': '1' }),
  'a redirect': sendStatus(302, { location: 'http://127.0.0.1:1/' }),
  'a reset before the answer': (response) => response.destroy(),
  'a reset within the answer': (response, body) => {
    response.writeHead(200, { ...head, 'content-length': body.length });
    response.write(body.slice(0, body.length / 2), () => response.destroy());
  },
  'half an answer': send((body) => body.slice(0, body.length / 2)),
  'an answer of HTML': send(() => '<html>', { 'content-type': 'text/html' }),
  'an empty answer': send(() => ''),
  'another envelope': send(() => '{"items":[]}'),
  'what claims to be gzip': send((body) => body, { ...head, 'content-encoding': 'gzip' }),
  'a megabyte': send(() => JSON.stringify({ data: ['x'.repeat(1024 * 1024)] })),
};
const faultNames = Object.keys(faults) as [string, ...string[]];

const organizationId = withIds('organization-1');
const serviceId = withIds('service-1');

/** What any caller finds, under a name that is the caller's own. */
const payloadOf = (path: string, name: string): unknown => {
  // It changes, so that subscriptions have something to tell.
  const state = Math.floor(Date.now() / 10_000) % 2 === 0 ? 'OK' : 'ALERT';
  const alert = { id: 'a1', name, state, threshold: 1, dashboard: 'd1', tileId: 't1' };
  const dashboard = { id: 'd1', name, tags: [name], tiles: [{ id: 't1', name }] };
  if (path === '/api/v2/alerts') return [alert, { ...alert, id: 'a2' }];
  if (path.startsWith('/api/v2/alerts/')) return { ...alert, id: path.split('/').at(-1) };
  if (path === '/api/v2/dashboards') return [dashboard];
  if (path.startsWith('/api/v2/dashboards/')) return dashboard;
  if (path.endsWith('/pipes')) return [1, 2, 3].map((id) => ({ id: withIds(`pipe-${id}`), name }));
  if (path.endsWith('/backupConfiguration')) return { backupPeriodInHours: 24 };
  if (path.endsWith('/services')) return [{ id: serviceId, name }];
  if (path.endsWith('/organizations')) return [{ id: organizationId, name }];
  return { id: path.includes('/services/') ? serviceId : organizationId, name };
};

/** Who asks: the token itself, or the user name of a key. */
const callerOf = ({ headers }: IncomingMessage): string => {
  const [scheme, token = ''] = String(headers.authorization).split(' ');
  return scheme === 'Basic' ? (atob(token).split(':')[0] ?? '') : token;
};

/** Calls of each credential in a window, as the real interfaces limit them. */
const rates = {
  management: { calls: 10, windowMs: 10_000 },
  observability: { calls: 100, windowMs: 60_000 },
} as const;

/** Both upstreams at one address; a share of their answers goes wrong. `tolerance` is how many times its limit a credential may reach. */
export const startUpstreams = async (faultPercent: number, seed: number, tolerance: number) => {
  const random = createRandom(seed);
  const counts = { calls: 0, beyondLimits: 0, hanging: 0, faults: new Map<string, number>() };
  const arrivals = new Map<string, number[]>();
  const arrive = (upstream: keyof typeof rates, caller: string): void => {
    const { calls, windowMs } = rates[upstream];
    const key = `${upstream} ${caller}`;
    const times = arrivals.get(key) ?? [];
    arrivals.set(key, times);
    const now = performance.now();
    while ((times[0] ?? now) <= now - windowMs) times.shift();
    times.push(now);
    if (times.length > calls * tolerance) counts.beyondLimits += 1;
  };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    counts.calls += 1;
    const { url: path = '' } = request;
    const caller = callerOf(request);
    const isManagement = path.startsWith('/v1/');
    arrive(isManagement ? 'management' : 'observability', caller);
    const payload = payloadOf(path, caller);
    const body = JSON.stringify(
      isManagement ? { status: 200, requestId: 'r', result: payload } : { data: payload },
    );
    if (!random.chance(faultPercent)) {
      response.writeHead(200, head).end(body);
      return;
    }
    // Few, as each of them takes a whole deadline.
    if (random.chance(1)) {
      counts.hanging += 1;
      return;
    }
    const name = random.pick(faultNames);
    counts.faults.set(name, (counts.faults.get(name) ?? 0) + 1);
    faults[name]?.(response, body);
  };
  const server = createServer((request, response) => {
    response.on('error', () => undefined);
    request.resume();
    request.once('end', () => answer(request, response));
  });
  return { ...(await startServer(server)), counts };
};
