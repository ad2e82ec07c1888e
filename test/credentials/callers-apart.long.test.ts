import { setImmediate as immediate, setTimeout as pause } from 'node:timers/promises';
import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { type Answering, json, startStack } from '../support/harness.ts';
import { authorizationOf } from '../support/http/raw.ts';
import { createRandom } from '../support/random/random.ts';
import { runsOf } from '../support/random/runs.ts';
import { withIds } from '../support/world/ids.ts';

const seed = 20_261_121;
const callers = 100;
const operationsEach = runsOf(8, 200);
/** Operations that a caller has under way at a time. */
const lanes = 4;

/** The same number for the same text (FNV-1a), so that what an upstream does is the same in each run. */
const hashOf = (text: string): number => {
  let hash = 0x811c9dc5;
  for (const letter of text) hash = Math.imul(hash ^ (letter.codePointAt(0) ?? 0), 0x01000193);
  return hash >>> 0;
};

/** What all that a caller may see is marked with. */
const markOf = (caller: number): string => `of-caller-${caller}-only`;

/** Every caller that a text speaks of. */
const callersIn = (text: string): readonly number[] =>
  [...text.matchAll(/of-caller-(\d+)-only/g)].map(([, caller]) => Number(caller));

const basicOf = (caller: number): string => `Basic ${btoa(`key-${caller}:secret-${caller}`)}`;
const bearerOf = (caller: number): string => `Bearer token-${caller}`;

/** Both credentials of a caller, in the way in which it always sends them. */
const headersOf = (caller: number): Readonly<Record<string, string>> => ({
  [caller % 3 === 1 ? 'authorization' : 'management-authorization']: basicOf(caller),
  [caller % 3 === 2 ? 'authorization' : 'observability-authorization']: bearerOf(caller),
});

const marked = (names: string, mark: string) =>
  Object.fromEntries(names.split(' ').map((name) => [name, mark]));

/** What is at an identifier that all callers use differs from caller to caller. */
const recordOf = (id: string, caller: number) => {
  const mark = markOf(caller);
  return {
    ...marked('message state savedSearch team email iamRole password keyId keySecret', mark),
    ...{ id, name: `${id} ${mark}`, threshold: caller, dashboard: `d${caller % 2}`, tags: [mark] },
    tiles: [{ id: 'tile-1', name: mark, x: caller, series: [{ where: mark }] }],
    ...{ tileId: 'tile-1', channel: marked('type webhookId', mark), key: marked('id name', mark) },
    ...{ endpoints: [{ host: mark, port: caller }], source: { kafka: marked('brokers', mark) } },
  };
};

/** One call in ten fails in one of these ways, and one in five is answered some milliseconds later. */
const faults = ['reset', 'html', 400, 401, 403, 404, 409, 429, 500, 503, 504] as const;

const notes = { calls: 0, faults: 0, crossings: [] as string[], writes: new Map<string, number>() };
const attempts = new Map<string, number>();

/**
 * Both upstreams know callers by their credentials alone: whatever they say, errors too, is marked with the credential's owner.
 * Noted is each call whose credential is not that of the caller whose request it belongs to.
 */
const answering: Answering = async (call) => {
  const { upstream, method, path, headers, body } = call;
  const authorization = authorizationOf(call);
  const requestId = String(headers['x-request-id']);
  const caller = Number(/^c(\d+)-/.exec(requestId)?.[1]);
  const own = upstream === 'management' ? basicOf(caller) : bearerOf(caller);
  notes.calls += 1;
  if (authorization !== own || callersIn(body).some((each) => each !== caller)) {
    notes.crossings.push(`${requestId} ${authorization}: ${method} ${path} ${body}`);
  }
  if (method !== 'GET') notes.writes.set(requestId, (notes.writes.get(requestId) ?? 0) + 1);
  const key = `${seed} ${requestId} ${method} ${path}`;
  const attempt = attempts.get(key) ?? 0;
  attempts.set(key, attempt + 1);
  const hash = hashOf(`${key} ${attempt}`);
  const fault = hash % 100 < 10 ? faults[(hash >>> 8) % faults.length] : undefined;
  if (fault) notes.faults += 1;
  if (!fault && hash % 100 < 30) await pause(1 + ((hash >>> 16) % 5));
  else for (let turn = 0; turn < (hash >>> 16) % 6; turn += 1) await immediate();
  const mark = markOf(caller);
  if (typeof fault === 'string') {
    const type = { 'content-type': 'text/html' };
    return { headers: type, body: `<p>${mark}</p>`, isCutOff: fault === 'reset' };
  }
  const last = path.split('/').at(-1) ?? '';
  const isList = method === 'GET' && /s$/.test(last);
  const payload = isList
    ? ['1', '2'].map((number) => recordOf(last[0] + number, caller))
    : recordOf(last, caller);
  const refusal = { error: `refused ${mark}`, message: `refused ${mark}` };
  const said = fault ? refusal : { result: payload, data: payload };
  return json({ status: fault ?? 200, requestId: mark, ...said }, fault ?? 200);
};

const inService = 'organizationId: $o, serviceId: $s';
const alertFields = 'id name message state threshold tileId savedSearchId teamId';

const reads = [
  'organizations { id name } alerts { name threshold } dashboards { name tags }',
  `service(${inService}) { name iamRole endpoints { host port }
    pipes(filter: {nameContains: $mark}) { name state source { ... on KafkaSource { brokers } } } }`,
  `organization(organizationId: $o) { name invitations { email } service(id: $s) { name pipe(id: $p) { name } } }
    alerts(filter: {stateIn: [$mark]}) { name }`,
  `alert(alertId: $a) { ${alertFields} channel { webhookId } dashboard { name } tile { id name x } }`,
  `dashboard(dashboardId: $d) { name tags tiles { id name x series { where } } alerts { name } }
    alert(alertId: $a) { ${alertFields} } other: alert(alertId: "a1") { name }`,
] as const;
const writes = [
  `updateAlert(input: {alertId: $a, message: $mark}) {
    alert { ${alertFields} dashboard { name } } userErrors { code message } }`,
  `updatePipe(input: {${inService}, pipeId: $p, name: $mark}) {
    pipe { name state service { name } } userErrors { code message } }`,
  'createDashboard(input: {name: $mark}) { dashboard { name tags } userErrors { code message } }',
  `createApiKey(input: {organizationId: $o, name: $mark, roles: [ADMIN]}) {
    keyId keySecret apiKey { name } userErrors { code message } }`,
] as const;

/** An operation of a caller. What is at the identifiers differs from caller to caller. */
const operationFor = (caller: number, { chance, pick }: ReturnType<typeof createRandom>) => {
  const isWrite = chance(30);
  const fields = isWrite ? pick(writes) : pick(reads);
  const idOf = (name: string) => withIds(`${name}-${pick(['1', '2'])}`);
  const values = {
    ...{ o: idOf('organization'), s: idOf('service'), p: idOf('pipe') },
    ...{ d: pick(['d0', 'd1']), a: pick(['a1', 'a2', 'a3']), mark: markOf(caller) },
  };
  const used = Object.entries(values).filter(([name]) => new RegExp(`\\$${name}\\b`).test(fields));
  const declared = used.map(([name]) => `$${name}: ${name === 'mark' ? 'String' : 'ID!'}`);
  const head = `${isWrite ? 'mutation' : 'query'} ${used.length > 0 ? `(${declared})` : ''}`;
  return { query: `${head} { ${fields} }`, variables: Object.fromEntries(used) };
};

/** Numbers that are an answer's data come from the caller's own number alone. */
const numbersIn = (value: unknown): readonly number[] => {
  if (typeof value === 'number') return [value];
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(numbersIn) : [];
};

it(`${callers * operationsEach} operations of ${callers} callers: each is made and answered with its own credential`, async () => {
  const stack = await startStack({
    ...{ management: answering, observability: answering, config: { explain: true } },
  });
  const pool = new Pool(new URL(stack.url).origin, { connections: callers * lanes });
  const seen = { answers: 0, data: 0, words: 0, sharedCalls: 0 };
  const crossings: string[] = [];

  const check = (caller: number, requestId: string, text: string, answeredId: unknown): void => {
    const { data, errors = [], extensions } = JSON.parse(text);
    const owners = [...callersIn(text), ...numbersIn(data)];
    if (owners.some((owner) => owner !== caller) || answeredId !== requestId) {
      crossings.push(`${requestId} ${String(answeredId)}: ${text}`);
    }
    seen.answers += 1;
    seen.data += Number(callersIn(JSON.stringify(data ?? null)).length > 0);
    seen.words += Number(callersIn(JSON.stringify(errors)).length > 0);
    seen.sharedCalls += extensions.upstream.filter(
      (call: { readonly shared: boolean }) => call.shared,
    ).length;
  };

  const runLane = async (caller: number, lane: number): Promise<void> => {
    const random = createRandom(seed + caller * lanes + lane);
    for (let number = 0; number < operationsEach / lanes; number += 1) {
      const requestId = `c${caller}-${lane}-${number}`;
      const accept = `application/${random.chance(25) ? 'graphql-response+json' : 'json'}`;
      const more = { 'content-type': 'application/json', 'sluice-explain': '1', accept };
      const response = await pool.request({
        ...{ method: 'POST', path: new URL(stack.url).pathname },
        headers: { ...headersOf(caller), ...more, 'x-request-id': requestId },
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
