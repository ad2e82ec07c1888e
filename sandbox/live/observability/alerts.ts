import type { Route } from '../../routes.ts';
import { readAlertBody } from './alert-body.ts';
import type { LiveAlert } from './alert-shapes.ts';
import { pageOf } from './page.ts';
import { find, type HyperdxState, type LiveTeam, route } from './state.ts';

/**
 * PUT replaces everything except members that a body cannot have, and a few members that keep their value if the body omits
 * them.
 */
const replaced = (old: LiveAlert, body: unknown, team: LiveTeam, updatedAt: string): LiveAlert => {
  // Only the links of the body remain: an alert has the links of its source.
  const { dashboardId: _, tileId: __, savedSearchId: ___, ...kept } = old;
  return { ...kept, ...readAlertBody(body, team), updatedAt };
};

/** The operations on alerts. */
export const alertRoutes = ({ clock, sequence }: HyperdxState): readonly Route<LiveTeam>[] => [
  route('GET', '/api/v2/alerts', ({ caller, query }) => pageOf([...caller.alerts.values()], query)),

  route('GET', '/api/v2/alerts/{id}', ({ caller, ids }) => find(caller.alerts, ids.id, 'Alert')),

  route('POST', '/api/v2/alerts', ({ caller, body }) => {
    const now = clock().toISOString();
    const alert: LiveAlert = {
      id: sequence.objectId(),
      ...readAlertBody(body, caller),
      state: 'OK',
      teamId: caller.id,
      executionErrors: [],
      createdAt: now,
      updatedAt: now,
    };
    caller.alerts.set(alert.id, alert);
    return alert;
  }),

  route('PUT', '/api/v2/alerts/{id}', ({ caller, ids, body }) => {
    const old = find(caller.alerts, ids.id, 'Alert');
    const alert = replaced(old, body, caller, clock().toISOString());
    caller.alerts.set(alert.id, alert);
    return alert;
  }),

  // The answer is an object without data.
  route('DELETE', '/api/v2/alerts/{id}', ({ caller: { alerts }, ids }) => {
    alerts.delete(find(alerts, ids.id, 'Alert').id);
  }),
];
