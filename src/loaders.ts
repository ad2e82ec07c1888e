import { createOneOrList, type Find } from './one-or-list.ts';
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
 * For `alone` see `Find`.
 */
export interface Loaders {
  organization(id: string, alone: boolean): Promise<OrganizationRecord>;
  service(organizationId: string, id: string, alone: boolean): Promise<ServiceRecord>;
  pipe(service: ServiceScope, id: string, alone: boolean): Promise<PipeRecord>;
  dashboard(id: string, alone: boolean): Promise<DashboardRecord>;
  alert(id: string, alone: boolean): Promise<AlertRecord>;
  /** The alerts that name a dashboard, from the one list. */
  alertsOf(dashboardId: string): Promise<readonly AlertRecord[]>;
}

/** Each loader is made when it is first asked for: most requests need one or two. */
class RequestLoaders implements Loaders {
  readonly #upstream: Upstream;
  #organization: Find<null, OrganizationRecord> | undefined;
  #service: Find<string, ServiceRecord> | undefined;
  #pipe: Find<ServiceScope, PipeRecord> | undefined;
  #dashboard: Find<null, DashboardRecord> | undefined;
  #alert: Find<null, AlertRecord> | undefined;
  /** Each list is grouped once, however many dashboards and tiles ask. */
  #groups: Map<object, ReadonlyMap<string, readonly AlertRecord[]>> | undefined;

  constructor(upstream: Upstream) {
    this.#upstream = upstream;
  }

  organization(id: string, alone: boolean): Promise<OrganizationRecord> {
    const { management } = this.#upstream;
    this.#organization ??= createOneOrList({
      key: () => '',
      one: (_, organizationId) => management.getOrganization({ organizationId }),
      list: () => management.listOrganizations(),
      heldOne: (_, organizationId) => management.held('getOrganization', { organizationId }),
      heldList: () => management.held('listOrganizations', {}),
    });
    return this.#organization(null, id, alone);
  }

  service(organization: string, id: string, alone: boolean): Promise<ServiceRecord> {
    const { management } = this.#upstream;
    this.#service ??= createOneOrList({
      key: (organizationId) => organizationId,
      one: (organizationId, serviceId) => management.getService({ organizationId, serviceId }),
      list: (organizationId) => management.listServices({ organizationId }),
      heldOne: (organizationId, serviceId) =>
        management.held('getService', { organizationId, serviceId }),
      heldList: (organizationId) => management.held('listServices', { organizationId }),
    });
    return this.#service(organization, id, alone);
  }

  pipe(service: ServiceScope, id: string, alone: boolean): Promise<PipeRecord> {
    const { management } = this.#upstream;
    this.#pipe ??= createOneOrList({
      key: ({ organizationId, serviceId }) => `${organizationId}/${serviceId}`,
      one: (scope, pipeId) => management.getPipe({ ...scope, pipeId }),
      list: (scope) => management.listPipes(scope),
      heldOne: (scope, pipeId) => management.held('getPipe', { ...scope, pipeId }),
      heldList: (scope) => management.held('listPipes', scope),
    });
    return this.#pipe(service, id, alone);
  }

  dashboard(id: string, alone: boolean): Promise<DashboardRecord> {
    const { observability } = this.#upstream;
    this.#dashboard ??= createOneOrList({
      key: () => '',
      one: (_, dashboardId) => observability.getDashboard({ dashboardId }),
      list: () => observability.listDashboards(),
      heldOne: (_, dashboardId) => observability.held('getDashboard', { dashboardId }),
      heldList: () => observability.held('listDashboards', {}),
    });
    return this.#dashboard(null, id, alone);
  }

  alert(id: string, alone: boolean): Promise<AlertRecord> {
    const { observability } = this.#upstream;
    this.#alert ??= createOneOrList({
      key: () => '',
      one: (_, alertId) => observability.getAlert({ alertId }),
      list: () => observability.listAlerts(),
      heldOne: (_, alertId) => observability.held('getAlert', { alertId }),
      heldList: () => observability.held('listAlerts', {}),
    });
    return this.#alert(null, id, alone);
  }

  async alertsOf(dashboardId: string): Promise<readonly AlertRecord[]> {
    const alerts = await this.#upstream.observability.listAlerts();
    this.#groups ??= new Map();
    const grouped = this.#groups.get(alerts) ?? Map.groupBy(alerts, (item) => item.dashboard ?? '');
    this.#groups.set(alerts, grouped);
    return grouped.get(dashboardId) ?? [];
  }
}

export const createLoaders = (upstream: Upstream): Loaders => new RequestLoaders(upstream);
