import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answering, type Stack, startStack } from '../support/harness.ts';
import { type HeldTime, holdTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const world = worldOf({
  ...{ organizations: 2, services: 2, pipesPerService: 4 },
  ...{ dashboards: 2, tilesPerDashboard: 2, alerts: 4 },
});

let time: HeldTime;
let stack: Stack;
/** Answers the next calls in place of the backend. */
let next: Answering[];

beforeEach(async () => {
  time = holdTime();
  next = [];
  const backend = createBackend(world);
  stack = await startStack({
    management: (call) => (next.shift() ?? backend.management)(call),
    observability: (call) => (next.shift() ?? backend.observability)(call),
    config: { readCacheBytes: 64 * 1024 * 1024, maxRetries: 0 },
  });
});
afterEach(async () => {
  await stack.close();
  time.release();
});

/** The calls since the last time that this was asked. */
const calls = (): readonly string[] =>
  stack.calls
    .splice(0)
    .map(({ method, path }) => withNames(`${method} ${path}`))
    .sort();

const other = {
  'management-authorization': 'Basic b3RoZXI6c2VjcmV0',
  'observability-authorization': 'Bearer another',
};
const ask = async (document: string, headers = {}) => {
  const { body } = await stack.query(withIds(document), { headers });
  return body;
};

const page = `{
  organization(organizationId: "organization-1") { services { name pipes { name state } } }
  dashboards { name tiles { name } alerts { name } }
}`;
const services = 'GET /v1/organizations/organization-1/services';
const pipes = (service: number) => `${services}/service-${service}/pipes`;
const [dashboards, alerts] = ['GET /api/v2/dashboards', 'GET /api/v2/alerts'];

const one = 'organizationId: "organization-1", serviceId: "service-1"';
const pipe = `${one}, pipeId: "pipe-1"`;

// What each write changes: test/operations/after-writes.test.ts.
describe.each([
  ['stopPipe', pipe, [pipes(1)]],
  ['updateServiceScaling', `${one}, numReplicas: 4`, [services]],
  ['deleteDashboard', 'dashboardId: "dashboard-1"', [alerts, dashboards]],
])('after %s', (field, input, again) => {
  const mutation = `mutation { ${field}(input: { ${input} }) { userErrors { code } } }`;

  it('what was changed is read anew, and nothing else; in management for all credentials', async () => {
    await ask(page);
    await ask(page, other);
    expect(calls()).toHaveLength(10);
    expect((await ask(mutation)).errors).toBeUndefined();
    calls();
    await ask(page);
    expect(calls()).toEqual(again);
    await ask(page, other);
    expect(calls()).toEqual(field === 'deleteDashboard' ? [] : again);
  });

  it('that may have been carried out, it is read anew each time', async () => {
    await ask(page);
    next = [() => ({ status: 504, body: '' })];
    const { errors } = await ask(mutation);
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    calls();
    for (let times = 0; times < 2; times += 1) {
      await ask(page);
      expect(calls()).toEqual(again);
    }
  });
});

it('an alert that is to be changed is read anew, whatever is kept', async () => {
  await ask('{ alert(alertId: "alert-1") { name } alerts { name } }');
  calls();
  const update = 'updateAlert(input: { alertId: "alert-1", name: "new" }) { alert { name } }';
  for (let times = 0; times < 2; times += 1) {
    await ask(`mutation { ${update} }`);
    expect(calls()).toEqual(['GET /api/v2/alerts/alert-1', 'PUT /api/v2/alerts/alert-1']);
  }
});

it('what a mutation selects of things that it has not changed may come from memory', async () => {
  await ask(page);
  calls();
  const payload = 'pipe { service { name pipes { name } } }';
  await ask(`mutation { stopPipe(input: { ${pipe} }) { ${payload} } }`);
  expect(calls()).toEqual([pipes(1), `PATCH${pipes(1).slice(3)}/pipe-1/state`]);
});
