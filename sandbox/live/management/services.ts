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
import type { Route } from '../../routes.ts';
import { object, oneOf } from '../../rules.ts';
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
const liveService = (state: CloudState, { record, kind, paid, tags }: ServiceEntry<unknown>) => {
  const { engineVersion, ...service } = record;
  return {
    ...service,
    clickhouseVersion: engineVersion,
    provider: 'aws',
    region: regionOf(record),
    state: currentServiceState(state, record.id),
    tier: kind,
    autoscalingMode: 'vertical',
    releaseChannel: 'default',
    profile: 'v1-default',
    tags: tags ?? [
      { key: 'owner', value: paid ? 'data-platform' : 'sales' },
      { key: 'environment', value: kind },
    ],
    enableCoreDumps: true,
    currentScaling: {
      effectiveAutoscalingMode: 'vertical',
      effectiveMinReplicaMemoryGb: record.minReplicaMemoryGb,
      effectiveMaxReplicaMemoryGb: record.maxReplicaMemoryGb,
    },
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

  route('GET', '/v1/organizations/{organizationId}/services/{serviceId}', (call) =>
    liveService(state, findService(state, call)),
  ),

  route('PATCH', '/v1/organizations/{organizationId}/services/{serviceId}/scaling', (call) => {
    const entry = findService(state, call);
    scale(entry, call.body);
    return liveService(state, entry);
  }),

  route('PATCH', '/v1/organizations/{organizationId}/services/{serviceId}/state', (call) => {
    const entry = findService(state, call);
    command(state, entry.record.id, call.body);
    return liveService(state, entry);
  }),

  ...referenceRoutes(state),
];
