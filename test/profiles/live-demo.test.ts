import { describe, expect, it, vi } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { world } from '../../sandbox/world/ids.ts';
import { blocks } from '../support/docs/blocks.ts';
import { printedBy, startDemo } from '../support/process/demo.ts';

const { organizationId, services, pipes } = world.management.main;
const { alerts } = world.observability.main;

/** The demo in the live profile, as its own lines describe it. */
const open = async (env: Readonly<Record<string, string>> = {}) => {
  const printed = await printedBy(startDemo(['--profile', 'live'], env));
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

const unlimited = { SANDBOX_LIMITS: 'off' };

describe('the demo in the live profile', () => {
  it('says so, and keeps the limits of the services', async () => {
    const { printed, query } = await open();
    expect(printed).toContain(
      'profile         live: ClickHouse Cloud and HyperDX, as of August 2026',
    );
    expect(printed).toMatch(/^ {2}limits +10 requests in 10 s for each key/m);
    const line = /-d '(.*)'$/m.exec(printed)?.[1] ?? '';
    const answer = await query(JSON.parse(line).query);
    expect(answer.errors).toBeUndefined();
    expect(answer.data.organizations[0].services).toHaveLength(4);
    expect(answer.data.dashboards).toHaveLength(3);
  });

  it('answers the queries of the README as they are answered there', async () => {
    const { query } = await open(unlimited);
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
    const { query } = await open(unlimited);
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
    const { query } = await open(unlimited);
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

  it.each([
    ['on a tile', alerts.errorRate],
    ['on a saved search, with every member', liveWorld.alerts.slowQueries],
  ])('updates an alert %s without losing a member', async (_, id) => {
    const { query, record } = await open(unlimited);
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

describe('the demo with arguments that are wrong', () => {
  it.each([
    [['--profile', 'cloud']],
    [['--profile']],
    [['--profil', 'live']],
    [['live']],
    [['--profile', 'live', 'more']],
  ])('says in one line which there are: %j', async (args) => {
    expect(await startDemo(args).ended).toEqual({
      code: 1,
      errors: 'demo: the arguments are none, or --profile live (or --profile reference)\n',
    });
  });
});
