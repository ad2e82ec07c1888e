import type { Alert, Dashboard } from '../../../observability/shapes.ts';
import type { Team } from '../../../observability/state.ts';
import { world } from '../../../world/ids.ts';
import { createObservabilityState } from '../../../world.ts';
import { silence } from '../../world/alerts.ts';
import { liveWorld } from '../../world/ids.ts';
import type { EarlierAlert, EarlierDashboard } from './shapes.ts';
import type { EarlierState, EarlierTeam } from './state.ts';

const states: Readonly<Record<string, string>> = { active: 'ALERT', inactive: 'DISABLED' };

const earlierAlert = ({ source, state, silenced, ...alert }: Alert): EarlierAlert => {
  const { threshold = 0, channel } = alert;
  if (channel?.webhookId === undefined) throw new Error(`the alert ${alert.id} has no webhook`);
  return {
    ...alert,
    threshold,
    // The documented world has no other values.
    interval: alert.interval as EarlierAlert['interval'],
    thresholdType: alert.thresholdType ?? 'above',
    channel: { type: 'webhook', webhookId: channel.webhookId },
    source: source === 'search' ? 'saved_search' : 'tile',
    state: states[state] ?? state,
    ...(silenced && { silenced: { _id: liveWorld.alerts.saturation, ...silence } }),
  };
};

const earlierDashboard = ({ tiles, ...dashboard }: Dashboard): EarlierDashboard => ({
  ...dashboard,
  tiles: tiles.map(({ series = [], asRatio, ...tile }) => ({
    ...tile,
    seriesReturnType: asRatio === true ? 'ratio' : 'column',
    series:
      series.length === 0
        ? [{ type: 'markdown', content: `# ${tile.name}\n` }]
        : series.map(({ type = 'time', dataSource, ...one }) => ({
            ...one,
            type,
            table: dataSource === 'metrics' ? 'metrics' : 'logs',
          })),
  })),
});

const { dashboards, tiles, sources } = liveWorld;

/** A dashboard of the editor: its tiles may be between two grid units, and have lists of expressions. */
const capacity: EarlierDashboard = {
  id: dashboards.capacity,
  name: 'Capacity',
  tags: ['cluster'],
  tiles: [
    {
      id: tiles.load,
      ...{ x: 0, y: 0.5, w: 12, h: 3 },
      config: {
        ...{ name: 'Load by host', source: sources.metrics, displayType: 'line', where: '' },
        select: [{ aggFn: 'avg', valueExpression: 'Value', aggCondition: '' }],
        groupBy: [{ valueExpression: 'host' }, { valueExpression: 'role' }],
      },
    },
    {
      id: tiles.notes,
      ...{ x: 0, y: 3.5, w: 4, h: 2 },
      config: {
        ...{ name: 'Notes', displayType: 'markdown', markdown: 'Order disks at 80 %.' },
        select: [{ aggFn: 'count', valueExpression: '' }],
      },
    },
  ],
};

const byId = <T extends { readonly id: string }>(things: readonly T[]): Map<string, T> =>
  new Map(things.map((thing) => [thing.id, thing]));

/** The initial state of HyperDX 2.13: the documented world in its dialect, and a dashboard of its editor. */
export const createEarlierState = (clock: () => Date): EarlierState => {
  const state = createObservabilityState(clock);
  const known = new Map<string, EarlierTeam>();
  const teamOf = (team: Team): EarlierTeam => {
    const isMain = team.id === world.observability.main.teamId;
    const made = known.get(team.id) ?? {
      id: team.id,
      dashboards: byId([
        ...[...team.dashboards.values()].map(earlierDashboard),
        ...(isMain ? [capacity] : []),
      ]),
      alerts: byId([...team.alerts.values()].map(earlierAlert)),
    };
    known.set(team.id, made);
    return made;
  };
  // Tokens of one team share its state.
  return {
    ...state,
    teams: new Map([...state.teams].map(([token, team]) => [token, teamOf(team)])),
  };
};
