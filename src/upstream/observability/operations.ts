import { beyondDocument, del, get, post, put } from '../operation.ts';
import type { AlertRecord, DashboardRecord } from './records.ts';
import type { CreateDashboardRequest, ReplaceAlertRequest } from './requests.ts';

/** The observability interface, a row an operation. The document calls each path parameter `id`. */
export const observabilityOperations = {
  /** Tile ids are assigned by the service. */
  createDashboard: post('/api/v2/dashboards').body<CreateDashboardRequest>().one<DashboardRecord>(),

  deleteDashboard: del('/api/v2/dashboards/{dashboardId}').nothing(),

  listAlerts: get('/api/v2/alerts').list<AlertRecord>(),

  getAlert: get('/api/v2/alerts/{alertId}').one<AlertRecord>(),

  replaceAlert: put('/api/v2/alerts/{alertId}').body<ReplaceAlertRequest>().one<AlertRecord>(),

  listDashboards: beyondDocument(get('/api/v2/dashboards').list<DashboardRecord>()),

  getDashboard: beyondDocument(get('/api/v2/dashboards/{dashboardId}').one<DashboardRecord>()),
};

export type ObservabilityOperations = typeof observabilityOperations;
