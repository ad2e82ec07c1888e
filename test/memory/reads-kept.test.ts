import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type Answering, json, type Stack, startStack } from '../support/harness.ts';
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
  organization(id: "organization-1") {
    name
    invitations { email }
    services { name backupConfiguration { backupPeriodInHours } pipes { name state } }
  }
  dashboards { name tiles { name } alerts { name } }
}`;
const organization = 'GET /v1/organizations/organization-1';
const services = `${organization}/services`;
const pipes = (service: number) => `${services}/service-${service}/pipes`;
const [dashboards, alerts] = ['GET /api/v2/dashboards', 'GET /api/v2/alerts'];
const ofManagement = [
  ...[organization, `${organization}/invitations`, services, pipes(1), pipes(2)],
  ...[1, 2].map((service) => `${services}/service-${service}/backupConfiguration`),
];

describe('a page', () => {
  it.each([
    [2.9, []],
    [3.1, [alerts, pipes(1), pipes(2)]],
    [5.1, [alerts, dashboards, services, pipes(1), pipes(2)]],
    [29.9, [alerts, dashboards, organization, services, pipes(1), pipes(2)]],
    [30.1, [alerts, dashboards, ...ofManagement]],
  ])('%d seconds later is read anew as far as it is too old', async (seconds, again) => {
    const first = await ask(page);
    expect(first.errors).toBeUndefined();
    expect(calls()).toHaveLength(9);
    time.pass(seconds);
    expect(await ask(page)).toEqual(first);
    expect(calls()).toEqual(again.toSorted());
  });

  it('has no failure kept', async () => {
    const failing: Answering = () => json({ error: 'no', message: 'no' }, 500);
    const unreadable: Answering = () => ({ body: '<p>', headers: { 'content-type': 'text/html' } });
    for (const failure of [failing, unreadable]) {
      next = [failure, failure];
      const document = '{ organizations { name } dashboards { name } }';
      expect((await ask(document)).errors).toHaveLength(2);
      calls();
      expect((await ask(document)).errors).toBeUndefined();
      expect(calls()).toEqual([dashboards, 'GET /v1/organizations']);
      time.pass(100);
    }
  });

  it('has all of an upstream read anew after it has refused the credential', async () => {
    await ask(page);
    calls();
    next = [() => json({ error: 'no' }, 401)];
    const { errors } = await ask('{ organizations { name } }');
    expect(errors).toMatchObject([{ extensions: { code: 'UNAUTHENTICATED' } }]);
    calls();
    await ask(page);
    expect(calls()).toEqual(ofManagement.toSorted());
  });
});

const one = 'organizationId: "organization-1", serviceId: "service-1"';
const pipe = `${one}, pipeId: "pipe-1"`;

describe.each<readonly [field: string, input: string, again: readonly string[]]>([
  ['updateOrganization', 'organizationId: "organization-1", name: "new"', [organization]],
  ['createApiKey', 'organizationId: "organization-1", roles: [ADMIN]', []],
  ['updateServicePassword', one, []],
  ['updateServiceScaling', `${one}, numReplicas: 4`, [services]],
  ['createPipe', `${one}, name: "new", source: { kafka: { topics: "new" } }`, [pipes(1)]],
  ['updatePipe', `${pipe}, name: "new"`, [pipes(1)]],
  ['stopPipe', pipe, [pipes(1)]],
  ['createDashboard', 'name: "new"', [dashboards]],
  ['deleteDashboard', 'dashboardId: "dashboard-1"', [alerts, dashboards]],
  ['updateAlert', 'alertId: "alert-1", name: "new"', [alerts]],
])('after %s', (field, input, again) => {
  const mutation = `mutation { ${field}(input: { ${input} }) { userErrors { code } } }`;
  const isOfManagement = !/Dashboard|Alert/.test(field);

  it('the pages of the same credential read anew what was changed, and in management those of all credentials', async () => {
    await ask(page);
    await ask(page, other);
    expect(calls()).toHaveLength(18);
    expect((await ask(mutation)).errors).toBeUndefined();
    calls();
    await ask(page);
    expect(calls()).toEqual(again);
    await ask(page, other);
    expect(calls()).toEqual(isOfManagement ? again : []);
  });

  it("with an uncertain outcome a page is read anew each time, and with another's refusal never", async () => {
    await ask(page);
    next = [() => json({ error: 'no', message: 'no' }, 403)];
    expect((await ask(mutation, other)).errors).toHaveLength(1);
    calls();
    await ask(page);
    expect(calls()).toEqual([]);
    const lost: Answering = () => ({ status: 504, body: '' });
    const { observability } = createBackend(world);
    next = field === 'updateAlert' ? [observability, lost] : [lost];
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
  await ask('{ alert(id: "alert-1") { name } alerts { name } }');
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
  const payload = 'pipe { service { name pipes { name } organization { name } } }';
  await ask(`mutation { stopPipe(input: { ${pipe} }) { ${payload} } }`);
  expect(calls()).toEqual([pipes(1), `PATCH${pipes(1).slice(3)}/pipe-1/state`]);
});
