import { beforeAll, describe, expect, it, vi } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { world } from '../../sandbox/world/ids.ts';
import { blocks } from '../support/docs/blocks.ts';
import { textOf, variablesOf } from '../support/operations.ts';
import { printedBy, startDemo } from '../support/process/demo.ts';

const { organizationId, services, pipes } = world.management.main;
const { alerts } = world.observability.main;

const live = ['--profile', 'live'];

/** A demo as its own lines describe it. */
const told = async (demo: ReturnType<typeof startDemo>) => {
  const printed = await printedBy(demo);
  const [, url = ''] = /GraphiQL +(\S+)/.exec(printed) ?? [];
  const [, observabilityUrl = ''] = /observability +(\S+)/.exec(printed) ?? [];
  const [, management = ''] = /Management-Authorization: (\S+ \S+)/.exec(printed) ?? [];
  const [, observability = ''] = /Observability-Authorization: (\S+ \S+)/.exec(printed) ?? [];
  const query = async (text: string, variables = {}) => {
    const response = await fetch(url, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'cache-control': 'no-cache',
        'management-authorization': management,
        'observability-authorization': observability,
      },
      body: JSON.stringify({ query: text, variables }),
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    const body: any = await response.json();
    return body;
  };
  const record = async (path: string) => {
    const response = await fetch(`${observabilityUrl}/api/v2${path}`, {
      headers: { authorization: observability },
    });
    // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
    const body: any = await response.json();
    return body.data;
  };
  return { printed, query, record };
};

it('the demo in the live profile says so, and keeps the limits of the services', async () => {
  const { printed, query } = await told(startDemo(live));
  expect(printed).toContain(
    'profile         live (ClickHouse Cloud and HyperDX, as of August 2026)',
  );
  expect(printed).toMatch(/^ {2}limits +10 requests in 10 s for each key/m);
  const line = /-d '(.*)'$/m.exec(printed)?.[1] ?? '';
  const answer = await query(JSON.parse(line).query);
  expect(answer.errors).toBeUndefined();
  expect(answer.data.organizations[0].services).toHaveLength(4);
  expect(answer.data.dashboards).toHaveLength(4);
});

describe('the demo in the live profile, without limits,', () => {
  let query: Awaited<ReturnType<typeof told>>['query'];
  let record: Awaited<ReturnType<typeof told>>['record'];
  beforeAll(async () => {
    let stop = (): void => {};
    const demo = startDemo(live, { SANDBOX_LIMITS: 'off' }, (how) => {
      stop = how;
    });
    ({ query, record } = await told(demo));
    return stop;
  });

  it('answers the queries of the README as they are answered there', async () => {
    const shown = blocks.filter(
      ({ page, language, answer }) => page === 'README.md' && language === 'graphql' && answer,
    );
    expect(shown.length).toBeGreaterThan(0);
    for (const { text, answer = '' } of shown) {
      // HyperDX has no state of that name.
      const expected = answer.replaceAll('"active"', '"ALERT"');
      expect(await query(text)).toEqual(JSON.parse(expected));
    }
  });

  it('shows the links between alerts, dashboards and tiles, and the four further sources', async () => {
    const { data, errors } = await query(`{
      alert(id: "${alerts.errorRate}") { teamId dashboard { name } tile { name series { type aggFn } } }
      dashboard(id: "${world.observability.main.dashboards.ingestion}") { tiles { name alerts { name } } }
      organization(id: "${organizationId}") { services { engineVersion pipes { source { __typename } } } }
    }`);
    expect(errors).toBeUndefined();
    expect(data.alert).toEqual({
      teamId: world.observability.main.teamId,
      dashboard: { name: 'API health' },
      tile: {
        name: 'Error rate',
        series: [
          { type: 'time', aggFn: 'count' },
          { type: 'time', aggFn: 'count' },
        ],
      },
    });
    expect(data.dashboard.tiles).toEqual([
      { name: 'Rows per minute', alerts: [{ name: 'Quiet night' }] },
      { name: 'Consumer lag', alerts: [{ name: 'Consumer lag' }] },
      { name: 'Failed inserts', alerts: [{ name: 'Failed inserts' }] },
    ]);
    const all: readonly { engineVersion: string; pipes: readonly { source: object }[] }[] =
      data.organization.services;
    expect(all.map(({ engineVersion }) => engineVersion)).toEqual([
      '26.8',
      '26.8',
      '26.10',
      '26.8',
    ]);
    expect(all.flatMap((one) => one.pipes.map(({ source }) => source))).toEqual(
      expect.arrayContaining(
        ['MySqlSource', 'BigQuerySource', 'MongoDbSource', 'PubSubSource'].map((name) => ({
          __typename: name,
        })),
      ),
    );
  });

  it('stops a pipe and starts it again', async () => {
    const input = `{ organizationId: "${organizationId}", serviceId: "${services.production}", pipeId: "${pipes.clickstream}" }`;
    const send = async (field: string) =>
      (
        await query(
          `mutation { ${field}(input: ${input}) { pipe { state } userErrors { message } } }`,
        )
      ).data[field];
    const state = async () =>
      (
        await query(
          `{ pipe(organizationId: "${organizationId}", serviceId: "${services.production}", pipeId: "${pipes.clickstream}") { state } }`,
        )
      ).data.pipe.state;
    expect(await send('stopPipe')).toEqual({ pipe: { state: 'Stopping' }, userErrors: [] });
    await vi.waitFor(async () => expect(await state()).toBe('Stopped'), { timeout: 10_000 });
    expect(await send('startPipe')).toEqual({ pipe: { state: 'Provisioning' }, userErrors: [] });
    await vi.waitFor(async () => expect(await state()).toBe('Running'), { timeout: 10_000 });
  });

  it('stops a service, whose pipes are then refused, and wakes it', async () => {
    const ids = `organizationId: "${organizationId}", serviceId: "${services.staging}"`;
    const command = (field: string) =>
      query(`mutation { ${field}(input: { ${ids} }) { service { state } userErrors { code } } }`);
    const read = () => query(`{ service(${ids}) { state pipes { name } } }`);
    expect(await command('stopService')).toEqual({
      data: { stopService: { service: { state: 'stopping' }, userErrors: [] } },
    });
    const stopped = await read();
    expect(stopped.data).toEqual({ service: { state: 'stopping', pipes: null } });
    expect(stopped.errors).toMatchObject([
      {
        path: ['service', 'pipes'],
        message:
          'The service is not running. Use wakeService if it is idle, and startService if it is stopped.',
        extensions: { code: 'SERVICE_NOT_RUNNING', retryable: false, upstream: { status: 424 } },
      },
    ]);
    await vi.waitFor(async () => expect((await read()).data.service.state).toBe('stopped'), 10_000);
    expect(await command('wakeService')).toEqual({
      data: { wakeService: { service: { state: 'awaking' }, userErrors: [] } },
    });
    await vi.waitFor(async () => expect((await read()).errors).toBeUndefined(), 10_000);
    expect((await read()).data.service.pipes).toHaveLength(3);
  });

  it.each(['CreatePipe', 'CreateDashboard'])(
    'refuses the sample of %s, which fits the reference, in userErrors',
    async (name) => {
      const { data, errors } = await query(textOf(name), variablesOf(name));
      expect(errors).toBeUndefined();
      const [payload] = Object.values<{ readonly userErrors: readonly object[] }>(data);
      expect(payload?.userErrors).not.toEqual([]);
    },
  );

  it.each([
    ['on a tile', alerts.errorRate],
    ['on a saved search, with every member', liveWorld.alerts.slowQueries],
  ])('updates an alert %s without losing a member', async (_, id) => {
    const before = await record(`/alerts/${id}`);
    const { data, errors } = await query(
      `mutation { updateAlert(input: { alertId: "${id}", threshold: 7 }) {
        alert { threshold } userErrors { message }
      } }`,
    );
    expect([data, errors]).toEqual([
      { updateAlert: { alert: { threshold: 7 }, userErrors: [] } },
      undefined,
    ]);
    const after = await record(`/alerts/${id}`);
    expect(after).toEqual({ ...before, threshold: 7, updatedAt: after.updatedAt });
  });
});
