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
  'a 429 that asks for an hour': sendStatus(429, { 'retry-after': '3600' }),
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

const organizationId = withIds('organization-1');
const serviceId = withIds('service-1');

/** What any caller finds, under a name that is the caller's own. */
const payloadOf = (path: string, name: string): unknown => {
  const alert = { id: 'a1', name, threshold: 1, dashboard: 'd1', tileId: 't1' };
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

/** Both upstreams at one address; a share of their answers goes wrong. */
export const startUpstreams = async (options: {
  readonly faultPercent: number;
  readonly seed: number;
}) => {
  const random = createRandom(options.seed);
  const counts = { calls: 0, faults: new Map<string, number>(), hanging: 0 };
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    counts.calls += 1;
    const { url: path = '' } = request;
    const payload = payloadOf(path, callerOf(request));
    const body = JSON.stringify(
      path.startsWith('/v1/')
        ? { status: 200, requestId: 'r', result: payload }
        : { data: payload },
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
    const name = random.pick(faultNames);
    counts.faults.set(name, (counts.faults.get(name) ?? 0) + 1);
    faults[name]?.(response, body);
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
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
