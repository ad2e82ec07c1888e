import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { type Answering, json, startStack } from '../support/harness.ts';
import { createRandom } from '../support/random/random.ts';
import { runsOf } from '../support/random/runs.ts';

const seed = 20_261_121;
const callers = 100;
const operationsEach = runsOf(8, 200);
/** Operations that a caller has under way at a time. */
const lanes = 4;

/** The same number for the same text (FNV-1a), so that an upstream's moods do not hang on the order of calls. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
};

/** What all that a caller may see is marked with. */
const markOf = (caller: number): string => `of-caller-${caller}-only`;

/** Every caller that a text speaks of. */
const callersIn = (text: string): ReadonlySet<number> =>
  new Set([...text.matchAll(/of-caller-(\d+)-only/g)].map(([, caller]) => Number(caller)));

const basicOf = (caller: number): string => `Basic ${btoa(`key-${caller}:secret-${caller}`)}`;
const bearerOf = (caller: number): string => `Bearer token-${caller}`;

/** The caller whose credential it is; nobody's is -1. */
const ownerOf = (authorization: string): number => {
  const [scheme, token = ''] = authorization.split(' ');
  const text = scheme === 'Basic' ? Buffer.from(token, 'base64').toString() : token;
  const pattern = scheme === 'Basic' ? /^key-(\d+):secret-\1$/ : /^token-(\d+)$/;
  return Number(pattern.exec(text)?.[1] ?? -1);
};

const kinds = ['own headers', 'plain Basic', 'plain Bearer'] as const;

/** Credentials of a caller, in the way in which it always sends them; all callers have both. */
const headersOf = (caller: number): Readonly<Record<string, string>> => {
  const kind = kinds[caller % kinds.length];
  return {
    [kind === 'plain Basic' ? 'authorization' : 'management-authorization']: basicOf(caller),
    [kind === 'plain Bearer' ? 'authorization' : 'observability-authorization']: bearerOf(caller),
  };
};

/** Identifiers that all callers use: what is at them differs from caller to caller. */
const shared = {
  organizations: ['0a9a0000-0000-4000-8000-000000000001', '0a9a0000-0000-4000-8000-000000000002'],
  services: ['5e4c0000-0000-4000-8000-000000000001', '5e4c0000-0000-4000-8000-000000000002'],
  pipes: ['919e0000-0000-4000-8000-000000000001', '919e0000-0000-4000-8000-000000000002'],
  dashboards: ['da5b01', 'da5b02'],
  alerts: ['a1e401', 'a1e402', 'a1e403'],
} as const;

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

/** How an upstream takes a call: most are answered, at once or later. */
const moods = ['reset', 'html', 400, 401, 403, 404, 409, 429, 500, 503, 504] as const;
type Mood = 'well' | 'late' | (typeof moods)[number];

/** One call in ten is a fault's, and one in five is answered some milliseconds later. */
const moodOf = (hash: number): Mood => {
  const dice = hash % 100;
  if (dice < 10) return moods[(hash >>> 8) % moods.length] ?? 'well';
  return dice < 30 ? 'late' : 'well';
};

const notes = { calls: 0, faults: 0, crossings: [] as string[], writes: new Map<string, number>() };
const attempts = new Map<string, number>();

/**
 * Both upstreams know callers by their credentials alone: whatever they say, errors too, is marked with the credential's owner.
 * Each call is late, or fails, by its request, its path and the seed. Noted is each call whose credential is not that of the
 * caller whose request it belongs to.
 */
const answering: Answering = async ({ upstream, method, path, headers, body }) => {
  const authorization = headers.authorization ?? '';
  const caller = ownerOf(authorization);
  const requestId = String(headers['x-request-id']);
  const scheme = upstream === 'management' ? 'Basic ' : 'Bearer ';
  const asker = Number(/^c(\d+)-/.exec(requestId)?.[1]);
  const isOwn = [asker, ...callersIn(body)].every((number) => number === caller);
  notes.calls += 1;
  if (!isOwn || caller < 0 || !authorization.startsWith(scheme)) {
    notes.crossings.push(`${upstream} ${requestId} ${authorization}: ${method} ${path} ${body}`);
  }
  if (method !== 'GET') notes.writes.set(requestId, (notes.writes.get(requestId) ?? 0) + 1);
  const key = `${seed} ${requestId} ${method} ${path}`;
  const attempt = attempts.get(key) ?? 0;
  attempts.set(key, attempt + 1);
  const hash = hashOf(`${key} ${attempt}`);
  const mood = moodOf(hash);
  if (mood !== 'well' && mood !== 'late') notes.faults += 1;
  if (mood === 'late') await pause(1 + ((hash >>> 16) % 5));
  else for (let turn = 0; turn < (hash >>> 16) % 6; turn += 1) await immediate();
  const mark = markOf(caller);
  const type = { 'content-type': 'text/html' };
  if (mood === 'reset' || mood === 'html') {
    return { headers: type, body: `<p>${mark}</p>`, isCutOff: mood === 'reset' };
  }
  const status = typeof mood === 'number' ? mood : 200;
  const payload = payloadOf(method, path, caller);
  const refusal = { error: `refused ${mark}`, message: `refused ${mark}` };
  const said = status === 200 ? { result: payload, data: payload } : refusal;
  return json({ status, requestId: mark, ...said }, status);
};

type Random = () => number;

const pick = <Item>(random: Random, items: readonly Item[]): Item => {
  const item = items[Math.floor(random() * items.length)];
  if (item === undefined) throw new Error('nothing to pick from');
  return item;
};

interface Operation {
  readonly query: string;
  readonly variables: Readonly<Record<string, string>>;
}

const ofService = '($o: ID!, $s: ID!, $p: ID!, $mark: String)';
const inService = 'organizationId: $o, serviceId: $s';
const alertFields = 'id name message state threshold interval tileId savedSearchId teamId';
const aboutAlert = '($a: ID!, $mark: String)';

const reads: readonly string[] = [
  'query { organizations { id name } alerts { name threshold } dashboards { name tags } }',
  `query ${ofService} { service(${inService}) { name iamRole endpoints { host port }
    pipes(filter: {nameContains: $mark}) { name state source { ... on KafkaSource { brokers } } } } }`,
  `query ${ofService} { organization(id: $o) { name invitations { email } service(id: $s) {
    name pipe(id: $p) { name } backupConfiguration { backupStartTime } } } x: alerts(filter: {state: $mark}) { name } }`,
  `query ($a: ID!) { alert(id: $a) { ${alertFields} channel { webhookId } dashboard { name } tile { id name x } } }`,
  'query ($d: ID!) { dashboard(id: $d) { name tags tiles { id name x series { where } } alerts { name } } }',
  `query ($a: ID!, $d: ID!) { a: alert(id: $a) { ${alertFields} } b: alert(id: "a1e401") { name }
    dashboard(id: $d) { name } }`,
];

const writes: readonly string[] = [
  `mutation ${aboutAlert} { updateAlert(input: {alertId: $a, message: $mark}) {
    alert { ${alertFields} dashboard { name } } userErrors { code message } } }`,
  `mutation ($o: ID!, $mark: String) { updateOrganization(input: {organizationId: $o, name: $mark}) {
    organization { name invitations { email } } userErrors { code message } } }`,
  `mutation ${ofService} { updatePipe(input: {${inService}, pipeId: $p, name: $mark}) {
    pipe { name state service { name } } userErrors { code message } } }`,
  `mutation ($mark: String) { createDashboard(input: {name: $mark}) {
    dashboard { name tags } userErrors { code message } } }`,
  `mutation ($o: ID!, $s: ID!) { updateServicePassword(input: {${inService}}) {
    password userErrors { code message } } }`,
  `mutation ($o: ID!, $mark: String) { createApiKey(input: {organizationId: $o, name: $mark, roles: [ADMIN]}) {
    keyId keySecret apiKey { name } userErrors { code message } } }`,
];

const operationFor = (caller: number, random: Random): Operation => {
  const query = pick(random, random() < 0.3 ? writes : reads);
  const values = {
    o: pick(random, shared.organizations),
    s: pick(random, shared.services),
    p: pick(random, shared.pipes),
    d: pick(random, shared.dashboards),
    a: pick(random, shared.alerts),
    mark: markOf(caller),
  };
  const declared = Object.entries(values).filter(([name]) => query.includes(`$${name}:`));
  return { query, variables: Object.fromEntries(declared) };
};

/** Numbers that are an answer's data come from the caller's own number alone. */
const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

interface Answer {
  readonly data?: unknown;
  readonly errors?: readonly {
    readonly message: string;
    readonly extensions: { readonly code: string };
  }[];
  readonly extensions: { readonly upstream: readonly { readonly shared: boolean }[] };
}

it(`${callers * operationsEach} operations of ${callers} callers: each is made and answered with its own credential`, async () => {
  const stack = await startStack({
    ...{ management: answering, observability: answering, config: { explain: true } },
  });
  const pool = new Pool(new URL(stack.url).origin, { connections: callers * lanes });

  const seen = { answers: 0, data: 0, errors: 0, words: 0, sharedCalls: 0 };
  const crossings: string[] = [];

  const check = (caller: number, requestId: string, text: string, answeredId: unknown): void => {
    const { data, errors = [], extensions }: Answer = JSON.parse(text);
    const own = callersIn(text);
    const numbers = new Set(numbersIn(data));
    const foreign =
      [...own, ...numbers].some((number) => number !== caller) || answeredId !== requestId;
    if (foreign) crossings.push(`${requestId} ${String(answeredId)}: ${text}`);
    seen.answers += 1;
    seen.data += callersIn(JSON.stringify(data ?? null)).size;
    seen.errors += errors.length;
    seen.words += callersIn(JSON.stringify(errors)).size;
    seen.sharedCalls += extensions.upstream.filter((call) => call.shared).length;
  };

  const runLane = async (caller: number, lane: number): Promise<void> => {
    const random = createRandom(seed + caller * lanes + lane).next;
    for (let number = 0; number < operationsEach / lanes; number += 1) {
      const requestId = `c${caller}-${lane}-${number}`;
      const response = await pool.request({
        method: 'POST',
        path: new URL(stack.url).pathname,
        headers: {
          ...headersOf(caller),
          'content-type': 'application/json',
          'sluice-explain': '1',
          'x-request-id': requestId,
          accept: random() < 0.25 ? 'application/graphql-response+json' : 'application/json',
        },
        body: JSON.stringify(operationFor(caller, random)),
      });
      const text = await response.body.text();
      check(caller, requestId, text, response.headers['x-request-id']);
    }
  };

  await Promise.all(
    Array.from({ length: callers * lanes }, (_, index) =>
      runLane(1 + (index % callers), Math.floor(index / callers)),
    ),
  );
  await pool.close();
  await stack.close();

  expect(crossings.slice(0, 5)).toEqual([]);
  expect(notes.crossings.slice(0, 5)).toEqual([]);
  expect([...notes.writes].filter(([, count]) => count > 1)).toEqual([]);
  expect(stack.log()).not.toMatch(/of-caller|token-|secret-|Bearer|Basic/);
  // Or there would have been nothing to cross.
  expect(seen.answers).toBe(callers * operationsEach);
  expect(seen.data).toBeGreaterThan(5 * 10 * operationsEach);
  expect(seen.words).toBeGreaterThan(5 * operationsEach);
  expect(seen.sharedCalls).toBeGreaterThan(operationsEach / 2);
  expect(notes.calls).toBeGreaterThan(callers * operationsEach);
  expect(notes.faults).toBeGreaterThan(10 * operationsEach);
}, 900_000);
