import { cloud, hyperdx } from '../profiles/rows.ts';
import type { useSandboxStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import type { Members } from './agent.ts';

export const organizationId = withIds('organization-1');
export const inService = { organizationId, serviceId: withIds('service-3') };
export const failed = { ...inService, pipeId: withIds('pipe-5') };
export const running = { ...inService, pipeId: withIds('pipe-23') };
export const alertId = 'a1e400000000000000000001';
const unnamed = 'a1e400000000000000000008';
const dashboardId = 'da5b00000000000000000001';

/** Each tool that reads: arguments that work in the demo, and a part of what it answers. */
export const reads: Readonly<Record<string, readonly [given: Members, part: string]>> = {
  list_organizations: [{}, '"organizations":[{'],
  list_services: [{ organizationId, nameContains: 'stag' }, '"name":"staging"'],
  get_service: [inService, '"endpoints":[{'],
  list_pipes: [{ organizationId, phaseIn: ['FAILED'] }, '"service":{"id":'],
  get_pipe: [failed, '"kind":"KafkaSource"'],
  list_alerts: [{ phaseIn: ['FIRING'], silenced: true }, '"name":"Consumer lag"'],
  get_alert: [{ alertId }, '"dashboard":{"id":"da5b'],
  list_dashboards: [{ tagIn: ['shop'] }, '"name":"Checkout"'],
  get_dashboard: [{ dashboardId }, '"tiles":[{'],
  list_data_sources: [{}, '"name":"Logs"'],
  list_webhooks: [{}, '"name":"On call"'],
  list_saved_searches: [{}, '"source":{"id"'],
  get_attention: [{ organizationId }, '"failedPipes":{"items":[{'],
  get_cost: [{ organizationId, fromDate: '2026-11-01', toDate: '2026-11-07' }, '"byService":[{'],
  list_activities: [{ organizationId, typeIn: ['service_start'] }, '"activities":['],
  list_backups: [{ organizationId, first: 1 }, '"backups":[{'],
  list_api_keys: [{ organizationId }, '"lastUsedAt":'],
};

/** The tools whose calls are no operations of operations/agents/. */
export const others: readonly string[] = ['query', 'search_schema', 'wait_for'];

const state = `PATCH /v1/organizations/${organizationId}/services/${inService.serviceId}`;
const idle = { organizationId, serviceId: withIds('service-2') };
const failedNames = { confirmName: 'clickstream (staging)', confirmServiceName: 'staging' };
export const runningNames = { confirmName: 'profiles (MongoDB)', confirmServiceName: 'staging' };
/** Each tool that writes: arguments, the present names, its write, and a part of the answer. */
export const writes: readonly (readonly [string, Members, Members, string, RegExp])[] = [
  [
    ...(['start_pipe', failed, failedNames] as const),
    `${state}/clickpipes/${failed.pipeId}/state`,
    /^\{"before":\{"state":"Failed","phase":"FAILED"\},"startPipe":\{.*"state":/,
  ],
  [
    ...(['stop_pipe', running, runningNames] as const),
    `${state}/clickpipes/${running.pipeId}/state`,
    /^\{"before":\{"state":"Degraded","phase":"RUNNING"\},"stopPipe":\{.*"state":/,
  ],
  [
    ...(['resync_pipe', running, runningNames] as const),
    `${state}/clickpipes/${running.pipeId}/state`,
    /^\{"before":\{"state":"Paused".*"resyncPipe":\{.*"state":/,
  ],
  [
    ...(['stop_service', inService, { confirmName: 'staging' }, `${state}/state`] as const),
    /^\{"before":\{"state":"running","phase":"RUNNING"\}.*"stopService":\{.*"state":/,
  ],
  [
    ...(['start_service', inService, { confirmName: 'staging' }, `${state}/state`] as const),
    /^\{"before":\{"state":"stopped","phase":"STOPPED"\}.*"startService":\{.*"state":/,
  ],
  [
    ...(['wake_service', idle, { confirmName: 'reporting (read-only replica)' }] as const),
    `${state.replace(inService.serviceId, idle.serviceId)}/state`,
    /^\{"before":\{"state":"idle","phase":"IDLE"\}.*"wakeService":\{.*"state":/,
  ],
  [
    'update_alert_threshold',
    { alertId: unnamed, threshold: 7 },
    { confirmName: 'Orders', confirmWatchedName: 'Checkout' },
    `PUT /api/v2/alerts/${unnamed}`,
    /^\{"before":\{"threshold":100\},"updateAlert":\{.*"threshold":7/,
  ],
];

/** The gateway with both profiles, in front of the sandbox. */
export const optionsOf = (config: object = {}, fleetSize = 0) => ({
  config: { ...cloud, ...hyperdx, mcp: 'write', ...config } as const,
  // Each write is carried out at once: the next one needs its state.
  sandbox: { profile: 'live', fleetSize, transitionMs: 0 } as const,
});
export const credentialsIn = ({
  sandbox: {
    credentials: { management, observability },
  },
}: Pick<ReturnType<typeof useSandboxStack>, 'sandbox'>) => ({
  'management-authorization': management.admin.header,
  'observability-authorization': observability.main.header,
});
