import { isObject } from '../../is-object.ts';
import { beyondDocument, del, get, type PlaceIdentifiers, post, put } from '../operation.ts';
import type { AlertRecord, DashboardRecord } from './records.ts';
import type { CreateDashboardRequest, ReplaceAlertRequest } from './requests.ts';

/** A dashboard's tiles lead to it. */
const withTiles: PlaceIdentifiers = ({ id, tiles }, { dashboardId = id }) => {
  if (!Array.isArray(tiles)) return;
  for (const tile of tiles) {
    if (isObject(tile)) (tile as Record<string, unknown>).dashboardId = dashboardId;
  }
};

/** The observability interface, a row an operation. The document calls each path parameter `id`. */
export const observabilityOperations = {
  /** Tile ids are assigned by the service. */
  createDashboard: post('/api/v2/dashboards')
    .body<CreateDashboardRequest>()
    .one<DashboardRecord>(withTiles),

  deleteDashboard: del('/api/v2/dashboards/{dashboardId}').nothing(),

  listAlerts: get('/api/v2/alerts').list<AlertRecord>(),

  getAlert: get('/api/v2/alerts/{alertId}').one<AlertRecord>(),

  replaceAlert: put('/api/v2/alerts/{alertId}').body<ReplaceAlertRequest>().one<AlertRecord>(),

  listDashboards: beyondDocument(get('/api/v2/dashboards').list<DashboardRecord>(withTiles)),

  getDashboard: beyondDocument(
    get('/api/v2/dashboards/{dashboardId}').one<DashboardRecord>(withTiles),
  ),
};

export type ObservabilityOperations = typeof observabilityOperations;
