import { credentials } from '../../world/credentials.ts';
import { world } from '../../world/ids.ts';
import type { StackAlert } from '../clickstack/alert-shapes.ts';
import type { ClickStack, ClickStacks, Item } from '../clickstack/state.ts';
import type { LiveDashboard } from '../observability/dashboard-shapes.ts';
import { createHyperdxState } from '../observability/seeded.ts';
import type { LiveTeam } from '../observability/state.ts';
import { clickstackWorld, liveWorld } from './ids.ts';

const { main, second } = world.observability;
const { services } = world.management.main;

const written = { createdAt: '2026-09-02T08:15:00Z', updatedAt: '2026-09-02T08:15:00Z' } as const;

const byId = <T extends { readonly id: string }>(things: readonly T[]): Map<string, T> =>
  new Map(things.map((thing) => [thing.id, thing]));

const own = {
  ...{ note: null, groupBy: null, numConsecutiveWindows: null, tags: [], executionErrors: [] },
  ...written,
} as const;

/** An alert with an e-mail channel, and a member that no description names. */
const emailed: StackAlert = {
  ...own,
  id: clickstackWorld.alerts.emailed,
  name: 'Nothing ordered',
  message: 'No order for an hour.',
  ...{ threshold: 1, thresholdType: 'below', interval: '1h', state: 'OK' },
  source: 'tile',
  dashboardId: main.dashboards.checkout,
  tileId: main.tiles.checkoutOrders,
  teamId: main.teamId,
  channels: [
    { type: 'email', emailRecipients: ['shop@northwind.example', 'data@northwind.example'] },
  ],
  tags: ['shop'],
  evaluationDelaySeconds: 90,
};

/** An alert on a chart of its own. */
const inline: StackAlert = {
  ...own,
  id: clickstackWorld.alerts.inline,
  name: 'Slow inserts',
  message: null,
  ...{ threshold: 30, thresholdType: 'above', interval: '15m', state: 'ALERT' },
  source: 'inline',
  chartConfig: {
    displayType: 'line',
    sourceId: liveWorld.sources.logs,
    select: [{ aggFn: 'quantile', level: 0.95, valueExpression: 'Duration', where: 'insert' }],
  },
  teamId: main.teamId,
  channels: [
    {
      type: 'webhook',
      webhookId: clickstackWorld.webhooks.pager,
      slackChannelId: 'C07NORTHWIND',
      severity: 'critical',
    },
  ],
  numConsecutiveWindows: 2,
};

const pager: Item = {
  ...written,
  id: clickstackWorld.webhooks.pager,
  name: 'Pager',
  service: 'pagerduty_api',
  description: 'Wakes somebody up',
};

const role = (id: string, name: string, permissions: readonly string[]): Item => ({
  ...{ id, name, permissions, ...written },
});

const mainRoles = [
  role(clickstackWorld.roles.editor, 'Editor', ['dashboards:write', 'alerts:write']),
  role(clickstackWorld.roles.viewer, 'Viewer', ['dashboards:read', 'alerts:read']),
];

/** The dashboard and alert whose identifiers the first ClickStack has too, with other contents. */
const sharedDashboard: LiveDashboard = {
  id: main.dashboards.api,
  name: 'API (staging)',
  tags: ['staging'],
  filters: [],
  containers: [],
  tiles: [
    {
      id: main.tiles.apiErrors,
      name: 'Errors of the canary',
      ...{ x: 0, y: 0, w: 24, h: 4 },
      config: {
        displayType: 'number',
        sourceId: liveWorld.secondSources.metrics,
        select: [{ aggFn: 'count', where: 'canary', whereLanguage: 'lucene' }],
      },
    },
  ],
};

const sharedAlert: StackAlert = {
  ...own,
  id: main.alerts.errorRate,
  name: 'Canary error rate',
  message: null,
  ...{ threshold: 0.5, thresholdType: 'above', interval: '15m', state: 'OK' },
  source: 'tile',
  dashboardId: main.dashboards.api,
  tileId: main.tiles.apiErrors,
  teamId: second.teamId,
  channels: [{ type: 'webhook', webhookId: second.webhooks.oncall }],
};

const stagingSearch: Item = {
  ...written,
  id: clickstackWorld.savedSearches.staging,
  name: 'Failed deployments',
  sourceId: liveWorld.secondSources.metrics,
  where: 'deployment:failed',
};

const items = (things: ReadonlyMap<string, Item>): readonly Item[] => [...things.values()];

const stackOf = (
  team: LiveTeam,
  total: ClickStack['total'],
  further: {
    readonly dashboards: readonly LiveDashboard[];
    readonly alerts: readonly StackAlert[];
    readonly webhooks: readonly Item[];
    readonly savedSearches: readonly Item[];
    readonly roles: readonly Item[];
  },
): ClickStack => ({
  total,
  team: team.id,
  dashboards: byId([...team.dashboards.values(), ...further.dashboards]),
  alerts: byId([
    ...[...team.alerts.values()].map(({ channel: _, ...alert }) => ({ ...alert, tags: [] })),
    ...further.alerts,
  ]),
  sources: byId(
    items(team.sources).map((source) => ({
      ...source,
      ...(source.kind === 'log' && { filterSettings: { columns: ['ServiceName'], limit: 100 } }),
    })),
  ),
  webhooks: byId([...items(team.webhooks), ...further.webhooks]),
  savedSearches: byId([...items(team.savedSearches), ...further.savedSearches]),
  roles: byId(further.roles),
});

/**
 * The initial state of ClickStack: production has the data of HyperDX's main team and a few things that HyperDX does not
 * have, staging those of the second team. The other services have no ClickStack.
 */
export const createClickStacks = (clock: () => Date): ClickStacks => {
  const { teams, sequence } = createHyperdxState(clock);
  const teamOf = ({ token }: { readonly token: string }): LiveTeam => {
    const team = teams.get(token);
    if (!team) throw new Error('the token has no team');
    return team;
  };
  const { main: first, second: other } = credentials.observability;
  return {
    clock,
    sequence,
    stacks: new Map([
      [
        services.production,
        stackOf(teamOf(first), 'meta', {
          ...{ dashboards: [], alerts: [emailed, inline], webhooks: [pager], savedSearches: [] },
          roles: mainRoles,
        }),
      ],
      [
        services.staging,
        stackOf(teamOf(other), 'totalCount', {
          ...{ dashboards: [sharedDashboard], alerts: [sharedAlert], webhooks: [] },
          savedSearches: [stagingSearch],
          roles: [role(clickstackWorld.roles.staging, 'Tester', ['dashboards:read'])],
        }),
      ],
    ]),
  };
};
