import { createOneOrList } from './one-or-list.ts';
import type { Upstream } from './upstream/index.ts';
import type {
  OrganizationRecord,
  PipeRecord,
  ServiceRecord,
} from './upstream/management/records.ts';
import type { AlertRecord, DashboardRecord } from './upstream/observability/records.ts';

/** Where a service's pipes live. */
export interface ServiceScope {
  readonly organizationId: string;
  readonly serviceId: string;
}

/**
 * Reads of one thing where many become fewer calls (design, section 5), and what is found inside a
 * list. Lifetime: one request. Lists themselves, and reads that nothing can join, are the client's.
 */
export interface Loaders {
  organization(id: string): Promise<OrganizationRecord>;
  service(organizationId: string, id: string): Promise<ServiceRecord>;
  pipe(service: ServiceScope, id: string): Promise<PipeRecord>;
  dashboard(id: string): Promise<DashboardRecord>;
  alert(id: string): Promise<AlertRecord>;
  /** The alerts that name a dashboard, from the one list. */
  alertsOf(dashboardId: string): Promise<readonly AlertRecord[]>;
}

/** Makes a thing when it is first asked for: most requests need one loader or two. */
const lazily = <Value>(make: () => Value): (() => Value) => {
  let made: Value | undefined;
  return () => {
    made ??= make();
    return made;
  };
};

export const createLoaders = (upstream: Upstream): Loaders => {
  const organization = lazily(() =>
    createOneOrList<null, OrganizationRecord>({
      key: () => '',
      one: (_, organizationId) => upstream.management.getOrganization({ organizationId }),
      list: () => upstream.management.listOrganizations(),
      heldOne: (_, organizationId) =>
        upstream.management.held('getOrganization', { organizationId }),
      heldList: () => upstream.management.held('listOrganizations', {}),
    }),
  );

  const service = lazily(() =>
    createOneOrList<string, ServiceRecord>({
      key: (organizationId) => organizationId,
      one: (organizationId, serviceId) =>
        upstream.management.getService({ organizationId, serviceId }),
      list: (organizationId) => upstream.management.listServices({ organizationId }),
      heldOne: (organizationId, serviceId) =>
        upstream.management.held('getService', { organizationId, serviceId }),
      heldList: (organizationId) => upstream.management.held('listServices', { organizationId }),
    }),
  );

  const pipe = lazily(() =>
    createOneOrList<ServiceScope, PipeRecord>({
      key: ({ organizationId, serviceId }) => `${organizationId}/${serviceId}`,
      one: (scope, pipeId) => upstream.management.getPipe({ ...scope, pipeId }),
      list: (scope) => upstream.management.listPipes(scope),
      heldOne: (scope, pipeId) => upstream.management.held('getPipe', { ...scope, pipeId }),
      heldList: (scope) => upstream.management.held('listPipes', scope),
    }),
  );

  const dashboard = lazily(() =>
    createOneOrList<null, DashboardRecord>({
      key: () => '',
      one: (_, dashboardId) => upstream.observability.getDashboard({ dashboardId }),
      list: () => upstream.observability.listDashboards(),
      heldOne: (_, dashboardId) => upstream.observability.held('getDashboard', { dashboardId }),
      heldList: () => upstream.observability.held('listDashboards', {}),
    }),
  );

  const alert = lazily(() =>
    createOneOrList<null, AlertRecord>({
      key: () => '',
      one: (_, alertId) => upstream.observability.getAlert({ alertId }),
      list: () => upstream.observability.listAlerts(),
      heldOne: (_, alertId) => upstream.observability.held('getAlert', { alertId }),
      heldList: () => upstream.observability.held('listAlerts', {}),
    }),
  );

  /** Each list is grouped once, however many dashboards and tiles ask. */
  const groups = new Map<object, ReadonlyMap<string, readonly AlertRecord[]>>();

  return {
    organization: (id) => organization()(null, id),
    service: (organizationId, id) => service()(organizationId, id),
    pipe: (scope, id) => pipe()(scope, id),
    dashboard: (id) => dashboard()(null, id),
    alert: (id) => alert()(null, id),
    alertsOf: async (dashboardId) => {
      const alerts = await upstream.observability.listAlerts();
      const grouped = groups.get(alerts) ?? Map.groupBy(alerts, (item) => item.dashboard ?? '');
      groups.set(alerts, grouped);
      return grouped.get(dashboardId) ?? [];
    },
  };
};
