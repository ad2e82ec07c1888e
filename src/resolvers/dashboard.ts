import type {
  DashboardFilter,
  DashboardResolvers,
  MutationResolvers,
  QueryResolvers,
  TileResolvers,
  TileSeriesResolvers,
} from '../generated/schema.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import {
  checkDashboardChanges,
  dashboardReplacementOf,
} from '../upstream/observability/dashboard-replacement.ts';
import { checkHiddenAlerts, checkHiddenTiles } from '../upstream/observability/hidden-tiles.ts';
import type { DashboardRecord } from '../upstream/observability/records.ts';

import { selectAlerts } from './alert.ts';
import { findDashboard, findLinkedDashboard, tilesOf } from './entities.ts';
import { mutation } from './mutation.ts';
import { inOrder, textKey } from './order.ts';
import type { RootsOf } from './values.ts';
import { asList, nameContains } from './values.ts';

const passes = ({ name, tags }: DashboardRecord, filter: DashboardFilter): boolean =>
  nameContains(name, filter.nameContains) &&
  (filter.tag === null ||
    filter.tag === undefined ||
    (Array.isArray(tags) && tags.includes(filter.tag)));

export const Query: RootsOf<QueryResolvers, 'dashboards' | 'dashboard'> = {
  dashboards: async (_, { filter, orderBy }, { upstream }) => {
    const dashboards = await upstream.observability.listDashboards();
    const found = filter ? dashboards.filter((each) => passes(each, filter)) : dashboards;
    return inOrder(found, orderBy, { NAME: ({ name }) => textKey(name) });
  },
  dashboard: (_, { id }, context, info) => findDashboard({ dashboardId: id }, context, info),
};

export const Dashboard: DashboardResolvers = {
  nodeId: ({ id }) => encodeNodeId('Dashboard', id),
  tiles: (dashboard) => asList(dashboard.tiles) && tilesOf(dashboard),
  alerts: async ({ id }, args, { loaders }) =>
    selectAlerts(await loaders.alertsOf({ dashboardId: id }), args),
};

/** Some services allow positions between two grid units. */
const wholeUnits = (units: number | null | undefined): number | null | undefined =>
  typeof units === 'number' ? Math.round(units) : units;

export const Tile: TileResolvers = {
  x: ({ x }) => wholeUnits(x),
  y: ({ y }) => wholeUnits(y),
  w: ({ w }) => wholeUnits(w),
  h: ({ h }) => wholeUnits(h),
  dashboard: ({ dashboardId }, _, context, info) =>
    findLinkedDashboard({ dashboardId }, context, info),
  // Tile identifiers may be unique only within their dashboard.
  alerts: async ({ id, dashboardId }, args, { loaders }) => {
    const alerts = await loaders.alertsOf({ dashboardId });
    return selectAlerts(
      alerts.filter(({ tileId }) => tileId === id),
      args,
    );
  },
};

export const TileSeries: TileSeriesResolvers = {
  source: ({ sourceId }, _, { loaders }) => (sourceId ? loaders.dataSource(sourceId) : null),
};

export const Mutation: RootsOf<
  MutationResolvers,
  'createDashboard' | 'updateDashboard' | 'deleteDashboard'
> = {
  createDashboard: mutation<'createDashboard'>(async (body, { upstream }) => ({
    dashboard: await upstream.observability.createDashboard(body),
  })),
  updateDashboard: mutation<'updateDashboard'>(
    async ({ dashboardId, ...changes }, { upstream: { observability } }) => {
      observability.requireInProfile('replaceDashboard');
      checkDashboardChanges(changes);
      const read = await observability.fresh('getDashboard', { dashboardId });
      const body = dashboardReplacementOf(read, changes);
      if (!changes.mayResetTiles) checkHiddenTiles(read);
      if (!changes.tiles) {
        checkHiddenAlerts(dashboardId, read, await observability.fresh('listAlerts', {}));
      }
      return { dashboard: await observability.replaceDashboard({ dashboardId }, body) };
    },
  ),
  deleteDashboard: mutation<'deleteDashboard'>(async ({ dashboardId }, { upstream }) => {
    await upstream.observability.deleteDashboard({ dashboardId });
    return { deletedDashboardId: dashboardId };
  }),
};
