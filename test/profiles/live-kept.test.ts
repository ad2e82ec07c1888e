import { describe, expect, it, onTestFinished } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { world } from '../../sandbox/world/ids.ts';
import { startSandboxStack, wide } from '../support/harness.ts';
import type { Members } from './record.ts';
import { cloud, hyperdx, mutate } from './rows.ts';

const now = '2026-11-21T10:00:00.000Z';

/** The gateway before the sandbox as the live services are, and the records that these have. */
const start = async (profile: 'live' | 'live-2.13') => {
  const stack = await startSandboxStack({
    config: { ...wide, ...cloud, ...hyperdx, readCacheBytes: 64 * 1024 * 1024 },
    sandbox: { profile, clock: () => new Date(now) },
  });
  onTestFinished(() => stack.close());
  const { managementUrl, observabilityUrl, credentials } = stack.sandbox;
  const read = async (url: string, authorization: string) =>
    (await fetch(url, { headers: { authorization } })).json() as Promise<Members>;
  return {
    stack,
    /** All alerts or dashboards, by their identifiers. */
    records: async (name: 'alerts' | 'dashboards'): Promise<ReadonlyMap<unknown, Members>> => {
      const { header } = credentials.observability.main;
      const { data } = await read(`${observabilityUrl}/api/v2/${name}`, header);
      return new Map((data as readonly Members[]).map((record) => [record.id, record]));
    },
    pipe: async ({ organizationId, serviceId, pipeId }: ReturnType<typeof idsOf>) => {
      const path = `/v1/organizations/${organizationId}/services/${serviceId}/clickpipes/${pipeId}`;
      const { header } = credentials.management.admin;
      return (await read(managementUrl + path, header)).result as Members;
    },
    update: async (field: string, input: Members) =>
      (await mutate(stack, field, input)).data[field].userErrors,
  };
};

/** A record without what tells nothing: nulls, the time of the change, and the reference's name for the kind of data. */
const bare = (record: unknown): unknown =>
  JSON.parse(
    JSON.stringify(record, (name, value) =>
      value === null || name === 'updatedAt' || name === 'dataSource' ? undefined : value,
    ),
  );

describe.each(['live', 'live-2.13'] as const)('in the sandbox with the profile %s', (profile) => {
  it('each alert changes in one member alone', async () => {
    const { records, update } = await start(profile);
    const refused: string[] = [];
    for (const [alertId, alert] of await records('alerts')) {
      const errors = await update('updateAlert', { alertId, threshold: 7 });
      if (errors.length > 0) refused.push(errors[0].message);
      const threshold = errors.length > 0 ? alert.threshold : 7;
      const after = await records('alerts');
      expect(bare(after.get(alertId))).toEqual(bare({ ...alert, threshold }));
    }
    // An alert of a dashboard, or of a tile, that is gone or hidden.
    expect(refused.every((message) => /not found/i.test(message))).toBe(true);
    expect(refused.length).toBeLessThan(3);
  });

  it('each dashboard is renamed, and all else kept, but one of the editor is left as it is', async () => {
    const { records, update } = await start(profile);
    const alerts = await records('alerts');
    for (const [dashboardId, dashboard] of await records('dashboards')) {
      const input = { dashboardId, name: 'New', mayResetTiles: profile === 'live' };
      const codes = (await update('updateDashboard', input)).map(({ code }: Members) => code);
      const isOfEditor = dashboardId === liveWorld.dashboards.capacity;
      expect(codes.join()).toMatch(isOfEditor ? /^(?:WOULD_LOSE_DATA|REJECTED)$/ : /^$/);
      const name = isOfEditor ? dashboard.name : 'New';
      const after = await records('dashboards');
      expect(bare(after.get(dashboardId))).toEqual(bare({ ...dashboard, name }));
    }
    expect(await records('alerts')).toEqual(alerts);
  });
});

const { organizationId, services, pipes } = world.management.main;
const idsOf = (serviceId: string, pipeId: string) => ({ organizationId, serviceId, pipeId });
const archive = idsOf(services.production, pipes.archive);
const events = idsOf(services.trial, liveWorld.pipes.events);
const telemetry = idsOf(services.production, pipes.telemetry);

it.each<[what: string, ids: typeof archive, name: object, engineMaxThreads: number | null]>([
  // A service that keeps the settings that are left out, and one that loses them.
  ['settings of files', archive, {}, 3],
  ['settings of a stream', events, {}, 3],
  ['a name and settings', telemetry, { name: 'new' }, 3],
  ['settings, one of which is taken back', events, {}, null],
])('updatePipe changes of the whole record nothing but %s', async (_, ids, name, wanted) => {
  const { pipe, update } = await start('live');
  const before = await pipe(ids);
  const { clickhouse_max_threads: known, ...others } = Object(before.settings);
  expect(known).not.toBe(wanted);
  const changes = { ...ids, ...name, settings: { engineMaxThreads: wanted } };
  expect(await update('updatePipe', changes)).toEqual([]);
  const settings = { ...others, ...(wanted !== null && { clickhouse_max_threads: wanted }) };
  expect(await pipe(ids)).toEqual({ ...before, ...name, updatedAt: now, settings });
});

it('a text and places of the editor of HyperDX 2.13 are shown', async () => {
  const { stack } = await start('live-2.13');
  const { body } = await stack.query(
    `{ dashboard(id: "${liveWorld.dashboards.capacity}") { tiles { y series { groupBy content } } } }`,
  );
  expect(body.data.dashboard.tiles).toEqual([
    { y: 1, series: [{ groupBy: ['host', 'role'], content: null }] },
    { y: 4, series: [{ groupBy: null, content: 'Order disks at 80 %.' }] },
  ]);
});
