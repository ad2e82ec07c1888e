import { html, json, plain } from '../answer.ts';
import type { Standing } from '../limits.ts';
import { Refusal } from '../refusal.ts';
import type { Admitted, RestInterface } from '../rest-interface.ts';
import type { Route } from '../routes.ts';
import { alertRoutes } from './alerts.ts';
import { dashboardRoutes, extendedDashboardRoutes } from './dashboards.ts';
import type { ObservabilityState, Team } from './state.ts';

/** The team of each token, and the tokens that fail on purpose. */
type Tokens<T> = Pick<ObservabilityState<T>, 'teams' | 'faults'>;

const admit = <T>(state: Tokens<T>, header: string | undefined): Admitted<T> => {
  const [, token = ''] = /^bearer +(\S+)$/i.exec(header ?? '') ?? [];
  const caller = state.teams.get(token);
  if (!caller) throw new Refusal(401, 'Unauthorized');
  return { caller, fault: state.faults.get(token) };
};

const rate = { requests: 100, windowMs: 60_000 };

const seconds = (milliseconds: number): string => String(Math.ceil(milliseconds / 1000));

const limitHeaders = ({ remaining, resetMs }: Standing): Readonly<Record<string, string>> => ({
  'RateLimit-Limit': String(rate.requests),
  'RateLimit-Remaining': String(remaining),
  'RateLimit-Reset': seconds(resetMs),
});

/**
 * An observability interface with these routes. A success is `{data}`, a failure `{message}`, except 401, which is plain
 * text. A token may make 100 requests in a minute; every answer says how many are left. On a 429, which is a sentence with
 * the type HTML, only RateLimit-Reset is the actual wait: Retry-After is the whole window.
 */
export const observabilityInterface = <T>(
  tokens: Tokens<T>,
  routes: readonly Route<T>[],
): RestInterface<T> => ({
  routes,
  authenticate: ({ headers }) => admit(tokens, headers.authorization),
  succeed: (data) => json(200, { data }),
  refuse: ({ status, message }) =>
    status === 401 ? plain(401, message) : json(status, { message }),
  rate,
  limitHeaders,
  tooMany: (standing) =>
    html(429, 'Too many requests, please try again later.', {
      ...limitHeaders(standing),
      'Retry-After': seconds(rate.windowMs),
    }),
});

/** The documented observability interface over a state. */
export const createObservability = (
  state: ObservabilityState,
  extendedReads: boolean,
): RestInterface<Team> =>
  observabilityInterface(state, [
    ...dashboardRoutes(state),
    ...alertRoutes(state),
    ...(extendedReads ? extendedDashboardRoutes : []),
  ]);
