import { setTimeout as delay } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import {
  type Answering,
  type Call,
  type GraphQLAnswer,
  json,
  type Stack,
  startStack,
  wide,
} from '../support/harness.ts';
import { authorizationOf } from '../support/http/raw.ts';
import { createRandom, type Random } from '../support/random/random.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { withIds } from '../support/world/ids.ts';

const operations = 4 * runsOf(150, 5000, 5000);
const callers = 100;

let stack: Stack;
afterEach(() => stack.close());

/** Every tenth one is known to no upstream. */
const isKnown = (caller: number): boolean => caller % 10 !== 9;

/** The credentials of a caller, in one of their spellings. */
const headersOf = (caller: number, random: Random): Record<string, string> => {
  const basic = btoa(`caller-${caller}:secret`);
  return {
    'management-authorization': random.pick([`Basic ${basic}`, `basic  ${basic}`]),
    'observability-authorization': random.pick([
      `Bearer caller-${caller}-`,
      `bearer caller-${caller}-`,
    ]),
    'x-request-id': `request-${caller}-`,
    ...(random.chance(5) && { 'cache-control': random.pick(['no-cache', 'max-age=1']) }),
  };
};

const callerIn = (text: string): number => Number(/caller-(\d+)/.exec(text)?.[1]);
const callerOf = (call: Call): number => {
  const [, token = ''] = authorizationOf(call).split(/ +/);
  return callerIn(call.upstream === 'management' ? atob(token) : token);
};

/** Both upstreams: the same identifiers mean something else to each caller, and show how often the caller has changed it. */
const createUpstream = (random: Random): Answering => {
  const versions = new Map<string, number>();
  return async (call) => {
    const caller = callerOf(call);
    await delay(random.below(4));
    if (!isKnown(caller)) return json({ error: 'no', message: 'no' }, 401);
    if (random.chance(2)) return json({ error: 'no', message: 'no' }, random.pick([500, 503, 429]));
    const kinds = ['pipe', 'service', 'alert', 'dashboard'];
    const kind = kinds.find((each) => call.path.includes(`/${each}s`)) ?? 'organization';
    const key = `${caller} ${kind}`;
    const version = (versions.get(key) ?? 0) + (call.method === 'GET' ? 0 : 1);
    versions.set(key, version);
    const record = { id: 'the-only-one', name: `caller-${caller} ${kind}-version-${version}` };
    const found = /s$/.test(call.path) ? [record] : record;
    return json({ status: 200, requestId: 'r', result: found, data: found });
  };
};

const pipe = 'organizationId: "organization-1", serviceId: "service-1", pipeId: "pipe-1"';
const reads = [
  '{ organizations { name } alerts { name } }',
  '{ organization(id: "organization-1") { name services { name pipes { name } } } }',
  `{ pipe(${pipe}) { name } alert(id: "alert-1") { name } }`,
  '{ dashboards { name alerts { name } } }',
].map(withIds);
const writes = [
  'mutation { updateOrganization(input: { organizationId: "organization-1", name: "new" }) { organization { name } } }',
  `mutation { stopPipe(input: { ${pipe} }) { pipe { name } } }`,
  'mutation { updateAlert(input: { alertId: "alert-1", name: "new" }) { alert { name } } }',
].map(withIds);

/** What is wrong with an answer to that caller, who knows these versions. */
const faultOf = (
  { status, text, body }: GraphQLAnswer,
  caller: number,
  known: Map<string, number>,
): string | undefined => {
  if (status !== 200) return `status ${status}`;
  for (const [, other] of text.matchAll(/caller-(\d+)/g)) {
    if (Number(other) !== caller) return 'has something of another';
  }
  for (const [, kind = '', version] of text.matchAll(/(\w+)-version-(\d+)/g)) {
    if (!isKnown(caller)) return 'has data for an invented credential';
    if (Number(version) < (known.get(kind) ?? 0)) return `has the ${kind} before a mutation`;
    known.set(kind, Number(version));
  }
  return isKnown(caller) || body.errors?.length > 0 ? undefined : 'has no error';
};

it(
  `a hundred callers get their own data alone, in ${operations} operations with reads kept and calls paced`,
  async () => {
    const random = createRandom(seed);
    const answering = createUpstream(random);
    const rate = { calls: 60, windowMs: 1000 };
    stack = await startStack({
      management: answering,
      observability: answering,
      config: {
        ...{ ...wide, managementRate: rate, observabilityRate: rate },
        ...{ readCacheBytes: 8 * 1024 * 1024, maxConnections: 1000 },
      },
    });
    const faults: string[] = [];
    const seen = { kept: 0, whole: 0, failed: 0 };

    const run = async (caller: number): Promise<void> => {
      const own = createRandom(seed * 1000 + caller);
      const known = new Map<string, number>();
      for (let count = 0; count < operations / callers; count += 1) {
        const [first = '', ...others] = own.chance(15) ? writes : reads;
        const document = own.pick([first, ...others]);
        const answer = await stack.query(document, { headers: headersOf(caller, own) });
        const fault = faultOf(answer, caller, known);
        if (fault) faults.push(`caller ${caller}, ${document}: ${fault}: ${answer.text}`);
        if (answer.headers.get('age') !== null) seen.kept += 1;
        seen[answer.body.errors ? 'failed' : 'whole'] += 1;
      }
    };
    await Promise.all(Array.from({ length: callers }, (_, caller) => run(caller)));

    expect(faults.slice(0, 3)).toEqual([]);
    for (const call of stack.calls) {
      // A call serves its own caller, whoever of theirs waits for it.
      expect(call.headers['x-request-id']).toBe(`request-${callerOf(call)}-`);
    }
    expect(seen.kept).toBeGreaterThan(operations / 20);
    expect(seen.whole).toBeGreaterThan(operations / 2);
    expect(seen.failed).toBeGreaterThan(operations / 20);
  },
  300_000 + operations * 100,
);
