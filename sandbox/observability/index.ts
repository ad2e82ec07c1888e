import { json, plain, type RestInterface } from '../http.ts';
import { Refusal } from '../refusal.ts';
import { alertRoutes } from './alerts.ts';
import { dashboardRoutes, extendedDashboardRoutes } from './dashboards.ts';
import type { ObservabilityState, Team } from './state.ts';

const teamOf = (state: ObservabilityState, header: string | undefined): Team => {
  const [, token = ''] = /^bearer +(\S+)$/i.exec(header ?? '') ?? [];
  const team = state.teams.get(token);
  if (!team) throw new Refusal(401, 'Unauthorized');
  return team;
};

/**
 * The observability interface over a state. A success is `{data}`, a failure `{message}`, apart from 401, which is
 * plain text.
 */
export const createObservability = (
  state: ObservabilityState,
  extendedReads: boolean,
): RestInterface<Team> => ({
  routes: [
    ...dashboardRoutes(state),
    ...alertRoutes(state),
    ...(extendedReads ? extendedDashboardRoutes : []),
  ],
  authenticate: ({ headers }) => teamOf(state, headers.authorization),
  succeed: (data) => json(200, { data }),
  refuse: ({ status, message }) =>
    status === 401 ? plain(401, message) : json(status, { message }),
});
