import { html, json, plain } from '../../../answer.ts';
import { observabilityInterface } from '../../../observability/index.ts';
import type { RestInterface } from '../../../rest-interface.ts';
import { bearerOnly } from '../bearer.ts';
import { alertRoutes, deleted } from './alerts.ts';
import { dashboardRoutes } from './dashboards.ts';
import type { EarlierState, EarlierTeam } from './state.ts';

/** The service's validation error for a member that breaks a rule. */
const issuesOf = (at: string, message: string): unknown => {
  const path = at.split(/[.[\]]+/).filter((name) => name !== '');
  const rule = message.slice(at.length).trim();
  return [
    {
      type: 'Body',
      errors: { issues: [{ code: 'custom', path, message: rule }], name: 'ZodError' },
    },
  ];
};

/**
 * HyperDX 2.13 over a state. It has only dashboards and alerts. A body that breaks a rule gets a list of issues, and a 404
 * is plain text.
 */
export const createEarlierHyperdx = (state: EarlierState): RestInterface<EarlierTeam> => {
  const common = observabilityInterface(state, [...dashboardRoutes(state), ...alertRoutes(state)]);
  return {
    ...common,
    authenticate: bearerOnly(common.authenticate),
    succeed: (payload) => (payload === deleted ? plain(200, 'OK') : common.succeed(payload)),
    refuse: (refusal) => {
      const { status, at, message } = refusal;
      if (at !== undefined) return json(status, issuesOf(at, message));
      return status === 404 ? plain(404, message) : common.refuse(refusal);
    },
    outsideRoutes: () => html(404, '<!DOCTYPE html>\n<title>Error</title>\n<pre>Not Found</pre>\n'),
  };
};
