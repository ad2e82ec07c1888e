import { describe, expect, it, onTestFinished } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { startSandboxStack, wide } from '../support/harness.ts';

type Members = Readonly<Record<string, unknown>>;

const profiles = ['live', 'live-2.13'] as const;

const start = async (profile: (typeof profiles)[number]) => {
  const stack = await startSandboxStack({
    config: { ...wide, managementProfile: 'clickhouse-cloud', observabilityProfile: 'hyperdx' },
    sandbox: { profile },
  });
  onTestFinished(() => stack.close());
  const { observabilityUrl, credentials } = stack.sandbox;
  const { header: authorization } = credentials.observability.main;
  /** All records of a list, as the server has them, by their identifiers. */
  const records = async (name: string): Promise<ReadonlyMap<unknown, Members>> => {
    const answer = await fetch(`${observabilityUrl}/api/v2/${name}`, {
      headers: { authorization },
    });
    const { data } = (await answer.json()) as { readonly data: readonly Members[] };
    return new Map(data.map((record) => [record.id, record]));
  };
  const update = async (name: string, input: Members) => {
    const document = `mutation ($input: ${name.replace('update', 'Update')}Input!) {
      ${name}(input: $input) { userErrors { code message } } }`;
    const { body } = await stack.query(document, { variables: { input } });
    return body.data[name].userErrors;
  };
  return { records, update, stack };
};

/** A record without what tells nothing: nulls, the time of the change, and the reference's name for the kind of data. */
const bare = (record: unknown): unknown =>
  JSON.parse(
    JSON.stringify(record, (name, value) =>
      value === null || name === 'updatedAt' || name === 'dataSource' ? undefined : value,
    ),
  );

describe.each(profiles)('the sandbox with the profile %s', (profile) => {
  it('has each alert changed in one member alone', async () => {
    const { records, update } = await start(profile);
    const before = await records('alerts');
    const refused: unknown[] = [];
    for (const [alertId, alert] of before) {
      const errors = await update('updateAlert', { alertId, threshold: 7 });
      if (errors.length > 0) refused.push(errors[0].message);
      const after = await records('alerts');
      const threshold = errors.length > 0 ? alert.threshold : 7;
      expect(bare(after.get(alertId))).toEqual(bare({ ...alert, threshold }));
    }
    // An alert of a dashboard, or of a tile, that is gone or hidden.
    expect(refused.every((message) => /not found/i.test(String(message)))).toBe(true);
    expect(refused.length).toBeLessThan(3);
  });

  it('has each dashboard renamed twice, and all else kept', async () => {
    const { records, update } = await start(profile);
    const before = await records('dashboards');
    const alerts = await records('alerts');
    for (const [dashboardId, dashboard] of before) {
      if (dashboardId === liveWorld.dashboards.capacity) continue;
      for (const name of ['Once', 'Twice']) {
        const input = { dashboardId, name, mayResetTiles: profile === 'live' };
        expect(await update('updateDashboard', input)).toEqual([]);
        const after = await records('dashboards');
        expect(bare(after.get(dashboardId))).toEqual(bare({ ...dashboard, name }));
      }
    }
    expect(await records('alerts')).toEqual(alerts);
  });

  it('has a dashboard of the editor kept as it is', async () => {
    const { records, update } = await start(profile);
    const dashboardId = liveWorld.dashboards.capacity;
    const before = [await records('dashboards'), await records('alerts')];
    const once = await update('updateDashboard', { dashboardId, name: 'New' });
    expect(once).toMatchObject([{ code: 'WOULD_LOSE_DATA' }]);
    const [again] = await update('updateDashboard', {
      dashboardId,
      name: 'New',
      mayResetTiles: true,
    });
    expect(again.code).toBe(profile === 'live' ? 'WOULD_LOSE_DATA' : 'REJECTED');
    expect([await records('dashboards'), await records('alerts')]).toEqual(before);
  });
});

it('a text and places of the editor of HyperDX 2.13 are shown', async () => {
  const { stack } = await start('live-2.13');
  const { body } = await stack.query(
    `{ dashboard(id: "${liveWorld.dashboards.capacity}") { tiles { name y series { groupBy content } } } }`,
  );
  expect(body).toEqual({
    data: {
      dashboard: {
        tiles: [
          { name: 'Load by host', y: 1, series: [{ groupBy: ['host', 'role'], content: null }] },
          { name: 'Notes', y: 4, series: [{ groupBy: null, content: 'Order disks at 80 %.' }] },
        ],
      },
    },
  });
});

it('webhooks of HyperDX are shown, but for one that the server leaves out', async () => {
  const { stack } = await start('live');
  const { body } = await stack.query('{ webhooks { name } }');
  expect(body.errors).toBeUndefined();
  expect(body.data.webhooks).toHaveLength(2);
  expect(stack.callList()).toEqual(['GET /api/v2/webhooks']);
});
