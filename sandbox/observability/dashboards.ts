import { Refusal } from '../refusal.ts';
import type { Route } from '../routes.ts';
import { createDashboardBody } from './shapes.ts';
import { type ObservabilityState, route, type Team } from './state.ts';

/** The documented operations on dashboards. */
export const dashboardRoutes = ({ sequence }: ObservabilityState): readonly Route<Team>[] => [
  route('POST', '/api/v2/dashboards', ({ caller, body }) => {
    const { name, tiles = [], tags = [] } = createDashboardBody(body, '');
    const dashboard = {
      id: sequence.objectId(),
      name,
      tiles: tiles.map((tile) => ({ id: sequence.word('tile'), ...tile })),
      tags,
    };
    caller.dashboards.set(dashboard.id, dashboard);
    return dashboard;
  }),

  // Also deletes the dashboard's alerts. Deleting an unknown dashboard succeeds, with an answer that has no data.
  route('DELETE', '/api/v2/dashboards/{id}', ({ caller: { dashboards, alerts }, ids }) => {
    if (!dashboards.delete(ids.id)) return undefined;
    for (const alert of alerts.values()) {
      if (alert.dashboard === ids.id) alerts.delete(alert.id);
    }
    return {};
  }),
];

/** The reads that are not in the documented interfaces. */
export const extendedDashboardRoutes: readonly Route<Team>[] = [
  route('GET', '/api/v2/dashboards', ({ caller }) => [...caller.dashboards.values()]),

  route('GET', '/api/v2/dashboards/{id}', ({ caller, ids }) => {
    const dashboard = caller.dashboards.get(ids.id);
    if (!dashboard) throw new Refusal(404, 'Dashboard not found');
    return dashboard;
  }),
];
