import { isObject } from '../../is-object.ts';
import { type AddIdentifiers, beyondReference, del, get, post, put } from '../operation.ts';
import type { AlertRecord, DashboardRecord } from './records.ts';
import type { CreateDashboardRequest, ReplaceAlertRequest } from './requests.ts';

/** A dashboard's tiles lead to it. */
const withTiles: AddIdentifiers = ({ id, tiles }, { dashboardId = id }) => {
  if (!Array.isArray(tiles)) return;
  for (const tile of tiles) {
    if (isObject(tile)) (tile as Record<string, unknown>).dashboardId = dashboardId;
  }
};

/** The observability interface, a row an operation. The reference calls each path parameter `id`. */
export const observabilityOperations = {
  /** Tile ids are assigned by the service. */
  createDashboard: post('/api/v2/dashboards')
    .body<CreateDashboardRequest>()
    .one<DashboardRecord>(withTiles),

  deleteDashboard: del('/api/v2/dashboards/{dashboardId}').nothing(),

  listAlerts: get('/api/v2/alerts').list<AlertRecord>(),

  getAlert: get('/api/v2/alerts/{alertId}').one<AlertRecord>(),

  replaceAlert: put('/api/v2/alerts/{alertId}').body<ReplaceAlertRequest>().one<AlertRecord>(),

  listDashboards: beyondReference(get('/api/v2/dashboards').list<DashboardRecord>(withTiles)),

  getDashboard: beyondReference(
    get('/api/v2/dashboards/{dashboardId}').one<DashboardRecord>(withTiles),
  ),
};

export type ObservabilityOperations = typeof observabilityOperations;
