import type {
  DashboardFilter,
  DashboardMenuResolvers,
  DashboardOrderField,
  DashboardResolvers,
  MutationResolvers,
  QueryResolvers,
  TileResolvers,
  TileSeriesResolvers,
} from '../generated/schema.ts';
import { oncePerList } from '../loaders/one-or-list.ts';
import type { Context } from '../request/context.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import { type InStack, stack } from '../upstream/observability/clickstack.ts';
import {
  checkDashboardChanges,
  dashboardReplacementOf,
} from '../upstream/observability/dashboard-replacement.ts';
import { checkHiddenAlerts, checkHiddenTiles } from '../upstream/observability/hidden-tiles.ts';
import type { AlertRecord } from '../upstream/observability/rows/alert.ts';
import type { DashboardRecord } from '../upstream/observability/rows/dashboard.ts';
import { selectAlerts } from './alert.ts';
import { apart, beside, givenIn, newIn, pathOf, serviceOf } from './clickstack.ts';
import { findDashboard, findLinkedDashboard, findService, linkedIn, tilesOf } from './entities.ts';
import { allOf, contains, hasOneOf, where } from './filter.ts';
import { mutation, update } from './mutation.ts';
import { textKey } from './order.ts';
import { createSelect } from './select.ts';
import type { RootsOf } from './values.ts';
import { asList } from './values.ts';

export const selectDashboards = createSelect<DashboardRecord, DashboardFilter, DashboardOrderField>(
  {
    prepare: (filter) =>
      allOf<DashboardRecord>(
        where(({ name }) => name, filter.nameContains, contains),
        where(({ tags }) => tags, filter.tagIn, hasOneOf),
      ),
    keys: { NAME: ({ name }) => textKey(name) },
  },
);

export const Query: RootsOf<QueryResolvers, 'dashboards' | 'dashboard'> = {
  dashboards: async (_, args, context) =>
    selectDashboards(
      await givenIn(args, context, { operation: 'listDashboards' }).listDashboards(),
      args,
      context,
    ),
  dashboard: (_, { dashboardId, ...args }, context, info) =>
    findDashboard(
      { dashboardId, ...serviceOf(args, context, { operation: 'getDashboard' }) },
      context,
      info,
    ),
};

const byDashboard = oncePerList((alerts: readonly AlertRecord[]) =>
  Map.groupBy(alerts, ({ dashboard }) => dashboard ?? ''),
);

/** The alerts of a dashboard, from the list of all alerts. */
const alertsOf = async (
  dashboardId: string,
  besides: InStack,
  context: Context,
): Promise<readonly AlertRecord[]> =>
  byDashboard(await beside(besides, context).listAlerts()).get(dashboardId) ?? [];

export const Dashboard: DashboardResolvers = {
  nodeId: ({ id, [stack]: service }) => encodeNodeId('Dashboard', ...pathOf(service), id),
  tiles: (dashboard) => asList(dashboard.tiles) && tilesOf(dashboard),
  alerts: async (dashboard, args, context) =>
    selectAlerts(await alertsOf(dashboard.id, dashboard, context), args, context),
  service: ({ [stack]: service }, _, context, info) => {
    if (!service) throw apart(context, 'getService');
    return findService(service, context, info);
  },
};

export const DashboardMenu: DashboardMenuResolvers = {
  isBroadcastEnabled: ({ isBroadcastEnabled }) => isBroadcastEnabled ?? true,
  isVariableEnabled: ({ isVariableEnabled }) => isVariableEnabled ?? false,
};

const byTile = oncePerList((alerts: readonly AlertRecord[]) =>
  Map.groupBy(alerts, ({ tileId }) => tileId),
);

/** Some services allow positions between two grid units. */
const wholeUnits = (units: number | null | undefined): number | null | undefined =>
  typeof units === 'number' ? Math.round(units) : units;

export const Tile: TileResolvers = {
  nodeId: ({ id, dashboardId, [stack]: service }) =>
    encodeNodeId('Tile', ...pathOf(service), dashboardId, id),
  x: ({ x }) => wholeUnits(x),
  y: ({ y }) => wholeUnits(y),
  w: ({ w }) => wholeUnits(w),
  h: ({ h }) => wholeUnits(h),
  dashboard: ({ dashboardId, [stack]: service }, _, context, info) =>
    findLinkedDashboard({ dashboardId, ...service }, context, info),
  // Tile identifiers may be unique only within their dashboard.
  alerts: async (tile, args, context) => {
    const alerts = await alertsOf(tile.dashboardId, tile, context);
    return selectAlerts(byTile(alerts).get(tile.id) ?? [], args, context);
  },
};

export const TileSeries: TileSeriesResolvers = {
  source: (series, _, context) =>
    linkedIn(series.sourceId, () => beside(series, context).listDataSources()),
};

/** The members of a new dashboard that a service may set by itself. Others are unset if its answer lacks them. */
const setByUpstreams = { name: '', tiles: [], tags: [] };

export const Mutation: RootsOf<
  MutationResolvers,
  'createDashboard' | 'validateDashboard' | 'updateDashboard' | 'deleteDashboard'
> = {
  createDashboard: mutation<'createDashboard'>(async ({ service, ...body }, context) => {
    const observability = newIn({ service }, context, 'createDashboard');
    return { dashboard: await observability.createDashboard(body), before: setByUpstreams };
  }),
  validateDashboard: mutation<'validateDashboard'>(async ({ service, ...body }, context) => {
    const of = { operation: 'validateDashboard', write: true };
    const { valid, errors } = await givenIn({ service }, context, of).validateDashboard(body);
    return { isValid: valid, problems: errors };
  }),
  updateDashboard: update<'updateDashboard'>(
    async ({ dashboardId, service, ...changes }, context) => {
      const observability = givenIn({ service }, context, {
        operation: 'replaceDashboard',
        write: true,
      });
      observability.requireInProfile('replaceDashboard');
      checkDashboardChanges(changes);
      const read = await observability.fresh('getDashboard', { dashboardId });
      const body = dashboardReplacementOf(read, changes);
      if (!changes.mayResetTiles) checkHiddenTiles(read);
      if (!changes.tiles) {
        checkHiddenAlerts(dashboardId, read, await observability.fresh('listAlerts', {}));
      }
      context.plan?.comparesWith(dashboardReplacementOf(read, {}));
      const dashboard = await observability.replaceDashboard({ dashboardId }, body);
      return { dashboard: { ...dashboard, id: dashboardId }, before: read };
    },
  ),
  deleteDashboard: mutation<'deleteDashboard'>(async ({ dashboardId, service }, context) => {
    const observability = givenIn({ service }, context, {
      operation: 'deleteDashboard',
      write: true,
    });
    await observability.deleteDashboard({ dashboardId });
    return { deletedDashboardId: dashboardId };
  }),
};
