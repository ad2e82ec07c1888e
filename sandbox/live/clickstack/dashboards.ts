import type { Route } from '../../routes.ts';
import type { LiveDashboard } from '../observability/dashboard-shapes.ts';
import { Bare, dashboardRoutes as hyperdxRoutes } from '../observability/dashboards.ts';
import { type ClickStack, type ClickStacks, listed } from './state.ts';

/** A dashboard with nulls where HyperDX omits a member. */
const shown = ({ tiles, ...dashboard }: LiveDashboard) => ({
  ...{ savedQuery: null, savedQueryLanguage: null, savedFilterValues: null },
  ...dashboard,
  tiles: tiles.map((tile) => ({ containerId: null, tabId: null, ...tile })),
});

const isDashboard = (value: unknown): value is LiveDashboard =>
  typeof value === 'object' && value !== null && 'tiles' in value;

/** The operations on dashboards: those of HyperDX with pages, nulls, and an envelope for all. */
export const dashboardRoutes = (stacks: ClickStacks): readonly Route<ClickStack>[] =>
  hyperdxRoutes(stacks).map(
    ({ method, path, handle }): Route<ClickStack> => ({
      method,
      path: path.replace('/api/v2', ''),
      handle: (call) => {
        const answer = handle(call);
        if (answer instanceof Bare) return answer.content;
        if (Array.isArray(answer)) return listed(call, answer.filter(isDashboard).map(shown));
        return isDashboard(answer) ? shown(answer) : answer;
      },
    }),
  );
