import { createBoard } from './hyperdx-board.ts';
import { dashboardOf } from './hyperdx-dashboards.ts';
import { dashboardId, type Era, type Members } from './hyperdx-records.ts';
import { startHyperdx } from './hyperdx-stack.ts';

/** A dashboard without tiles of the editor of January 2026, which its interface cannot write. */
export const madeThrough = (era: Era): Members => ({
  ...dashboardOf[era],
  tiles: tilesOf(dashboardOf[era]).filter(({ config }) => era === 'H' || config === undefined),
});

export const dashboardPath = `/api/v2/dashboards/${dashboardId}`;
export const tilesOf = (dashboard: Members): Members[] => dashboard.tiles as Members[];

/** What a server keeps of tiles that come back with the reference's name for the kind of data as well. */
export const withoutDataSource = (dashboard: Members): unknown =>
  JSON.parse(
    JSON.stringify(dashboard, (name, value) => (name === 'dataSource' ? undefined : value)),
  );

/** The gateway before a server with one dashboard and these alerts. */
export const startBoard = async (
  era: Era,
  first = madeThrough(era),
  alerts: readonly Members[] = [],
) => {
  const board = createBoard(era, first, alerts);
  const stack = await startHyperdx(board.answering);
  const update = async (input: Members) =>
    (
      await stack.query(
        `mutation ($input: UpdateDashboardInput!) {
          updateDashboard(input: $input) {
            dashboard { id name tags tiles { id name x asRatio series { type aggFn sourceId } } }
            userErrors { code message field }
          }
        }`,
        { variables: { input: { dashboardId, ...input } } },
      )
    ).body;
  return { ...board, stack, update };
};
