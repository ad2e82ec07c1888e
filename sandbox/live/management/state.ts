import type { ApiKey, ManagementState, ServiceEntry, Tag } from '../../management/state.ts';
import { findService, notRunning } from '../../management/state.ts';
import type { Call } from '../../routes.ts';
import { world } from '../../world/ids.ts';
import { createManagementState } from '../../world.ts';
import { type Activity, mainActivities } from '../world/activities.ts';
import { type Backup, backupsOf } from '../world/backups.ts';
import { type Entity, entitiesOf } from '../world/costs.ts';
import { furtherPipes } from '../world/further-pipes.ts';
import { furtherKeys } from '../world/keys.ts';
import { mainNotifications, type Notification } from '../world/notifications.ts';
import { livePipe } from '../world/pipes.ts';
import { archive } from '../world/services.ts';
import type { LivePipe } from './pipe-shapes.ts';

/** The state of a service, and its next state from the time `at` on, in milliseconds. */
export type ServiceState = {
  readonly state: string;
  readonly change?: { readonly to: string; readonly at: number };
};

/** Changeable members of an organization that are not in the documented interfaces. */
export type OrganizationExtras = {
  readonly enableCoreDumps: boolean;
  /** By the identifier of a private endpoint. */
  readonly endpoints: ReadonlyMap<
    string,
    { readonly cloudProvider?: string; readonly region?: string }
  >;
};

/** Changeable members of a service that are not in the documented interfaces. */
export type ServiceExtras = {
  readonly tags?: readonly Tag[];
  readonly releaseChannel?: string;
  readonly enableCoreDumps?: boolean;
  readonly autoscalingMode?: string;
  readonly minReplicas?: number;
  readonly maxReplicas?: number;
};

/** What the pipes of a service that copy changes of a database share. */
export type CdcScaling = {
  readonly replicaCpuMillicores: number;
  readonly replicaMemoryGb: number;
};

/** The whole state of ClickHouse Cloud. */
export type CloudState = ManagementState<LivePipe> & {
  /** By the identifier of the service; an absent service runs. */
  readonly serviceStates: Map<string, ServiceState>;
  /** By the identifier of the organization. */
  readonly extras: Map<string, OrganizationExtras>;
  /** By the identifier of the service. */
  readonly serviceExtras: Map<string, ServiceExtras>;
  /** By the identifier of the service, once it has been changed. */
  readonly cdcScalings: Map<string, CdcScaling>;
  /** By the identifier of the organization: the objects that it had at the start, so that writes do not change past costs. */
  readonly withCosts: ReadonlyMap<string, readonly Entity[]>;
  /** By the identifier of the organization, newest first. */
  readonly activities: Map<string, readonly Activity[]>;
  /** By the identifier of the organization, newest first. */
  readonly notifications: Map<string, readonly Notification[]>;
  /** By the identifier of the service: the backups at the start, so that writes do not change them. */
  readonly backups: ReadonlyMap<string, readonly Backup[]>;
};

// The service's state, which commands change, says whether it sleeps.
const liveService = ({ isAsleep: _, ...entry }: ServiceEntry): ServiceEntry<LivePipe> => {
  const own = [...entry.pipes.values()].map(({ record }) => livePipe(record));
  const further = furtherPipes.filter(({ serviceId }) => serviceId === entry.record.id);
  return {
    ...entry,
    pipes: new Map([...own, ...further].map((record) => [record.id, { record }])),
  };
};

/**
 * The initial state of ClickHouse Cloud: the documented world in its dialect, a pipe for each additional kind of source, and
 * sleeping services.
 */
export const createCloudState = (
  clock: () => Date,
  transitionMs: number,
  fleetSize: number,
): CloudState => {
  const state = createManagementState(clock, transitionMs, fleetSize);
  const startedAt = clock();
  const asleep = [...state.organizations.values()]
    .flatMap(({ services }) => [...services.values()])
    .filter(({ isAsleep }) => isAsleep)
    .map(({ record }) => record.id);
  const organizations = new Map(
    [...state.organizations].map(([id, organization]) => {
      const further = id === world.management.second.organizationId ? [archive] : [];
      const services = [...organization.services.values(), ...further].map(liveService);
      const byId = new Map(services.map((service) => [service.record.id, service]));
      return [id, { ...organization, services: byId }] as const;
    }),
  );
  return {
    ...state,
    organizations,
    withCosts: new Map([...organizations].map(([id, each]) => [id, entitiesOf(each)])),
    serviceStates: new Map(
      [world.management.main.services.reporting, archive.record.id, ...asleep].map((id) => [
        id,
        { state: 'idle' },
      ]),
    ),
    extras: new Map(),
    serviceExtras: new Map(),
    cdcScalings: new Map(),
    keys: new Map([
      ...state.keys,
      ...furtherKeys(startedAt).map((key) => [key.idHash, key] as const),
    ]),
    notifications: new Map([[world.management.main.organizationId, mainNotifications(startedAt)]]),
    activities: new Map([[world.management.main.organizationId, mainActivities(startedAt)]]),
    backups: new Map(
      [...organizations.values()]
        .flatMap(({ services }) => [...services.values()])
        .map((service) => [service.record.id, backupsOf(service, startedAt)]),
    ),
  };
};

/** The state that a read shows now. */
export const currentServiceState = (
  { serviceStates, clock }: CloudState,
  serviceId: string,
): string => {
  const { state, change } = serviceStates.get(serviceId) ?? { state: 'running' };
  return change && clock().getTime() >= change.at ? change.to : state;
};

/** The service of the path, if it runs: pipes of other services cannot even be read. */
export const findRunningService = (
  state: CloudState,
  call: Call<ApiKey, 'organizationId' | 'serviceId'>,
): ServiceEntry<LivePipe> => {
  const service = findService(state, call);
  const current = currentServiceState(state, service.record.id);
  if (current !== 'running') {
    throw notRunning(current);
  }
  return service;
};
