import { isObject } from '../../is-object.ts';
import { type AddIdentifiers, beyondReference, del, get, onlyIn, post, put } from '../operation.ts';
import { hyperdxNewAlertRules } from './hyperdx-rules.ts';
import type {
  AlertRecord,
  DashboardRecord,
  DataSourceRecord,
  SavedSearchRecord,
  WebhookRecord,
} from './records.ts';
import type {
  AlertChanges,
  CreateDashboardRequest,
  ReplaceAlertRequest,
  ReplaceDashboardRequest,
} from './requests.ts';

/** Adds the dashboard's identifier to its tiles. */
const withTiles: AddIdentifiers = ({ id, tiles }, { dashboardId = id }) => {
  if (!Array.isArray(tiles)) return;
  for (const tile of tiles) {
    if (isObject(tile)) (tile as Record<string, unknown>).dashboardId = dashboardId;
  }
};

/** The observability interface, with a row for each operation. The reference calls each path parameter `id`. */
export const observabilityOperations = {
  /** The service assigns the identifiers of tiles. */
  createDashboard: post('/api/v2/dashboards', { changes: ['listDashboards'] })
    .body<CreateDashboardRequest>()
    .one<DashboardRecord>(withTiles),

  deleteDashboard: del('/api/v2/dashboards/{dashboardId}', {
    changes: ['getDashboard', 'listDashboards', 'getAlert', 'listAlerts'],
  }).nothing(),

  listAlerts: get('/api/v2/alerts', { freshSeconds: 3 }).list<AlertRecord>(),

  getAlert: get('/api/v2/alerts/{alertId}', { freshSeconds: 3 }).one<AlertRecord>(),

  replaceAlert: put('/api/v2/alerts/{alertId}', { changes: ['getAlert', 'listAlerts'] })
    .body<ReplaceAlertRequest>()
    .oneOrNone<AlertRecord>(),

  createAlert: onlyIn('hyperdx')(
    post('/api/v2/alerts', { changes: ['listAlerts'] })
      .body<AlertChanges>({ rule: hyperdxNewAlertRules })
      .one<AlertRecord>(),
  ),

  deleteAlert: onlyIn('hyperdx')(
    del('/api/v2/alerts/{alertId}', { changes: ['getAlert', 'listAlerts'] }).nothing(),
  ),

  /** A tile without its identifier becomes a new tile, and the alerts of the old tile are deleted. */
  replaceDashboard: onlyIn('hyperdx')(
    put('/api/v2/dashboards/{dashboardId}', {
      changes: ['getDashboard', 'listDashboards', 'getAlert', 'listAlerts'],
    })
      .body<ReplaceDashboardRequest>()
      .oneOrNone<DashboardRecord>(withTiles),
  ),

  listDataSources: onlyIn('hyperdx')(
    get('/api/v2/sources', { freshSeconds: 30 }).list<DataSourceRecord>(),
  ),

  listWebhooks: onlyIn('hyperdx')(
    get('/api/v2/webhooks', { freshSeconds: 30 }).list<WebhookRecord>(),
  ),

  listSavedSearches: onlyIn('hyperdx')(
    get('/api/v2/saved-searches', { freshSeconds: 30 }).list<SavedSearchRecord>(),
  ),

  listDashboards: beyondReference(
    get('/api/v2/dashboards', { freshSeconds: 5 }).list<DashboardRecord>(withTiles),
  ),

  getDashboard: beyondReference(
    get('/api/v2/dashboards/{dashboardId}', { freshSeconds: 5 }).one<DashboardRecord>(withTiles),
  ),
};

export type ObservabilityOperations = typeof observabilityOperations;
