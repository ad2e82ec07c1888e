import type { Route } from '../../../routes.ts';
import { broken } from '../../../rules.ts';
import { alertBody, type EarlierAlert } from './shapes.ts';
import { type EarlierState, type EarlierTeam, find, route } from './state.ts';

/** The answer of a deletion: two letters of plain text. */
export const deleted = Symbol('deleted');

/** Reads the alert in a body. An omitted name or message is null. Whether links point to something is not checked. */
const readBody = (body: unknown) => {
  const given = alertBody(body, '');
  const { dashboardId, savedSearchId, tileId, name = null, message = null, ...rest } = given;
  if (rest.source === 'tile') {
    if (dashboardId === undefined) throw broken('dashboardId', 'is required');
    if (tileId === undefined) throw broken('tileId', 'is required');
    return { ...rest, name, message, dashboard: dashboardId, tileId };
  }
  if (savedSearchId === undefined) throw broken('savedSearchId', 'is required');
  return { ...rest, name, message, savedSearch: savedSearchId };
};

/** The operations on alerts. The list has no pages. */
export const alertRoutes = ({ clock, sequence }: EarlierState): readonly Route<EarlierTeam>[] => [
  route('GET', '/api/v2/alerts', ({ caller }) => [...caller.alerts.values()]),

  route('GET', '/api/v2/alerts/{id}', ({ caller, ids }) => find(caller.alerts, ids.id)),

  route('POST', '/api/v2/alerts', ({ caller, body }) => {
    const now = clock().toISOString();
    const made = { id: sequence.objectId(), team: caller.id, state: 'OK' };
    const alert: EarlierAlert = { ...made, ...readBody(body), createdAt: now, updatedAt: now };
    caller.alerts.set(alert.id, alert);
    return alert;
  }),

  // Links and the grouping keep their values if a body omits them.
  route('PUT', '/api/v2/alerts/{id}', ({ caller, ids, body }) => {
    const old = find(caller.alerts, ids.id);
    const alert = { ...old, ...readBody(body), updatedAt: clock().toISOString() };
    caller.alerts.set(old.id, alert);
    return alert;
  }),

  route('DELETE', '/api/v2/alerts/{id}', ({ caller: { alerts }, ids }) => {
    alerts.delete(find(alerts, ids.id).id);
    return deleted;
  }),
];
