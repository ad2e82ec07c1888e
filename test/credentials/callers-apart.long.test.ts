import { Pool } from 'undici';
import { expect, it } from 'vitest';
import { json, startStack } from '../support/harness.ts';
import {
  callersIn,
  headersOf,
  markOf,
  shared,
  startMarkedUpstreams,
} from '../support/hostile/world.ts';
import { createRandom } from '../support/random/random.ts';
import { runsOf } from '../support/random/runs.ts';

const seed = 20_261_121;
const callers = 100;
const operationsEach = runsOf(8, 200);
/** Operations that a caller has under way at a time. */
const lanes = 4;

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
  const upstreams = await startMarkedUpstreams(seed);
  const unused = () => json({}, 500);
  const { managementUrl, observabilityUrl } = upstreams;
  const stack = await startStack({
    management: unused,
    observability: unused,
    config: { managementUrl, observabilityUrl, explain: true },
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
  await upstreams.close();

  const { notes } = upstreams;
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
