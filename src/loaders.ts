import { type Collection, createOneOrList, type Find } from './one-or-list.ts';
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

/** A collection that an upstream holds, read through a request's own client. */
type Read<Scope, Item extends { readonly id: string }> = Collection<Upstream, Scope, Item>;

const organizations: Read<null, OrganizationRecord> = {
  key: () => '',
  one: ({ management }, _, organizationId) => management.getOrganization({ organizationId }),
  list: ({ management }, _) => management.listOrganizations(),
  holdsOne: ({ management }, _, organizationId) =>
    management.holds('getOrganization', { organizationId }),
  holdsList: ({ management }) => management.holds('listOrganizations', {}),
};

const services: Read<string, ServiceRecord> = {
  key: (organizationId) => organizationId,
  one: ({ management }, organizationId, serviceId) =>
    management.getService({ organizationId, serviceId }),
  list: ({ management }, organizationId) => management.listServices({ organizationId }),
  holdsOne: ({ management }, organizationId, serviceId) =>
    management.holds('getService', { organizationId, serviceId }),
  holdsList: ({ management }, organizationId) =>
    management.holds('listServices', { organizationId }),
};

const pipes: Read<ServiceScope, PipeRecord> = {
  key: ({ organizationId, serviceId }) => `${organizationId}/${serviceId}`,
  one: ({ management }, scope, pipeId) => management.getPipe({ ...scope, pipeId }),
  list: ({ management }, scope) => management.listPipes(scope),
  holdsOne: ({ management }, scope, pipeId) => management.holds('getPipe', { ...scope, pipeId }),
  holdsList: ({ management }, scope) => management.holds('listPipes', scope),
};

const dashboards: Read<null, DashboardRecord> = {
  key: () => '',
  one: ({ observability }, _, dashboardId) => observability.getDashboard({ dashboardId }),
  list: ({ observability }, _) => observability.listDashboards(),
  holdsOne: ({ observability }, _, dashboardId) =>
    observability.holds('getDashboard', { dashboardId }),
  holdsList: ({ observability }) => observability.holds('listDashboards', {}),
};

const alerts: Read<null, AlertRecord> = {
  key: () => '',
  one: ({ observability }, _, alertId) => observability.getAlert({ alertId }),
  list: ({ observability }, _) => observability.listAlerts(),
  holdsOne: ({ observability }, _, alertId) => observability.holds('getAlert', { alertId }),
  holdsList: ({ observability }) => observability.holds('listAlerts', {}),
};

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
    this.#organization ??= createOneOrList(organizations, this.#upstream);
    return this.#organization(null, id, alone);
  }

  service(organizationId: string, id: string, alone: boolean): Promise<ServiceRecord> {
    this.#service ??= createOneOrList(services, this.#upstream);
    return this.#service(organizationId, id, alone);
  }

  pipe(service: ServiceScope, id: string, alone: boolean): Promise<PipeRecord> {
    this.#pipe ??= createOneOrList(pipes, this.#upstream);
    return this.#pipe(service, id, alone);
  }

  dashboard(id: string, alone: boolean): Promise<DashboardRecord> {
    this.#dashboard ??= createOneOrList(dashboards, this.#upstream);
    return this.#dashboard(null, id, alone);
  }

  alert(id: string, alone: boolean): Promise<AlertRecord> {
    this.#alert ??= createOneOrList(alerts, this.#upstream);
    return this.#alert(null, id, alone);
  }

  async alertsOf(dashboardId: string): Promise<readonly AlertRecord[]> {
    const all = await this.#upstream.observability.listAlerts();
    this.#groups ??= new Map();
    const grouped = this.#groups.get(all) ?? Map.groupBy(all, (item) => item.dashboard ?? '');
    this.#groups.set(all, grouped);
    return grouped.get(dashboardId) ?? [];
  }
}

export const createLoaders = (upstream: Upstream): Loaders => new RequestLoaders(upstream);
