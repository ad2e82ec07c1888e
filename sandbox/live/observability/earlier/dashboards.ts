import type { Route } from '../../../routes.ts';
import { objectId } from '../object-id.ts';
import {
  dashboardBody,
  type EarlierDashboard,
  type EarlierTile,
  type GivenTile,
  keptSeries,
  newDashboardBody,
} from './shapes.ts';
import { type EarlierState, type EarlierTeam, find, route } from './state.ts';

const kept = (
  { asRatio, series, ...tile }: GivenTile & { readonly id: string },
  filling: boolean,
): EarlierTile => ({
  ...tile,
  series: series.map((one) => keptSeries(one, filling)),
  seriesReturnType: asRatio === true ? 'ratio' : 'column',
});

/** The operations on dashboards. */
export const dashboardRoutes = ({ sequence }: EarlierState): readonly Route<EarlierTeam>[] => [
  route('GET', '/api/v2/dashboards', ({ caller }) =>
    [...caller.dashboards.values()].sort((a, b) => b.name.localeCompare(a.name, 'en')),
  ),

  route('GET', '/api/v2/dashboards/{id}', ({ caller, ids }) => find(caller.dashboards, ids.id)),

  route('POST', '/api/v2/dashboards', ({ caller, body }) => {
    const { tiles, ...given } = newDashboardBody(body, '');
    const dashboard: EarlierDashboard = {
      id: sequence.objectId(),
      tags: [],
      ...given,
      tiles: tiles.map((tile) => kept({ ...tile, id: sequence.objectId() }, false)),
    };
    caller.dashboards.set(dashboard.id, dashboard);
    return dashboard;
  }),

  // Alerts of deleted tiles remain.
  route('PUT', '/api/v2/dashboards/{id}', ({ caller, ids, body }) => {
    const old = find(caller.dashboards, ids.id);
    const { tiles, ...given } = dashboardBody(body, '');
    const dashboard = { ...old, ...given, tiles: tiles.map((tile) => kept(tile, true)) };
    caller.dashboards.set(old.id, dashboard);
    return dashboard;
  }),

  // Deleting an unknown dashboard succeeds. The answer is an object without data.
  route('DELETE', '/api/v2/dashboards/{id}', ({ caller: { alerts, dashboards }, ids }) => {
    dashboards.delete(objectId(ids.id, 'id'));
    for (const { id, dashboard } of alerts.values()) if (dashboard === ids.id) alerts.delete(id);
  }),
];
