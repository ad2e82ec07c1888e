import { isObject } from '../../../is-object.ts';
import {
  type AddIdentifiers,
  beyondReference,
  del,
  type FurtherMembers,
  get,
  type Identified,
  post,
  put,
  type Wire,
  type WithIds,
} from '../../operation.ts';
import { type InStack, inStack } from '../clickstack.ts';
import { hyperdxProfiles, inHyperdx } from '../row-parts.ts';

/** Members of a series that are not in the documented interface. */
interface SeriesBeyondReference {
  alias: string;
  displayType: string;
  sourceId: string;
  field: string;
  level: number;
  whereLanguage: string;
  metricName: string;
  metricDataType: string;
  fields: readonly string[];
  content: string;
  connectionId: string;
  sqlTemplate: string;
}

export type SeriesRecord = Wire<{
  type: string;
  dataSource: string;
  aggFn: string;
  where: string;
  groupBy: readonly string[];
}> &
  Wire<SeriesBeyondReference> &
  InStack;

/** Not in the documented interface. */
type FormulaRecord = Wire<{ expression: string; alias: string }>;

export type TileRecord = Identified<{
  name: string;
  x: number;
  y: number;
  w: number;
  h: number;
  asRatio: boolean;
  series: readonly SeriesRecord[];
  /** Not in the documented interface: a condition for all series. */
  where: string;
  whereLanguage: string;
  /** Not in the documented interface: what is computed from the series, and whether these are shown, too. */
  formulas: readonly FormulaRecord[];
  showOperandSeries: boolean;
  /** Not in the documented interface: the content of the tile, which may be incomplete. */
  config: unknown;
}> &
  InStack;

/** The members of a tile that a service with another form of tiles reads from `config`, and takes only there. */
export const membersOfConfig = [
  'where',
  'whereLanguage',
  'formulas',
  'showOperandSeries',
] as const satisfies readonly (keyof TileRecord)[];

/** Not in the documented interface. */
export type DashboardMenuRecord = Wire<{
  id: string;
  name: string;
  type: string;
  expression: string;
  sourceId: string;
  sourceMetricType: string;
  where: string;
  whereLanguage: string;
  appliesToSourceIds: readonly string[];
  isBroadcastEnabled: boolean;
  isVariableEnabled: boolean;
  variableName: string;
}>;

/** Not in the documented interface. */
export type SavedFilterValueRecord = Wire<{
  type: string;
  condition: string;
  name: string;
  values: readonly string[];
}>;

export type DashboardRecord = Identified<{
  name: string;
  tiles: readonly WithIds<TileRecord, 'dashboardId'>[];
  tags: readonly string[];
  // not in the documented interface
  filters: readonly DashboardMenuRecord[];
  savedFilterValues: readonly SavedFilterValueRecord[];
}> &
  InStack;

type CreateDashboardRequest = Wire<{
  name: string;
  tiles: readonly Omit<TileRecord, 'id' | (typeof membersOfConfig)[number] | 'config'>[];
  tags: readonly string[];
  // not in the documented interface
  filters: readonly Omit<DashboardMenuRecord, 'id'>[];
  savedFilterValues: readonly SavedFilterValueRecord[];
}>;

/** What the check of a dashboard has found. Not in the documented interface. */
type DashboardCheckRecord = Wire<{
  valid: boolean;
  errors: readonly Wire<{ path: string; message: string }>[];
}>;

/** A tile in a change of a dashboard. A tile with an identifier exists already. */
export type TileChanges = Omit<TileRecord, 'id'> & { readonly id?: string | null | undefined };

/** The whole dashboard. */
export type ReplaceDashboardRequest = Wire<{
  name: string;
  tiles: readonly TileChanges[];
  tags: readonly string[];
}>;

/** Changes to a dashboard, and whether they may reset hidden parts of its tiles. */
export type DashboardChanges = ReplaceDashboardRequest & Wire<{ mayResetTiles: boolean }>;

const withSeries = inStack('series');
const withService = inStack();

/** Adds the dashboard's identifier to its tiles. */
const withTiles: AddIdentifiers = (dashboard, ids) => {
  withService(dashboard, ids);
  const { id, tiles } = dashboard;
  const { dashboardId = id } = ids;
  if (!Array.isArray(tiles)) return;
  for (const tile of tiles) {
    if (!isObject(tile)) continue;
    const added = tile as Record<string, unknown>;
    added.dashboardId = dashboardId;
    withSeries(added, ids);
  }
};

/** What other services would leave out without a word. */
const menus: FurtherMembers<CreateDashboardRequest> = {
  onlyIn: hyperdxProfiles,
  namesIn: ({ filters, savedFilterValues }) =>
    Object.entries({ filters, savedFilterValues }).flatMap(([name, value]) =>
      value?.length ? [name] : [],
    ),
};

export const rows = {
  getDashboard: beyondReference(
    get('/api/v2/dashboards/{dashboardId}', { freshSeconds: 5 }).one<DashboardRecord>(withTiles),
  ),

  listDashboards: beyondReference(
    get('/api/v2/dashboards', { freshSeconds: 5 }).list<DashboardRecord>(withTiles),
  ),

  /** The service assigns the identifiers of tiles. */
  createDashboard: post('/api/v2/dashboards', { changes: ['listDashboards'] })
    .body<CreateDashboardRequest>({ further: menus })
    .one<DashboardRecord>(withTiles),

  validateDashboard: inHyperdx(
    post('/api/v2/dashboards/validate', { changes: [] })
      .body<CreateDashboardRequest>()
      .bare<DashboardCheckRecord>(),
  ),

  /** A tile without its identifier becomes a new tile, and the alerts of the old tile are deleted. */
  replaceDashboard: inHyperdx(
    put('/api/v2/dashboards/{dashboardId}', {
      changes: ['getDashboard', 'listDashboards', 'getAlert', 'listAlerts'],
    })
      .body<ReplaceDashboardRequest>()
      .oneOrNone<DashboardRecord>(withTiles),
  ),

  deleteDashboard: del('/api/v2/dashboards/{dashboardId}', {
    changes: ['getDashboard', 'listDashboards', 'getAlert', 'listAlerts'],
  }).nothing(),
};
