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

export const createLoaders = ({ management, observability }: Upstream): Loaders => {
  const organization = createOneOrList<null, OrganizationRecord>({
    key: () => '',
    one: (_, organizationId) => management.getOrganization({ organizationId }),
    list: () => management.listOrganizations(),
    heldOne: (_, organizationId) => management.held('getOrganization', { organizationId }),
    heldList: () => management.held('listOrganizations', {}),
  });

  const service = createOneOrList<string, ServiceRecord>({
    key: (organizationId) => organizationId,
    one: (organizationId, serviceId) => management.getService({ organizationId, serviceId }),
    list: (organizationId) => management.listServices({ organizationId }),
    heldOne: (organizationId, serviceId) =>
      management.held('getService', { organizationId, serviceId }),
    heldList: (organizationId) => management.held('listServices', { organizationId }),
  });

  const pipe = createOneOrList<ServiceScope, PipeRecord>({
    key: ({ organizationId, serviceId }) => `${organizationId}/${serviceId}`,
    one: (scope, pipeId) => management.getPipe({ ...scope, pipeId }),
    list: (scope) => management.listPipes(scope),
    heldOne: (scope, pipeId) => management.held('getPipe', { ...scope, pipeId }),
    heldList: (scope) => management.held('listPipes', scope),
  });

  const dashboard = createOneOrList<null, DashboardRecord>({
    key: () => '',
    one: (_, dashboardId) => observability.getDashboard({ dashboardId }),
    list: () => observability.listDashboards(),
    heldOne: (_, dashboardId) => observability.held('getDashboard', { dashboardId }),
    heldList: () => observability.held('listDashboards', {}),
  });

  const alert = createOneOrList<null, AlertRecord>({
    key: () => '',
    one: (_, alertId) => observability.getAlert({ alertId }),
    list: () => observability.listAlerts(),
    heldOne: (_, alertId) => observability.held('getAlert', { alertId }),
    heldList: () => observability.held('listAlerts', {}),
  });

  /** Each list is grouped once, however many dashboards and tiles ask. */
  const groups = new WeakMap<object, ReadonlyMap<string, readonly AlertRecord[]>>();

  return {
    organization: (id) => organization(null, id),
    service,
    pipe,
    dashboard: (id) => dashboard(null, id),
    alert: (id) => alert(null, id),
    alertsOf: async (dashboardId) => {
      const alerts = await observability.listAlerts();
      const grouped = groups.get(alerts) ?? Map.groupBy(alerts, (item) => item.dashboard ?? '');
      groups.set(alerts, grouped);
      return grouped.get(dashboardId) ?? [];
    },
  };
};
