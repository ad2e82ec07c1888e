import { Buffer } from 'node:buffer';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { startServer } from '../servers.ts';

/** The same number for the same text (FNV-1a), so that results do not depend on the order of calls. */
export const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
};

/** The mark in all data that a caller may see. */
export const markOf = (caller: number): string => `of-caller-${caller}-only`;

/** Every caller whose mark is in a text. */
export const callersIn = (text: string): ReadonlySet<number> =>
  new Set([...text.matchAll(/of-caller-(\d+)-only/g)].map(([, caller]) => Number(caller)));

const basicOf = (caller: number): string => `Basic ${btoa(`key-${caller}:secret-${caller}`)}`;
const bearerOf = (caller: number): string => `Bearer token-${caller}`;

/** The owner of a credential; -1 if it has no owner. */
export const ownerOf = (authorization: string): number => {
  const [scheme, token = ''] = authorization.split(' ');
  const text = scheme === 'Basic' ? Buffer.from(token, 'base64').toString() : token;
  const pattern = scheme === 'Basic' ? /^key-(\d+):secret-\1$/ : /^token-(\d+)$/;
  return Number(pattern.exec(text)?.[1] ?? -1);
};

const kinds = ['own headers', 'plain Basic', 'plain Bearer'] as const;

/** A caller's credentials, always in the same headers; all callers have both. */
export const headersOf = (caller: number): Readonly<Record<string, string>> => {
  const kind = kinds[caller % kinds.length];
  return {
    [kind === 'plain Basic' ? 'authorization' : 'management-authorization']: basicOf(caller),
    [kind === 'plain Bearer' ? 'authorization' : 'observability-authorization']: bearerOf(caller),
  };
};

/** Identifiers that all callers use, although each caller gets different data for them. */
export const shared = {
  organizations: ['0a9a0000-0000-4000-8000-000000000001', '0a9a0000-0000-4000-8000-000000000002'],
  services: ['5e4c0000-0000-4000-8000-000000000001', '5e4c0000-0000-4000-8000-000000000002'],
  pipes: ['919e0000-0000-4000-8000-000000000001', '919e0000-0000-4000-8000-000000000002'],
  dashboards: ['da5b01', 'da5b02'],
  alerts: ['a1e401', 'a1e402', 'a1e403'],
} as const;

/** The observations of the two upstreams. */
export interface Notes {
  calls: number;
  faults: number;
  /** Calls whose credential was not that of the caller of their request. */
  readonly crossings: string[];
  /** The number of writes by request id. */
  readonly writes: Map<string, number>;
}

const marked = (names: string, mark: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, mark]));

const recordOf = (id: string, caller: number) => {
  const mark = markOf(caller);
  return {
    ...marked('message state interval savedSearch team groupBy email iamRole', mark),
    ...marked('backupStartTime password keyId keySecret', mark),
    ...{ id, name: `${id} ${mark}`, threshold: caller, createdAt: '2026-11-21T00:00:00Z' },
    ...{ dashboard: shared.dashboards[caller % 2], tileId: `tile-${caller}`, tags: [mark] },
    tiles: [{ id: `tile-${caller}`, name: mark, x: caller, series: [{ where: mark }] }],
    ...{ channel: marked('type webhookId', mark), key: marked('id name', mark) },
    ...{
      ipAccessList: [marked('source description', mark)],
      endpoints: [{ host: mark, port: caller }],
    },
    source: { kafka: marked('brokers topics', mark) },
  };
};

const payloadOf = (method: string, path: string, caller: number): unknown => {
  const last = path.split('/').at(-1) ?? '';
  const ids = Object.hasOwn(shared, last) ? shared[last as keyof typeof shared] : undefined;
  if (method === 'GET' && ids) return ids.map((id) => recordOf(id, caller));
  if (last === 'invitations') return [recordOf('invitation', caller)];
  return recordOf(last, caller);
};

/** How an upstream reacts to a call that it does not answer normally. */
const moods = ['reset', 'html', 400, 401, 403, 404, 409, 429, 500, 503, 504] as const;
type Mood = 'well' | 'late' | (typeof moods)[number];

/** One call in ten fails, and one in five is answered some milliseconds later. */
const moodOf = (hash: number): Mood => {
  const dice = hash % 100;
  if (dice < 10) return moods[(hash >>> 8) % moods.length] ?? 'well';
  return dice < 30 ? 'late' : 'well';
};

const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

const read = async (request: IncomingMessage): Promise<string> => {
  let text = '';
  for await (const chunk of request.setEncoding('utf8')) text += chunk;
  return text;
};

const startUpstream = async (kind: 'management' | 'observability', seed: number, notes: Notes) => {
  const attempts = new Map<string, number>();

  const note = (request: IncomingMessage, body: string): number => {
    const { method = '', url = '', headers } = request;
    const authorization = headers.authorization ?? '';
    const caller = ownerOf(authorization);
    const requestId = String(headers['x-request-id']);
    const scheme = kind === 'management' ? 'Basic ' : 'Bearer ';
    const asker = Number(/^c(\d+)-/.exec(requestId)?.[1]);
    const marks = [...body.matchAll(/of-caller-(\d+)-only/g)].map(([, number]) => Number(number));
    const own = [asker, ...marks].every((number) => number === caller);
    notes.calls += 1;
    if (!own || caller < 0 || !authorization.startsWith(scheme)) {
      notes.crossings.push(`${kind} ${requestId} ${authorization}: ${method} ${url} ${body}`);
    }
    if (method !== 'GET') notes.writes.set(requestId, (notes.writes.get(requestId) ?? 0) + 1);
    return caller;
  };

  const answer = (response: ServerResponse, mood: Mood, payload: unknown, mark: string): void => {
    if (mood === 'reset') {
      response.destroy();
    } else if (mood === 'html') {
      response.writeHead(200, { 'content-type': 'text/html' }).end(`<p>${mark}</p>`);
    } else {
      const status = typeof mood === 'number' ? mood : 200;
      const body =
        status === 200
          ? { status, requestId: mark, result: payload, data: payload }
          : { status, requestId: mark, error: `refused ${mark}`, message: `refused ${mark}` };
      response.writeHead(status, { 'content-type': 'application/json' }).end(JSON.stringify(body));
    }
  };

  const server = createServer(async (request, response) => {
    const body = await read(request);
    const { method = '', url: path = '' } = request;
    const caller = note(request, body);
    const key = `${seed} ${request.headers['x-request-id']} ${method} ${path}`;
    const attempt = attempts.get(key) ?? 0;
    attempts.set(key, attempt + 1);
    const hash = hashOf(`${key} ${attempt}`);
    const mood = moodOf(hash);
    if (mood !== 'well' && mood !== 'late') notes.faults += 1;
    if (mood === 'late')
      await new Promise((resolve) => setTimeout(resolve, 1 + ((hash >>> 16) % 5)));
    else await turns((hash >>> 16) % 6);
    answer(response, mood, payloadOf(method, path, caller), markOf(caller));
  });
  const { origin, close } = await startServer(server);
  return { url: new URL(origin), close };
};

/**
 * Both upstreams, which know callers only by their credentials: all their data, including errors, has the mark of the
 * credential's owner. Delays and failures of a call depend on its request, its path and the seed.
 */
export const startMarkedUpstreams = async (seed: number) => {
  const notes: Notes = { calls: 0, faults: 0, crossings: [], writes: new Map() };
  const management = await startUpstream('management', seed, notes);
  const observability = await startUpstream('observability', seed, notes);
  return {
    notes,
    managementUrl: management.url,
    observabilityUrl: observability.url,
    close: async (): Promise<void> => {
      await management.close();
      await observability.close();
    },
  };
};
