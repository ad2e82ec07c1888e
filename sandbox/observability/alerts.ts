import { Refusal } from '../refusal.ts';
import type { Route } from '../routes.ts';
import { type Alert, updateAlertBody } from './shapes.ts';
import { type ObservabilityState, route, type Team } from './state.ts';

const find = (team: Team, id: string): Alert => {
  const alert = team.alerts.get(id);
  if (!alert) throw new Refusal(404, 'Alert not found');
  return alert;
};

/**
 * PUT replaces every member that a body can have: an omitted name and message become null, the others absent. Members that
 * no body can have keep their value. Whether the dashboard and the tile exist is not checked.
 */
const replaced = (alert: Alert, body: unknown, updatedAt: string): Alert => {
  const { name = null, message = null, dashboardId, ...given } = updateAlertBody(body, '');
  const { id, state, team, savedSearch, groupBy, silenced, createdAt } = alert;
  return {
    id,
    name,
    message,
    ...given,
    state,
    team,
    ...(dashboardId === undefined ? {} : { dashboard: dashboardId }),
    ...(savedSearch === undefined ? {} : { savedSearch }),
    ...(groupBy === undefined ? {} : { groupBy }),
    silenced,
    createdAt,
    updatedAt,
  };
};

/** The documented operations on alerts. */
export const alertRoutes = ({ clock }: ObservabilityState): readonly Route<Team>[] => [
  route('GET', '/api/v2/alerts', ({ caller }) => [...caller.alerts.values()]),

  route('GET', '/api/v2/alerts/{id}', ({ caller, ids }) => find(caller, ids.id)),

  route('PUT', '/api/v2/alerts/{id}', ({ caller, ids, body }) => {
    const alert = replaced(find(caller, ids.id), body, clock().toISOString());
    caller.alerts.set(alert.id, alert);
    return alert;
  }),
];
