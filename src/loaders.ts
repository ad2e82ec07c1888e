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
      list: (_, forMany) => management.rows('listOrganizations', {}, forMany),
      holdsOne: (_, organizationId) => management.holds('getOrganization', { organizationId }),
      holdsList: () => management.holds('listOrganizations', {}),
    });
    return this.#organization(null, id, alone);
  }

  service(organization: string, id: string, alone: boolean): Promise<ServiceRecord> {
    const { management } = this.#upstream;
    this.#service ??= createOneOrList({
      key: (organizationId) => organizationId,
      one: (organizationId, serviceId) => management.getService({ organizationId, serviceId }),
      list: (organizationId, forMany) =>
        management.rows('listServices', { organizationId }, forMany),
      holdsOne: (organizationId, serviceId) =>
        management.holds('getService', { organizationId, serviceId }),
      holdsList: (organizationId) => management.holds('listServices', { organizationId }),
    });
    return this.#service(organization, id, alone);
  }

  pipe(service: ServiceScope, id: string, alone: boolean): Promise<PipeRecord> {
    const { management } = this.#upstream;
    this.#pipe ??= createOneOrList({
      key: ({ organizationId, serviceId }) => `${organizationId}/${serviceId}`,
      one: (scope, pipeId) => management.getPipe({ ...scope, pipeId }),
      list: (scope, forMany) => management.rows('listPipes', scope, forMany),
      holdsOne: (scope, pipeId) => management.holds('getPipe', { ...scope, pipeId }),
      holdsList: (scope) => management.holds('listPipes', scope),
    });
    return this.#pipe(service, id, alone);
  }

  dashboard(id: string, alone: boolean): Promise<DashboardRecord> {
    const { observability } = this.#upstream;
    this.#dashboard ??= createOneOrList({
      key: () => '',
      one: (_, dashboardId) => observability.getDashboard({ dashboardId }),
      list: (_, forMany) => observability.rows('listDashboards', {}, forMany),
      holdsOne: (_, dashboardId) => observability.holds('getDashboard', { dashboardId }),
      holdsList: () => observability.holds('listDashboards', {}),
    });
    return this.#dashboard(null, id, alone);
  }

  alert(id: string, alone: boolean): Promise<AlertRecord> {
    const { observability } = this.#upstream;
    this.#alert ??= createOneOrList({
      key: () => '',
      one: (_, alertId) => observability.getAlert({ alertId }),
      list: (_, forMany) => observability.rows('listAlerts', {}, forMany),
      holdsOne: (_, alertId) => observability.holds('getAlert', { alertId }),
      holdsList: () => observability.holds('listAlerts', {}),
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
