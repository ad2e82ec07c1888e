import { beforeEach, describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate } from '../support/faults/gate.ts';
import {
  type Answering,
  credentials,
  type GraphQLAnswer,
  json,
  paced,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const alerts = '{ alerts { name } }';
const organization = withIds('{ organization(id: "organization-1") { name } }');
const pipes = withIds(
  '{ service(organizationId: "organization-1", serviceId: "service-1") { pipes { name } } }',
);
const all = `{ ${[alerts, organization, pipes].map((text) => text.slice(1, -1)).join(' ')} }`;

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

const backend = createBackend(
  worldOf({
    organizations: 1,
    services: 2,
    pipesPerService: 1,
    dashboards: 1,
    tilesPerDashboard: 1,
    alerts: 2,
  }),
);

const start = async (
  config: Partial<Config> = {},
  observability: Answering = backend.observability,
): Promise<Stack> => {
  const stack = await startStack({
    management: backend.management,
    observability,
    config: { ...paced, ...config },
  });
  onTestFinished(() => stack.close());
  return stack;
};

const ageOf = ({ headers }: Pick<GraphQLAnswer, 'headers'>): string | null => headers.get('age');

describe('Age', () => {
  it('is absent where everything was read for the request', async () => {
    const stack = await start();
    expect(ageOf(await stack.query(all))).toBeNull();
    expect(ageOf(await stack.query('{ __typename }'))).toBeNull();
  });

  it.each([
    [0, '0'],
    [1, '0'],
    [999, '0'],
    [1000, '1'],
    [1999, '1'],
    [3000, '3'],
  ])('is the whole seconds since the answer came, %d ms later', async (milliseconds, age) => {
    const stack = await start();
    await stack.query(alerts);
    clock.advance(milliseconds);
    expect(ageOf(await stack.query(alerts))).toBe(age);
    expect(stack.calls).toHaveLength(1);
  });

  it('counts from the answer and not from the sending', async () => {
    const gate = createGate();
    const stack = await start({}, gate.answering);
    const first = stack.query(alerts);
    const held = await gate.arrived(1);
    clock.advance(5000);
    held.answer(await backend.observability(held.call));
    await first;
    clock.advance(1000);
    expect(ageOf(await stack.query(alerts))).toBe('1');
  });

  it('is that of the oldest part, of either upstream', async () => {
    const stack = await start();
    for (const document of [organization, alerts, pipes]) {
      await stack.query(document);
      clock.advance(1000);
    }
    expect(ageOf(await stack.query(pipes))).toBe('1');
    expect(ageOf(await stack.query(alerts))).toBe('2');
    expect(ageOf(await stack.query(all))).toBe('3');
    expect(stack.calls).toHaveLength(3);
  });

  it('stands beside parts that were read for the request, or failed', async () => {
    const stack = await start();
    await stack.query(alerts);
    clock.advance(2000);
    expect(ageOf(await stack.query(all))).toBe('2');
    const failing = await stack.query(`{ ${alerts.slice(1, -1)} gone: alert(id: "a 1") { name } }`);
    expect(failing.body.errors).toHaveLength(1);
    expect(ageOf(failing)).toBe('2');
  });

  it('is that of what a mutation selects, where its write has not changed it', async () => {
    const stack = await start();
    await stack.query(alerts);
    clock.advance(2000);
    const write =
      'mutation { createDashboard(input: { name: "n" }) { dashboard { alerts { name } } } }';
    expect(ageOf(await stack.query(write))).toBe('2');
    const deletion =
      'mutation { deleteDashboard(input: { dashboardId: "dashboard-1" }) { deletedDashboardId } }';
    expect(ageOf(await stack.query(deletion))).toBeNull();
    expect(ageOf(await stack.query(alerts))).toBeNull();
  });

  it.each(['application/json', 'application/graphql-response+json'])(
    'stands on answers to GET as %s too',
    async (accept) => {
      const stack = await start();
      await stack.query(alerts);
      const response = await fetch(`${stack.url}?query=${encodeURIComponent(alerts)}`, {
        headers: { ...credentials, accept },
      });
      expect(response.headers.get('content-type')).toContain(accept);
      expect(ageOf(response)).toBe('0');
    },
  );

  it('is absent where a read of another request was joined', async () => {
    const gate = createGate();
    const stack = await start({}, gate.answering);
    const first = await begin(stack, 'observability', 'alerts { name }');
    const second = await begin(stack, 'observability', 'alerts { name }');
    const held = await gate.arrived(1);
    clock.advance(5000);
    held.answer(await backend.observability(held.call));
    expect([await first.answer, await second.answer].map(ageOf)).toEqual([null, null]);
    expect(gate.calls).toHaveLength(1);
  });

  it('is absent where memory has the read of another credential', async () => {
    const stack = await start();
    await stack.query(alerts);
    const headers = { 'observability-authorization': 'Bearer of-another' };
    expect(ageOf(await stack.query(alerts, { headers }))).toBeNull();
    expect(stack.calls).toHaveLength(2);
  });

  it('is absent where nothing is kept', async () => {
    const stack = await start({ readCacheBytes: 0 });
    await stack.query(alerts);
    expect(ageOf(await stack.query(alerts))).toBeNull();
    expect(stack.calls).toHaveLength(2);
  });

  it.each([
    ['cannot be parsed', '{'],
    ['is not valid', '{ nothing }'],
  ])('is absent on the answer to a document that %s', async (_, document) => {
    const stack = await start();
    await stack.query(alerts);
    expect(ageOf(await stack.query(document))).toBeNull();
  });
});

describe('extensions.staleSeconds', () => {
  /** One call a window for each upstream: whatever is read once cannot be read again so soon. */
  const narrow: Partial<Config> = {
    managementRate: { calls: 1, windowMs: 20_000 },
    observabilityRate: { calls: 1, windowMs: 20_000 },
  };
  const agesOf = ({ headers, body }: GraphQLAnswer) => ({
    age: headers.get('age'),
    extensions: body.extensions,
  });

  it('is absent where what was kept is fresh, and where nothing was', async () => {
    const stack = await start(narrow);
    expect(agesOf(await stack.query(alerts))).toEqual({ age: null, extensions: undefined });
    clock.advance(3000);
    expect(agesOf(await stack.query(alerts))).toEqual({ age: '3', extensions: undefined });
  });

  it('is absent where a call is left: what is not fresh is read anew', async () => {
    const stack = await start();
    await stack.query(alerts);
    clock.advance(3001);
    expect(agesOf(await stack.query(alerts))).toEqual({ age: null, extensions: undefined });
    expect(stack.calls).toHaveLength(2);
  });

  it('has the age of a read that is not fresh and could not be read anew', async () => {
    const stack = await start(narrow);
    await stack.query(alerts);
    clock.advance(4500);
    const answer = await stack.query(alerts);
    expect(answer.body.data.alerts).toEqual([{ name: 'Alert 1' }, { name: 'Alert 2' }]);
    expect(agesOf(answer)).toEqual({ age: '4', extensions: { staleSeconds: 4 } });
    expect(stack.calls).toHaveLength(1);
  });

  it('is that of the oldest read that is not fresh, and Age that of the oldest of all', async () => {
    const stack = await start(narrow);
    await stack.query(organization);
    clock.advance(2000);
    await stack.query(alerts);
    clock.advance(4000);
    const both = `{ ${organization.slice(1, -1)} ${alerts.slice(1, -1)} }`;
    // The organization may be shown for ten seconds, the alerts for three.
    expect(agesOf(await stack.query(both))).toEqual({ age: '6', extensions: { staleSeconds: 4 } });
    clock.advance(5000);
    expect(agesOf(await stack.query(both))).toEqual({
      age: '11',
      extensions: { staleSeconds: 11 },
    });
    expect(stack.calls).toHaveLength(2);
  });

  it('stands beside what explain tells, and beside errors', async () => {
    const stack = await start({ ...narrow, pacingWaitMs: 1000 });
    await stack.query(alerts);
    clock.advance(4000);
    const document = '{ alerts { name } dashboards { name } }';
    const { body, headers } = await stack.query(document, { headers: { 'sluice-explain': '1' } });
    expect(Object.keys(body.extensions).sort()).toEqual([
      'budget',
      'progress',
      'staleSeconds',
      'upstream',
    ]);
    expect(body.extensions.staleSeconds).toBe(4);
    expect(headers.get('age')).toBe('4');
    expect(body.data).toMatchObject({ alerts: [{ name: 'Alert 1' }, {}], dashboards: null });
    expect(body.errors).toMatchObject([{ path: ['dashboards'] }]);
  });

  it('is gone once the read was made anew', async () => {
    const stack = await start({ ...narrow, observabilityRate: { calls: 1, windowMs: 5000 } });
    await stack.query(alerts);
    clock.advance(4000);
    expect(agesOf(await stack.query(alerts))).toMatchObject({ extensions: { staleSeconds: 4 } });
    clock.advance(1000);
    await clock.still(() => stack.calls.length === 2);
    expect((await stack.query(alerts)).body.extensions).toBeUndefined();
    expect(stack.calls).toHaveLength(2);
  });

  it('is absent, and an error in its place, where the read is older than it may be', async () => {
    const rate = { calls: 1, windowMs: 100_000 };
    const stack = await start({ ...narrow, observabilityRate: rate, maxStaleMs: 60_000 });
    await stack.query(alerts);
    clock.advance(60_000);
    expect(agesOf(await stack.query(alerts))).toMatchObject({ extensions: { staleSeconds: 60 } });
    clock.advance(1);
    const late = await stack.query(alerts);
    const progress = { ready: 0, wanted: 1, completeInSeconds: 40 };
    expect(agesOf(late)).toEqual({ age: null, extensions: { progress } });
    expect(late.body.errors).toMatchObject([{ extensions: { code: 'RATE_LIMITED' } }]);
  });

  it('is absent where the upstream fails in another way: the failure is shown', async () => {
    let answer: Answering = backend.observability;
    const stack = await start({ maxRetries: 0 }, (call) => answer(call));
    await stack.query(alerts);
    answer = () => json({ message: 'broken' }, 500);
    clock.advance(4000);
    const failed = await stack.query(alerts);
    expect(failed.body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_ERROR' } }]);
    expect(agesOf(failed)).toEqual({ age: null, extensions: undefined });
  });
});
