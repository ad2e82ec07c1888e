import type { Upstream } from '../upstream/index.ts';
import type { PipeWithIds, ServiceWithIds } from '../upstream/management/operations.ts';
import type { OrganizationRecord } from '../upstream/management/records.ts';
import type { ActivitiesQuery, UsageCostQuery } from '../upstream/management/requests.ts';
import type { AlertRecord, DashboardRecord } from '../upstream/observability/records.ts';
import type { Turns } from '../yield.ts';
import { createOneOrList, oncePerList } from './one-or-list.ts';

/** A read of a request that may be started before the field that needs it is resolved. */
interface Startable<Ids, Value> {
  /** Takes the read that was started, or else reads. */
  (ids: Ids): Promise<Value>;
  /** Starts the read, so that the field that needs it does not wait as long. The field reports its failure. */
  start(ids: Ids): void;
  /** Drops reads that were started but not taken yet: a write may have changed them. */
  forget(): void;
}

/**
 * The client remembers reads, so a second call of it would be enough. But the second call would count as a second
 * field, and `Sluice-Explain` would call the read shared.
 *
 * @param keyOf gives equal strings for equal identifiers
 */
const startable = <Ids, Value>(
  keyOf: (ids: Ids) => string,
  read: (ids: Ids) => Promise<Value>,
): Startable<Ids, Value> => {
  const started = new Map<string, Promise<Value>>();

  const take = (ids: Ids): Promise<Value> => {
    const key = keyOf(ids);
    const underWay = started.get(key);
    started.delete(key);
    return underWay ?? read(ids);
  };

  const start = (ids: Ids): void => {
    const key = keyOf(ids);
    if (started.has(key)) return;
    const reading = read(ids);
    // If the parent fails, no field reports this failure, and the parent's error is enough.
    reading.catch(() => undefined);
    started.set(key, reading);
  };

  return Object.assign(take, { start, forget: () => started.clear() });
};

export interface OrganizationIds {
  readonly organizationId: string;
}
export interface ServiceIds extends OrganizationIds {
  readonly serviceId: string;
}
export interface PipeIds extends ServiceIds {
  readonly pipeId: string;
}
export interface DashboardIds {
  readonly dashboardId: string;
}
export interface AlertIds {
  readonly alertId: string;
}

const organizationOf = ({ organizationId }: OrganizationIds): string => organizationId;
const serviceOf = ({ organizationId, serviceId }: ServiceIds): string =>
  `${organizationId}/${serviceId}`;
const pipeOf = ({ pipeId, ...service }: PipeIds): string => `${serviceOf(service)}/${pipeId}`;
const daysOf = ({ from, to, ...organization }: OrganizationIds & UsageCostQuery): string =>
  `${organizationOf(organization)}/${from}/${to}`;
const timesOf = ({ from, to, ...organization }: OrganizationIds & ActivitiesQuery): string =>
  `${organizationOf(organization)}/${from ?? ''}/${to ?? ''}`;
const dashboardOf = ({ dashboardId }: DashboardIds): string => dashboardId;
const alertOf = ({ alertId }: AlertIds): string => alertId;
const theOnly = (): string => '';

const byDashboard = oncePerList((alerts: readonly AlertRecord[]) =>
  Map.groupBy(alerts, ({ dashboard }) => dashboard ?? ''),
);

/** How single items are read. All loaders of one request share this. */
const createChoices = ({ management, observability }: Upstream, turns: Turns) => ({
  organization: createOneOrList<OrganizationIds, OrganizationRecord>()(management, turns, {
    upstream: 'management',
    one: 'getOrganization',
    list: 'listOrganizations',
    id: 'organizationId',
  }),
  service: createOneOrList<ServiceIds, ServiceWithIds>()(management, turns, {
    upstream: 'management',
    one: 'getService',
    list: 'listServices',
    id: 'serviceId',
  }),
  pipe: createOneOrList<PipeIds, PipeWithIds>()(management, turns, {
    upstream: 'management',
    one: 'getPipe',
    list: 'listPipes',
    id: 'pipeId',
  }),
  dashboard: createOneOrList<DashboardIds, DashboardRecord>()(observability, turns, {
    upstream: 'observability',
    one: 'getDashboard',
    list: 'listDashboards',
    id: 'dashboardId',
  }),
  alert: createOneOrList<AlertIds, AlertRecord>()(observability, turns, {
    upstream: 'observability',
    one: 'getAlert',
    list: 'listAlerts',
    id: 'alertId',
  }),
});

/**
 * The reads of one request. Several reads of single items become one list; see `createOneOrList`. Each read can
 * be started before its field is resolved; see `Startable`.
 *
 * @param choices those of another loader of the same request, so that items of both become one list
 */
export const createLoaders = (
  upstream: Upstream,
  turns: Turns,
  choices = createChoices(upstream, turns),
) => {
  const { management, observability } = upstream;

  const reads = {
    organization: startable(organizationOf, (ids) => choices.organization(ids, management)),
    services: startable(organizationOf, (ids) => management.listServices(ids)),
    invitations: startable(organizationOf, (ids) => management.listInvitations(ids)),
    apiKeys: startable(organizationOf, (ids) => management.listApiKeys(ids)),
    usageCost: startable(daysOf, ({ organizationId, from, to }) =>
      management.getUsageCost({ organizationId }, { from, to }),
    ),
    activities: startable(timesOf, ({ organizationId, from, to }) =>
      management.listActivities({ organizationId }, { from, to }),
    ),
    service: startable(serviceOf, (ids) => choices.service(ids, management)),
    pipes: startable(serviceOf, (ids) => management.listPipes(ids)),
    backupConfiguration: startable(serviceOf, (ids) => management.getBackupConfiguration(ids)),
    backups: startable(serviceOf, (ids) => management.listBackups(ids)),
    pipe: startable(pipeOf, (ids) => choices.pipe(ids, management)),
    dashboard: startable(dashboardOf, (ids) => choices.dashboard(ids, observability)),
    linkedDashboard: startable(dashboardOf, (ids) => choices.dashboard(ids, observability, true)),
    alert: startable(alertOf, (ids) => choices.alert(ids, observability)),
    alerts: startable<void, readonly AlertRecord[]>(theOnly, () => observability.listAlerts()),
  };
  const linked = <Item extends { readonly id: string }>(list: () => Promise<readonly Item[]>) => {
    const byId = oncePerList(
      (items: readonly Item[]) => new Map(items.map((item) => [item.id, item])),
    );
    /** The item with this identifier, from the list of all; null if it does not exist any more. */
    return async (id: string): Promise<Item | null> => byId(await list()).get(id) ?? null;
  };

  return {
    ...reads,
    choices,
    /** The alerts that name a dashboard, from the list of all alerts. */
    alertsOf: async ({ dashboardId }: DashboardIds): Promise<readonly AlertRecord[]> =>
      byDashboard(await reads.alerts()).get(dashboardId) ?? [],
    dataSource: linked(() => observability.listDataSources()),
    webhook: linked(() => observability.listWebhooks()),
    savedSearch: linked(() => observability.listSavedSearches()),
    /** Must be called after a write: reads that were started before may be out of date. */
    forget: (): void => {
      for (const read of Object.values(reads)) read.forget();
    },
  };
};

export type Loaders = ReturnType<typeof createLoaders>;
