import { arrival } from '../../management/pipe-state.ts';
import type { Service } from '../../management/records.ts';
import { serviceRoutes as referenceRoutes, scale } from '../../management/services.ts';
import {
  type ApiKey,
  findOrganization,
  findService,
  route,
  type ServiceEntry,
} from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
import { object, oneOf } from '../../rules.ts';
import { liveUpgradeWindows } from '../world/schedules.ts';
import { currentScalingOf, scheduleOf } from './scaling-schedule.ts';
import { createService, deleteService } from './service-create.ts';
import { scaleReplicas, tagsOf, updateBackup, updateService } from './service-update.ts';
import { type CloudState, currentServiceState } from './state.ts';

const commands = {
  start: { through: 'starting', to: 'running' },
  stop: { through: 'stopping', to: 'stopped' },
  awake: { through: 'awaking', to: 'running' },
} as const;

const commandBody = object({ command: oneOf('start', 'stop', 'awake') }, {});

// As in `production.eu-central-1.db.northwind.example`.
const regionOf = ({ endpoints }: Service): string =>
  endpoints[0]?.host.split('.')[1] ?? 'eu-central-1';

/** A service in the form of ClickHouse Cloud. */
const liveService = (state: CloudState, entry: ServiceEntry<unknown>) => {
  const { record, kind } = entry;
  const { engineVersion, minTotalMemoryGb, maxTotalMemoryGb, numReplicas, ...service } = record;
  const { autoscalingMode = 'vertical', ...extras } = state.serviceExtras.get(record.id) ?? {};
  return {
    ...service,
    ...(autoscalingMode === 'vertical' && { minTotalMemoryGb, maxTotalMemoryGb, numReplicas }),
    clickhouseVersion: engineVersion,
    provider: 'aws',
    region: regionOf(record),
    state: currentServiceState(state, record.id),
    tier: kind,
    autoscalingMode,
    releaseChannel: 'default',
    profile: 'v1-default',
    tags: tagsOf(entry),
    enableCoreDumps: true,
    ...extras,
    currentScaling: currentScalingOf(state, record),
  };
};

/** Carries out a command. A service that is already in the target state, or on its way there, does not change. */
const command = (state: CloudState, serviceId: string, body: unknown): void => {
  const { through, to } = commands[commandBody(body, '').command];
  const { state: before = 'running', change } = state.serviceStates.get(serviceId) ?? {};
  if ((change?.to ?? before) === to) return;
  state.serviceStates.set(serviceId, { state: through, change: { to, at: arrival(state) } });
};

/**
 * The operations on services, except pipes. The first row that matches a request answers, so these come before the
 * documented operations.
 */
export const serviceRoutes = (state: CloudState): readonly Route<ApiKey>[] => [
  route('GET', '/v1/organizations/{organizationId}/services', (call) =>
    [...findOrganization(state, call).services.values()].map((entry) => liveService(state, entry)),
  ),

  route('POST', '/v1/organizations/{organizationId}/services', (call) => ({
    service: liveService(state, createService(state, call)),
    password: state.sequence.word('sandbox-password'),
  })),

  route('GET', '/v1/organizations/{organizationId}/services/{serviceId}', (call) =>
    liveService(state, findService(state, call)),
  ),

  route('DELETE', '/v1/organizations/{organizationId}/services/{serviceId}', (call) =>
    deleteService(state, call),
  ),

  route('PATCH', '/v1/organizations/{organizationId}/services/{serviceId}/scaling', (call) => {
    const entry = findService(state, call);
    scale(entry, call.body);
    return liveService(state, entry);
  }),

  route('PATCH', '/v1/organizations/{organizationId}/services/{serviceId}', (call) => {
    const entry = findService(state, call);
    updateService(state, entry, call.body);
    return liveService(state, entry);
  }),

  route(
    'PATCH',
    '/v1/organizations/{organizationId}/services/{serviceId}/replicaScaling',
    (call) => {
      const entry = findService(state, call);
      scaleReplicas(state, entry, call.body);
      return liveService(state, entry);
    },
  ),

  route(
    'PATCH',
    '/v1/organizations/{organizationId}/services/{serviceId}/backupConfiguration',
    (call) => {
      const entry = findService(state, call);
      updateBackup(entry, call.body);
      return entry.backup;
    },
  ),

  route('PATCH', '/v1/organizations/{organizationId}/services/{serviceId}/state', (call) => {
    const entry = findService(state, call);
    command(state, entry.record.id, call.body);
    return liveService(state, entry);
  }),

  route('GET', '/v1/organizations/{organizationId}/services/{serviceId}/scalingSchedule', (call) =>
    scheduleOf(state, findService(state, call).record),
  ),

  route('GET', '/v1/organizations/{organizationId}/services/{serviceId}/upgradeWindow', (call) => {
    const { record } = findService(state, call);
    const window = liveUpgradeWindows[record.id];
    if (!window) throw new Refusal(404, 'no upgrade window has been configured');
    return window;
  }),

  ...referenceRoutes(state),
];
