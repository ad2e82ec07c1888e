import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { createRandom } from '../../support/random/random.ts';
import { withIds } from '../../support/world/ids.ts';

type Fault = (response: ServerResponse, body: string) => void;

const head = { 'content-type': 'application/json' } as const;

const sendStatus =
  (status: number, headers: Readonly<Record<string, string>> = {}): Fault =>
  (response) => {
    response.writeHead(status, { ...head, ...headers });
    response.end(JSON.stringify({ status, error: 'a fault', message: 'a fault' }));
  };

/** What goes wrong, each as often as it stands here. */
const faults: Readonly<Record<string, Fault>> = {
  '500': sendStatus(500),
  '502': sendStatus(502),
  '503': sendStatus(503),
  '504': sendStatus(504),
  '403': sendStatus(403),
  '404': sendStatus(404),
  '422': sendStatus(422),
  'a 429 that asks for a second of patience': sendStatus(429, { 'retry-after': '1' }),
  'a redirect': sendStatus(302, { location: 'http://127.0.0.1:1/' }),
  'a reset before the answer': (response) => response.destroy(),
  'a reset within the answer': (response, body) => {
    response.writeHead(200, { ...head, 'content-length': body.length });
    response.write(body.slice(0, body.length / 2));
    setImmediate(() => response.destroy());
  },
  'half an answer': (response, body) => {
    response.writeHead(200, head);
    response.end(body.slice(0, body.length / 2));
  },
  'an answer of HTML': (response) => {
    response.writeHead(200, { 'content-type': 'text/html' });
    response.end('<html>');
  },
  'an empty answer': (response) => {
    response.writeHead(200, head);
    response.end();
  },
  'no content': (response) => {
    response.writeHead(204);
    response.end();
  },
  'another envelope': (response) => {
    response.writeHead(200, head);
    response.end('{"items":[]}');
  },
  'what claims to be gzip': (response, body) => {
    response.writeHead(200, { ...head, 'content-encoding': 'gzip' });
    response.end(body);
  },
  'an answer of a megabyte': (response) => {
    response.writeHead(200, head);
    response.end(JSON.stringify({ data: ['x'.repeat(1024 * 1024)] }));
  },
};

const faultNames = Object.keys(faults) as [string, ...string[]];
const anHour = 'a 429 that asks for an hour';

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

/** Counts how often a credential has made more calls in a window than it may, times `tolerance`. */
const createLimits = (tolerance: number) => {
  const arrivals = new Map<string, number[]>();
  let exceeded = 0;
  return {
    get exceeded() {
      return exceeded;
    },
    arrive: (upstream: keyof typeof rates, caller: string): void => {
      const { calls, windowMs } = rates[upstream];
      const key = `${upstream} ${caller}`;
      const times = arrivals.get(key) ?? [];
      arrivals.set(key, times);
      const now = performance.now();
      while ((times[0] ?? now) <= now - windowMs) times.shift();
      times.push(now);
      if (times.length > calls * tolerance) exceeded += 1;
    },
  };
};

/** Both upstreams at one address; a share of their answers goes wrong. */
export const startUpstreams = async (options: {
  readonly faultPercent: number;
  readonly seed: number;
  /** How many times its limit a credential may reach. */
  readonly tolerance: number;
}) => {
  const random = createRandom(options.seed);
  const limits = createLimits(options.tolerance);
  const counts = { calls: 0, faults: new Map<string, number>(), hanging: 0 };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    counts.calls += 1;
    const { url: path = '' } = request;
    const caller = callerOf(request);
    const isManagement = path.startsWith('/v1/');
    limits.arrive(isManagement ? 'management' : 'observability', caller);
    const payload = payloadOf(path, caller);
    const body = JSON.stringify(
      isManagement ? { status: 200, requestId: 'r', result: payload } : { data: payload },
    );
    if (!random.chance(options.faultPercent)) {
      response.writeHead(200, head);
      response.end(body);
      return;
    }
    // Few, as each of them takes a whole deadline.
    if (random.chance(1)) {
      counts.hanging += 1;
      return;
    }
    // Few too: its credential is left alone for five minutes.
    const name = random.chance(1) ? anHour : random.pick(faultNames);
    counts.faults.set(name, (counts.faults.get(name) ?? 0) + 1);
    if (name === anHour) sendStatus(429, { 'retry-after': '3600' })(response, body);
    else faults[name]?.(response, body);
  };
  const server: Server = createServer((request, response) => {
    response.on('error', () => undefined);
    request.resume();
    request.once('end', () => answer(request, response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('no port');
  return {
    url: `http://127.0.0.1:${address.port}`,
    counts,
    /** How many calls came beyond what their credential may make. */
    beyondLimits: () => limits.exceeded,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
