import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import { expect, it } from 'vitest';
import { type Answering, paced, result } from '../support/harness.ts';
import { runsOf, seed } from '../support/random/runs.ts';
import { redisPath, startAgedRedis } from '../support/redis.ts';
import { open } from './open.ts';

type Gateway = Awaited<ReturnType<typeof open>>;

/** Of each organization one service is read and written. */
interface Ids {
  readonly organizationId: string;
  readonly serviceId: string;
}

interface Answered {
  readonly status: number;
  readonly text: string;
}

type Ask = (gateway: Gateway, headers: Record<string, string>, ids: Ids) => Promise<Answered>;

const uuid = (number: number): string =>
  `0a9a0000-0000-4000-8000-${String(number).padStart(12, '0')}`;
const listOf = ({ organizationId }: Ids): string =>
  `/management/v1/organizations/${organizationId}/services`;
const serviceOf = (ids: Ids): string => `${listOf(ids)}/${ids.serviceId}`;

const get =
  (targetOf: (ids: Ids) => string, more: Record<string, string> = {}): Ask =>
  ({ call }, headers, ids) =>
    call(targetOf(ids), { headers: { ...headers, ...more } });

const write =
  (method: string, below: string): Ask =>
  ({ call }, headers, ids) =>
    call(serviceOf(ids) + below, {
      method,
      headers: { ...headers, 'content-type': 'application/json' },
      body: '{"numReplicas":3}',
    });

const operation =
  (document: string): Ask =>
  ({ query }, { authorization = '', ...headers }, ids) =>
    query(document, {
      variables: ids,
      headers: { ...headers, 'management-authorization': authorization },
    });

const old = { 'cache-control': 'max-age=600' };

const reads: readonly Ask[] = [
  get(serviceOf),
  get(serviceOf, old),
  get((ids) => `${serviceOf(ids)}?`, old),
  get((ids) => `${serviceOf(ids)}?x=1`),
  get((ids) => serviceOf({ ...ids, serviceId: ids.serviceId.toUpperCase() }), old),
  get(listOf, old),
  get((ids) => `${listOf(ids)}?limit=5`, old),
  operation(
    'query ($organizationId: ID!, $serviceId: ID!) { service(organizationId: $organizationId, serviceId: $serviceId) { name } }',
  ),
  operation(
    'query ($organizationId: ID!) { organization(organizationId: $organizationId) { services { name } } }',
  ),
];

const writes: readonly Ask[] = [
  write('PATCH', '/scaling'),
  write('PATCH', ''),
  write('POST', '/without-a-row'),
  operation(
    'mutation ($organizationId: ID!, $serviceId: ID!) { updateServiceScaling(input: { organizationId: $organizationId, serviceId: $serviceId, numReplicas: 3 }) { service { name } } }',
  ),
];

/** Calls with the same organization are about one service. Its name is the number of writes that were carried out. */
const createUpstream = () => {
  const names = new Map<string, number>();
  /** By request id: the name after the write. */
  const carriedOut = new Map<string, number>();
  /** How the next calls go: milliseconds before and after they are carried out, and whether writes are cut off then. */
  const next = { before: 0, after: 0, isCutOff: false };
  const management: Answering = async ({ method, path, headers }) => {
    const [, organization = '', id] =
      /organizations\/([^/]+)\/services(?:\/([^/?]+))?/.exec(path) ?? [];
    const { before, after, isCutOff } = next;
    await pause(before);
    const name = (names.get(organization) ?? 0) + (method === 'GET' ? 0 : 1);
    names.set(organization, name);
    if (method !== 'GET') carriedOut.set(String(headers['x-request-id']), name);
    const record = { id: id ?? uuid(1), name: String(name) };
    await pause(after);
    if (method !== 'GET' && isCutOff) return { body: '{', isCutOff };
    return result(id ? record : [record]);
  };
  return { management, next, carriedOut };
};

const callers = ['Basic b25lOnNlY3JldA==', 'Basic dHdvOnNlY3JldA=='];

const milliseconds = fc.constantFrom(0, 0, 10, 30);
const steps = fc.array(
  fc.record({
    gateway: fc.nat(2),
    caller: fc.constantFrom(0, 0, 0, 1),
    read: fc.option(fc.constantFrom(...reads), { freq: 3 }),
    write: fc.constantFrom(...writes),
    wait: fc.constantFrom(0, 0, 5, 15, 40),
    before: milliseconds,
    after: milliseconds,
    isCutOff: fc.constantFrom(false, false, false, true),
  }),
  { minLength: 4, maxLength: 30, size: 'max' },
);

const nameIn = (text: string): number => Number(/"name":"(\d+)"/.exec(text)?.[1] ?? Number.NaN);

let organizations = 0;

const expectOwnWritesRead = async (
  gateways: readonly Gateway[],
  { next, carriedOut }: ReturnType<typeof createUpstream>,
): Promise<void> => {
  const seen = { reads: 0, failures: 0, writes: 0, uncertain: 0 };
  const property = fc.asyncProperty(steps, async (all) => {
    organizations += 1;
    const ids = { organizationId: uuid(organizations), serviceId: uuid(1) };
    /** The name from which on each caller has to see it. */
    const least = new Map(callers.map((caller) => [caller, 0]));
    const faults: string[] = [];
    const carryOut = async (step: (typeof all)[number]): Promise<void> => {
      const gateway = gateways[step.gateway % gateways.length];
      const authorization = callers[step.caller] ?? '';
      if (!gateway) throw new TypeError('No gateway');
      const requestId = randomUUID();
      const from = least.get(authorization) ?? 0;
      const { status, text } = await (step.read ?? step.write)(
        gateway,
        { authorization, 'x-request-id': requestId },
        ids,
      );
      const isSuccess = status === 200 && !text.includes('"errors"');
      if (step.read) {
        seen.reads += 1;
        if (!isSuccess) seen.failures += 1;
        if (isSuccess && !(nameIn(text) >= from)) {
          faults.push(`read ${reads.indexOf(step.read)} shows ${nameIn(text)} after ${from}`);
        }
        return;
      }
      seen.writes += 1;
      if (!isSuccess) seen.uncertain += 1;
      const name = carriedOut.get(requestId) ?? 0;
      for (const caller of isSuccess ? callers : [authorization]) {
        least.set(caller, Math.max(name, least.get(caller) ?? 0));
      }
    };
    const ends: Promise<void>[] = [];
    for (const step of all) {
      Object.assign(next, step);
      ends.push(carryOut(step));
      await pause(step.wait);
    }
    await Promise.all(ends);
    expect(faults).toEqual([]);
  });
  await fc.assert(property, { numRuns: runsOf(15, 100), seed, endOnFailure: true });
  expect(seen).toMatchObject({ failures: 0 });
  expect(Math.min(seen.reads, seen.writes, seen.uncertain)).toBeGreaterThan(10);
};

const config = { ...paced, managementRate: { calls: 200, windowMs: 300 }, maxRetries: 0 };

it('a read that begins after the answer to a write shows the write', async () => {
  const upstream = createUpstream();
  await expectOwnWritesRead([await open({ ...upstream, config })], upstream);
});

it.skipIf(redisPath === undefined)('three replicas over Redis do so too', async () => {
  const { url: redisUrl } = await startAgedRedis();
  const upstream = createUpstream();
  const shared = { ...config, redisUrl, cacheSecret: 'a secret of these', replicas: 3 };
  const gateways = await Promise.all(
    [1, 2, 3].map(() => open({ ...upstream, config: { ...shared, redisTimeoutMs: 5000 } })),
  );
  await expectOwnWritesRead(gateways, upstream);
});
