import { UpstreamError } from '../error.ts';
import type { AlertRecord } from './rows/alert.ts';
import type { DashboardRecord } from './rows/dashboard.ts';

type Tile = NonNullable<DashboardRecord['tiles']>[number];

/** Whether the record of a tile may be incomplete: any tile in another form than series may be. */
export const isReduced = ({ config, series }: Tile): boolean =>
  (config !== undefined && config !== null) || !Array.isArray(series);

const mostNames = 10;
const longestName = 40;

const quoted = (text: string): string =>
  `"${text.length > longestName ? `${text.slice(0, longestName)}…` : text}"`;

const listed = (names: readonly string[]): string => {
  const shown = names.slice(0, mostNames).map(quoted).join(', ');
  return names.length > mostNames ? `${shown} and ${names.length - mostNames} more` : shown;
};

const wouldLose = (field: string, message: string): UpstreamError =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'replaceDashboard',
    reason: 'would-lose-data',
    write: true,
    problems: [{ field: [field], message }],
  });

/**
 * Throws if the dashboard may have more than its record shows. An update replaces all tiles by those of the record, so
 * hidden parts of tiles, and hidden tiles with their alerts, would be lost.
 */
export const checkHiddenTiles = ({ tiles }: DashboardRecord): void => {
  const all = tiles ?? [];
  const reduced = all.filter(isReduced);
  if (all.length > 0 && reduced.length === 0) return;
  const remedy = 'To update the dashboard all the same, set mayResetTiles to true.';
  if (all.length === 0) {
    const message = `The upstream shows no tile of this dashboard. Tiles that it does not show would be deleted, with their alerts. ${remedy}`;
    throw wouldLose('mayResetTiles', message);
  }
  const names = listed(reduced.map(({ id, name }) => name || id));
  const message = `The upstream may show these tiles only in part: ${names}. What it does not show of them would be reset, and tiles that it does not show at all would be deleted, with their alerts. ${remedy}`;
  throw wouldLose('mayResetTiles', message);
};

/** Throws if an alert is on a tile of the dashboard that the record does not show. */
export const checkHiddenAlerts = (
  dashboardId: string,
  { tiles }: DashboardRecord,
  alerts: readonly AlertRecord[],
): void => {
  const shown = new Set<unknown>(tiles?.map(({ id }) => id));
  const hidden = alerts.filter(
    ({ dashboard, tileId }) =>
      dashboard === dashboardId && typeof tileId === 'string' && !shown.has(tileId),
  );
  if (hidden.length === 0) return;
  const names = listed(hidden.map(({ id, name }) => name || id));
  const message = `These alerts are on tiles of the dashboard that the upstream does not show: ${names}. The update could delete the tiles and the alerts. To update the dashboard all the same, list in tiles all the tiles that it should have.`;
  throw wouldLose('tiles', message);
};
