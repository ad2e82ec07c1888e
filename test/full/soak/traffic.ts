import { setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { type Answer, type Answering, json } from '../../support/harness.ts';
import { faultOfBody } from '../../support/random/fuzz-answer.ts';
import { createRandom } from '../../support/random/random.ts';
import { subscribe } from '../../support/subscribe.ts';
import { createBackend } from '../../support/world/backend.ts';
import { withIds } from '../../support/world/ids.ts';
import { worldOf } from '../../support/world/worlds.ts';

const ids = withIds('organizationId: "organization-1", serviceId: "service-1"');

/** What callers ask, each as often as it stands here; the last two are refused before any call. */
const documents = [
  '{ alerts { id name } }',
  '{ dashboards { name tags tiles { name alerts { name } } alerts { name } } }',
  withIds(
    '{ organization(organizationId: "organization-1") { name services { name pipes { name } } } }',
  ),
  `{ service(${ids}) { name pipes { name } backupConfiguration { __typename } } alerts { name } }`,
  `mutation { updateOrganization(input: {${ids.split(',')[0]}, name: "n"}) { organization { name } } }`,
  '{ alerts { name ',
  'query Needs($id: ID!) { alert(alertId: $id) { name } }',
] as const;

const subscriptions = [
  'subscription { alerts { id name state } }',
  `subscription { pipes(${ids}) { name } }`,
] as const;

/** The tools that agents call. */
const tools = ['list_alerts', 'list_services', 'list_pipes', 'get_attention'] as const;

/** What the upstreams refuse begins with this. */
const invented = 'invented-';
const credentialsOf = (caller: number, prefix = '') => ({
  'management-authorization': `Basic ${btoa(`${prefix}caller-${caller}:secret`)}`,
  'observability-authorization': `Bearer ${prefix}caller-${caller}`,
});
const isInvented = (authorization: string): boolean =>
  authorization.includes(invented) || authorization.includes(btoa(invented).slice(0, 10));

/** Sends operations of many callers over a few connections, and looks at every answer. */
export const createLoad = (url: string, connections: number, seed: number) => {
  const random = createRandom(seed);
  const { origin, pathname: path } = new URL(url);
  const pool = new Pool(origin, { connections, pipelining: 1 });
  const counts = { operations: 0, withErrors: 0, left: 0 };
  const faults: string[] = [];

  const sendOne = async (): Promise<void> => {
    counts.operations += 1;
    // A few callers ask for more than their limit allows, and a few credentials are invented, each for one operation.
    const credentials = random.chance(3)
      ? credentialsOf(counts.operations, invented)
      : credentialsOf(random.below(random.chance(3) ? 10 : 2000));
    // Some documents are new, and so long that the caches soon have to let others go.
    const fresh = `query New${counts.operations} { alerts { name } } # ${''.padEnd(8000, '.')}`;
    const query = { query: random.chance(5) ? fresh : random.pick(documents) };
    const params = { name: random.pick(tools), arguments: {} };
    const isOfAgent = random.chance(5);
    const body = JSON.stringify(
      isOfAgent ? { jsonrpc: '2.0', id: 1, method: 'tools/call', params } : query,
    );
    const headers = { ...credentials, 'content-type': 'application/json' };
    const leaving = random.chance(1) ? new AbortController() : undefined;
    const signal = leaving?.signal ?? null;
    try {
      const target = isOfAgent ? '/mcp' : path;
      const answering = pool.request({ method: 'POST', path: target, headers, body, signal });
      if (leaving) setTimeout(() => leaving.abort(), random.below(5));
      const answer = await answering;
      const text = await answer.body.text();
      if (text.includes('"errors":')) counts.withErrors += 1;
      const wrong = isOfAgent ? undefined : faultOfBody(JSON.parse(text));
      if (answer.statusCode >= 500 || wrong !== undefined) faults.push(`${wrong}: ${text}`);
    } catch (error) {
      if (leaving) counts.left += 1;
      else faults.push(String(error));
    }
  };

  /** Sends this number of operations, and resolves when none of them is under way. */
  const send = async (operations: number): Promise<void> => {
    const last = counts.operations + operations;
    const work = async (): Promise<void> => {
      while (counts.operations < last && faults.length < 10) await sendOne();
    };
    await Promise.all(Array.from({ length: connections }, work));
  };
  /** Sends so many operations a second, at equal distances, for this time. */
  const sendFor = async (milliseconds: number, perSecond: number): Promise<void> => {
    const underWay = new Set<Promise<void>>();
    const until = performance.now() + milliseconds;
    for (let due = performance.now(); due < until && faults.length < 10; due += 1000 / perSecond) {
      await pause(Math.max(0, due - performance.now()));
      const one = sendOne();
      underWay.add(one);
      void one.finally(() => underWay.delete(one));
    }
    await Promise.all(underWay);
  };
  return { counts, faults, send, sendFor, close: () => pool.close() };
};

/** Clients that subscribe until `closing`, and again whenever a stream has ended or they have left it; two belong to a caller. */
export const watch = async (url: string, streams: number, closing: AbortSignal): Promise<void> => {
  const random = createRandom(streams);
  const keep = async (index: number): Promise<void> => {
    while (!closing.aborted) {
      await pause(random.below(2000));
      const headers = credentialsOf(Math.floor(index / 2));
      const stream = await subscribe(url, random.pick(subscriptions), { headers });
      const staying = setTimeout(stream.leave, random.below(60_000));
      closing.addEventListener('abort', stream.leave, { once: true });
      if (closing.aborted) stream.leave();
      await stream.ended;
      clearTimeout(staying);
      closing.removeEventListener('abort', stream.leave);
    }
  };
  await Promise.all(Array.from({ length: streams }, (_, index) => keep(index)));
};

const status = (code: number): Answer => json({ error: 'a fault', message: 'a fault' }, code);
/** What goes wrong, each as often as it stands here. */
const upstreamFaults: readonly [Answer, ...Answer[]] = [
  status(500),
  status(503),
  status(403),
  { ...status(429), headers: { 'retry-after': '1' } },
  { body: '{"da', isCutOff: true },
  { body: '<html>', headers: { 'content-type': 'text/html' } },
  { body: '{}', headers: { 'content-encoding': 'gzip' } },
  json(['x'.repeat(1024 * 1024)]),
];

/** Both upstreams; a share of their answers goes wrong. `tolerance` is how many times its limit a credential may reach. */
export const createUpstreams = (seed: number, tolerance: number) => {
  const random = createRandom(seed);
  const sizes = { services: 3, pipesPerService: 3, dashboards: 2, tilesPerDashboard: 2, alerts: 5 };
  const well = createBackend(worldOf({ organizations: 1, ...sizes }));
  const rates = { management: [10, 10_000], observability: [100, 60_000] } as const;
  const counts = { calls: 0, beyondLimits: 0, faults: 0, hanging: 0 };
  const arrivals = new Map<string, number[]>();
  const answer: Answering = (call) => {
    counts.calls += 1;
    const [calls, windowMs] = rates[call.upstream];
    const holder = String(call.headers.authorization);
    const now = performance.now();
    const times = [...(arrivals.get(holder) ?? []).filter((at) => at > now - windowMs), now];
    arrivals.set(holder, times);
    if (times.length > calls * tolerance) counts.beyondLimits += 1;
    if (isInvented(holder)) return status(401);
    if (!random.chance(10)) return well[call.upstream](call);
    counts.faults += 1;
    if (!random.chance(1)) return random.pick(upstreamFaults);
    // Few, as each of them takes a whole deadline.
    counts.hanging += 1;
    return new Promise(() => undefined);
  };
  return { counts, answer };
};
