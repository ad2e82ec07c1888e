import { html, json, plain } from '../../answer.ts';
import { observabilityInterface } from '../../observability/index.ts';
import type { RestInterface } from '../../rest-interface.ts';
import { alertRoutes } from './alerts.ts';
import { bearerOnly } from './bearer.ts';
import { Bare, dashboardRoutes, PlainRefusal } from './dashboards.ts';
import { Page, pageOf } from './page.ts';
import { find, type HyperdxState, type LiveTeam, route } from './state.ts';

const listRoutes = [
  route('GET', '/api/v2/sources', ({ caller }) => [...caller.sources.values()]),

  route('GET', '/api/v2/sources/{id}', ({ caller, ids }) => find(caller.sources, ids.id, 'Source')),

  route('GET', '/api/v2/webhooks', ({ caller, query }) =>
    pageOf([...caller.webhooks.values()], query, ({ service }) => service !== 'slack_api'),
  ),

  route('GET', '/api/v2/saved-searches', ({ caller, query }) =>
    pageOf([...caller.savedSearches.values()], query),
  ),

  route('GET', '/api/v2/saved-searches/{id}', ({ caller, ids }) =>
    find(caller.savedSearches, ids.id, 'Saved search'),
  ),
];

/**
 * HyperDX over a state, as of August 2026. The lists of alerts, webhooks and saved searches have pages. A 404 is plain text
 * for a dashboard, and an HTML page for an unknown path.
 */
export const createHyperdx = (state: HyperdxState): RestInterface<LiveTeam> => {
  const common = observabilityInterface(state, [
    ...dashboardRoutes(state),
    ...alertRoutes(state),
    ...listRoutes,
  ]);
  return {
    ...common,
    authenticate: bearerOnly(common.authenticate),
    succeed: (payload) => {
      if (payload instanceof Bare) return json(200, payload.content);
      return payload instanceof Page
        ? json(
            200,
            { data: payload.rows, meta: payload.meta },
            { 'X-Total-Count': String(payload.meta.total) },
          )
        : common.succeed(payload);
    },
    refuse: (refusal) =>
      refusal instanceof PlainRefusal ? plain(404, refusal.message) : common.refuse(refusal),
    outsideRoutes: () => html(404, '<!DOCTYPE html>\n<title>Error</title>\n<pre>Not Found</pre>\n'),
  };
};
