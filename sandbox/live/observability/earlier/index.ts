import { html, json, plain } from '../../../answer.ts';
import { observabilityInterface } from '../../../observability/index.ts';
import type { Issue } from '../../../refusal.ts';
import type { RestInterface } from '../../../rest-interface.ts';
import { bearerOnly } from '../bearer.ts';
import { alertRoutes, deleted } from './alerts.ts';
import { dashboardRoutes } from './dashboards.ts';
import type { EarlierState, EarlierTeam } from './state.ts';

/** The service's validation error for members that break a rule. */
const validationError = (issues: readonly Issue[]): unknown => {
  const found = issues.map(({ at, rule }) => {
    const path = at.split(/[.[\]]+/).filter((name) => name !== '');
    return { code: 'custom', path, message: rule };
  });
  return [{ type: 'Body', errors: { issues: found, name: 'ZodError' } }];
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
      const { status, issues, message } = refusal;
      if (issues.length > 0) return json(status, validationError(issues));
      return status === 404 ? plain(404, message) : common.refuse(refusal);
    },
    outsideRoutes: () => html(404, '<!DOCTYPE html>\n<title>Error</title>\n<pre>Not Found</pre>\n'),
  };
};
