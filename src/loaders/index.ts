import type { Upstream } from '../upstream/index.ts';
import type { PipeWithIds, ServiceWithIds } from '../upstream/management/operations.ts';
import type { OrganizationRecord } from '../upstream/management/records.ts';
import type { ActivitiesQuery, UsageCostQuery } from '../upstream/management/requests.ts';
import type { AlertRecord, DashboardRecord } from '../upstream/observability/records.ts';
import type { Turns } from '../yield.ts';
import { createOneOrList, oncePerList } from './one-or-list.ts';

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

const linked = <Item extends { readonly id: string }>(list: () => Promise<readonly Item[]>) => {
  const byId = oncePerList(
    (items: readonly Item[]) => new Map(items.map((item) => [item.id, item])),
  );
  /** The item with this identifier, from the list of all; null if it does not exist any more. */
  return async (id: string): Promise<Item | null> => byId(await list()).get(id) ?? null;
};

type Choices = ReturnType<typeof createChoices>;

const createReads = ({ management, observability }: Upstream, choices: Choices) => ({
  organization: (ids: OrganizationIds) => choices.organization(ids, management),
  services: (ids: OrganizationIds) => management.listServices(ids),
  invitations: (ids: OrganizationIds) => management.listInvitations(ids),
  apiKeys: (ids: OrganizationIds) => management.listApiKeys(ids),
  usageCost: ({ organizationId, from, to }: OrganizationIds & UsageCostQuery) =>
    management.getUsageCost({ organizationId }, { from, to }),
  activities: ({ organizationId, from, to }: OrganizationIds & ActivitiesQuery) =>
    management.listActivities({ organizationId }, { from, to }),
  service: (ids: ServiceIds) => choices.service(ids, management),
  pipes: (ids: ServiceIds) => management.listPipes(ids),
  backupConfiguration: (ids: ServiceIds) => management.getBackupConfiguration(ids),
  backups: (ids: ServiceIds) => management.listBackups(ids),
  pipe: (ids: PipeIds) => choices.pipe(ids, management),
  dashboard: (ids: DashboardIds) => choices.dashboard(ids, observability),
  linkedDashboard: (ids: DashboardIds) => choices.dashboard(ids, observability, true),
  alert: (ids: AlertIds) => choices.alert(ids, observability),
  alerts: () => observability.listAlerts(),
  /** The alerts that name a dashboard, from the list of all alerts. */
  alertsOf: async ({ dashboardId }: DashboardIds): Promise<readonly AlertRecord[]> =>
    byDashboard(await observability.listAlerts()).get(dashboardId) ?? [],
  dataSource: linked(() => observability.listDataSources()),
  webhook: linked(() => observability.listWebhooks()),
  savedSearch: linked(() => observability.listSavedSearches()),
});

/** The reads of one request. Several reads of single items become one list; see `createOneOrList`. */
export type Reads = ReturnType<typeof createReads>;

export interface Loaders extends Reads {
  readonly choices: Choices;
  /** Reads before the fields that need them are resolved; see `Client.early`. */
  early(): Reads;
}

/**
 * @param choices those of another loader of the same request, so that items of both become one list
 */
export const createLoaders = (
  upstream: Upstream,
  turns: Turns,
  choices = createChoices(upstream, turns),
): Loaders => {
  let early: Reads | undefined;
  return {
    ...createReads(upstream, choices),
    choices,
    early: () => {
      const { management, observability } = upstream;
      early ??= createReads(
        { management: management.early(), observability: observability.early() },
        choices,
      );
      return early;
    },
  };
};
