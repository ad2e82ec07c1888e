import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
import { dashboardBody, type LiveDashboard } from '../observability/dashboard-shapes.ts';
import { checkSources, dashboardRoutes as hyperdxRoutes } from '../observability/dashboards.ts';
import { type ClickStack, type ClickStacks, listed, route } from './state.ts';

/** A dashboard with nulls where HyperDX omits a member. */
const shown = ({ tiles, ...dashboard }: LiveDashboard) => ({
  ...{ savedQuery: null, savedQueryLanguage: null, savedFilterValues: null },
  ...dashboard,
  tiles: tiles.map((tile) => ({ containerId: null, tabId: null, ...tile })),
});

const isDashboard = (value: unknown): value is LiveDashboard =>
  typeof value === 'object' && value !== null && 'tiles' in value;

const validate = (body: unknown, stack: ClickStack) => {
  try {
    checkSources(dashboardBody(body, '').tiles, stack);
    return { valid: true, errors: [] };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    return { valid: false, errors: [{ message: error.message }] };
  }
};

/** The operations on dashboards: those of HyperDX with pages and nulls, and the check of a body. */
export const dashboardRoutes = (stacks: ClickStacks): readonly Route<ClickStack>[] => [
  route('POST', '/dashboards/validate', ({ caller, body }) => validate(body, caller)),

  ...hyperdxRoutes(stacks).map(
    ({ method, path, handle }): Route<ClickStack> => ({
      method,
      path: path.replace('/api/v2', ''),
      handle: (call) => {
        const answer = handle(call);
        if (Array.isArray(answer)) return listed(call, answer.filter(isDashboard).map(shown));
        return isDashboard(answer) ? shown(answer) : answer;
      },
    }),
  ),
];
