import type { UpstreamName } from '../../../src/upstream/error.ts';
import type { Request } from './simulated.ts';

/** What reads show and writes change. */
export const parts = [
  ...(['organization', 'organization 2', 'service', 'service 2', 'service 3'] as const),
  ...(['pipes', 'pipe 1', 'pipe 2', 'pipe 3', 'settings'] as const),
  ...(['dashboards', 'dashboard 1', 'dashboard 2', 'alerts', 'alert 1', 'alert 2'] as const),
] as const;

export type Part = (typeof parts)[number];

type Named = { readonly id: string; readonly name?: unknown } | undefined;

export interface ReadKind {
  readonly upstream: UpstreamName;
  /** In small letters: an upstream takes UUIDs in either case (RFC 9562). */
  readonly path: string;
  readonly shows: readonly Part[];
  readonly freshSeconds: number;
  /** Whether nothing that was read before may answer it. */
  readonly isFresh: boolean;
  /** Gives the record, or the first one of the list. */
  read(request: Request): Promise<Named>;
}

export interface WriteKind {
  readonly upstream: UpstreamName;
  readonly name: string;
  readonly changes: readonly Part[];
  write(request: Request): Promise<unknown>;
}

const upstreamOf = (path: string): UpstreamName =>
  path.startsWith('/v1') ? 'management' : 'observability';

const read = (
  path: string,
  freshSeconds: number,
  shows: readonly Part[],
  does: (request: Request) => Promise<Named | readonly Named[] | object>,
  isFresh = false,
): ReadKind => ({
  ...{ upstream: upstreamOf(path), path, shows, freshSeconds, isFresh },
  read: async (request) => {
    const found = await does(request);
    return (Array.isArray(found) ? found[0] : found) as Named;
  },
});

const write =
  (upstream: UpstreamName) =>
  (
    name: string,
    changes: readonly Part[],
    does: (request: Request) => Promise<unknown>,
  ): WriteKind => ({ upstream, name, changes, write: does });

const uuid = (last: string): string => `0a9a0000-0000-4000-8000-0000000000${last}`;
const o1 = { organizationId: uuid('0a') };
const o2 = { organizationId: uuid('02') };
const s1 = { ...o1, serviceId: uuid('0b') };
const s2 = { ...o1, serviceId: uuid('12') };
const s3 = { ...o2, serviceId: uuid('13') };
const p1 = { ...s1, pipeId: uuid('0c') };
const p2 = { ...s1, pipeId: uuid('0d') };
const p3 = { ...s2, pipeId: uuid('23') };
const p1InCapitals = { ...s1, pipeId: p1.pipeId.toUpperCase() };
const [d1, d2] = [{ dashboardId: 'd1' }, { dashboardId: 'd2' }];
const [a1, a2] = [{ alertId: 'a1' }, { alertId: 'a2' }];

const organizations = '/v1/organizations';
const services = `${organizations}/${o1.organizationId}/services`;
const pipes = `${services}/${s1.serviceId}/pipes`;
const pipes2 = `${services}/${s2.serviceId}/pipes`;
const [dashboards, alerts] = ['/api/v2/dashboards', '/api/v2/alerts'];
const allAlerts = ['alerts', 'alert 1', 'alert 2'] as const;

/** Every read that all profiles have, of things that have siblings and parents. */
export const readKinds: readonly ReadKind[] = [
  read(organizations, 10, ['organization', 'organization 2'], ({ management }) =>
    management.listOrganizations(),
  ),
  read(`${organizations}/${o1.organizationId}`, 10, ['organization'], ({ management }) =>
    management.getOrganization(o1),
  ),
  read(`${organizations}/${o2.organizationId}`, 10, ['organization 2'], ({ management }) =>
    management.getOrganization(o2),
  ),
  read(`${organizations}/${o1.organizationId}/invitations`, 30, [], ({ management }) =>
    management.listInvitations(o1),
  ),
  read(services, 5, ['service', 'service 2'], ({ management }) => management.listServices(o1)),
  read(`${organizations}/${o2.organizationId}/services`, 5, ['service 3'], ({ management }) =>
    management.listServices(o2),
  ),
  read(`${services}/${s1.serviceId}`, 5, ['service'], ({ management }) =>
    management.getService(s1),
  ),
  read(`${services}/${s2.serviceId}`, 5, ['service 2'], ({ management }) =>
    management.getService(s2),
  ),
  read(
    `${organizations}/${o2.organizationId}/services/${s3.serviceId}`,
    5,
    ['service 3'],
    ({ management }) => management.getService(s3),
  ),
  read(`${services}/${s1.serviceId}/backupconfiguration`, 30, [], ({ management }) =>
    management.getBackupConfiguration(s1),
  ),
  read(pipes, 3, ['pipes', 'pipe 1', 'pipe 2'], ({ management }) => management.listPipes(s1)),
  read(pipes2, 3, ['pipe 3'], ({ management }) => management.listPipes(s2)),
  read(`${pipes}/${p1.pipeId}`, 3, ['pipe 1'], ({ management }) => management.getPipe(p1)),
  read(`${pipes}/${p2.pipeId}`, 3, ['pipe 2'], ({ management }) => management.getPipe(p2)),
  read(`${pipes2}/${p3.pipeId}`, 3, ['pipe 3'], ({ management }) => management.getPipe(p3)),
  read(dashboards, 5, ['dashboards', 'dashboard 1', 'dashboard 2'], ({ observability }) =>
    observability.listDashboards(),
  ),
  read(`${dashboards}/d1`, 5, ['dashboard 1'], ({ observability }) =>
    observability.getDashboard(d1),
  ),
  read(`${dashboards}/d2`, 5, ['dashboard 2'], ({ observability }) =>
    observability.getDashboard(d2),
  ),
  read(alerts, 3, allAlerts, ({ observability }) => observability.listAlerts()),
  read(`${alerts}/a1`, 3, ['alert 1'], ({ observability }) => observability.getAlert(a1)),
  read(`${alerts}/a2`, 3, ['alert 2'], ({ observability }) => observability.getAlert(a2)),
];

/** The same reads in other ways: by another spelling, and past all that is kept. */
export const otherReadKinds: readonly ReadKind[] = [
  read(`${pipes}/${p1.pipeId}`, 3, ['pipe 1'], ({ management }) =>
    management.getPipe(p1InCapitals),
  ),
  read(
    `${alerts}/a1`,
    3,
    ['alert 1'],
    ({ observability }) => observability.fresh('getAlert', a1),
    true,
  ),
];

/** The reads that some profiles alone have. */
export const profileReadKinds: readonly ReadKind[] = [
  read(`${pipes}/${p1.pipeId}/settings`, 3, ['settings'], async ({ management }) => ({
    settings: await management.getPipeSettings(p1),
  })),
  read('/api/v2/sources', 30, [], ({ observability }) => observability.listDataSources()),
  read('/api/v2/webhooks', 30, [], ({ observability }) => observability.listWebhooks()),
  read('/api/v2/saved-searches', 30, [], ({ observability }) => observability.listSavedSearches()),
];

const inManagement = write('management');
const inObservability = write('observability');

/** Every write that all profiles have, and what it changes: the design's table. */
export const writeKinds: readonly WriteKind[] = [
  inManagement('updateOrganization', ['organization'], ({ management }) =>
    management.updateOrganization(o1, { name: 'new' }),
  ),
  inManagement('createApiKey', [], ({ management }) =>
    management.createApiKey(o1, { roles: ['admin'] }),
  ),
  inManagement('updateServicePassword', [], ({ management }) =>
    management.updateServicePassword(s1, {}),
  ),
  inManagement('updateServiceScaling', ['service'], ({ management }) =>
    management.updateServiceScaling(s1, { numReplicas: 3 }),
  ),
  inManagement('createPipe', ['pipes'], ({ management }) =>
    management.createPipe(s1, { source: { kafka: {} } }),
  ),
  inManagement('updatePipe', ['pipe 1'], ({ management }) =>
    management.updatePipe(p1, { name: 'new' }),
  ),
  inManagement('updatePipeState', ['pipe 1'], ({ management }) =>
    management.updatePipeState(p1InCapitals, 'stop'),
  ),
  inManagement('updatePipeState', ['pipe 2'], ({ management }) =>
    management.updatePipeState(p2, 'start'),
  ),
  inObservability('createDashboard', ['dashboards'], ({ observability }) =>
    observability.createDashboard({ name: 'new' }),
  ),
  // The alerts of a dashboard go with it; which ones, only the upstream knows.
  inObservability(
    'deleteDashboard',
    ['dashboard 1', 'dashboards', ...allAlerts],
    ({ observability }) => observability.deleteDashboard(d1),
  ),
  inObservability('replaceAlert', ['alert 1'], ({ observability }) =>
    observability.replaceAlert(a1, { name: 'new' }),
  ),
  inObservability('replaceAlert', ['alert 2'], ({ observability }) =>
    observability.replaceAlert(a2, { name: 'new' }),
  ),
];

/** The writes that some profiles alone have. */
export const profileWriteKinds: readonly WriteKind[] = [
  inManagement('scalePipe', ['pipe 1'], ({ management }) =>
    management.scalePipe(p1, { replicas: 2 }),
  ),
  inManagement('deletePipe', ['pipe 1', 'settings'], ({ management }) => management.deletePipe(p1)),
  inManagement('replacePipeSettings', ['pipe 1', 'settings'], ({ management }) =>
    management.replacePipeSettings(p1, { engine_max_threads: 2 }),
  ),
  inManagement(
    'updateServiceState',
    ['service', 'pipes', 'pipe 1', 'pipe 2', 'settings'],
    ({ management }) => management.updateServiceState(s1, 'stop'),
  ),
  inObservability(
    'replaceDashboard',
    ['dashboard 1', 'dashboards', ...allAlerts],
    ({ observability }) => observability.replaceDashboard(d1, { name: 'new' }),
  ),
  inObservability('createAlert', ['alerts'], ({ observability }) =>
    observability.createAlert({ name: 'new' }),
  ),
  inObservability('deleteAlert', ['alert 1'], ({ observability }) => observability.deleteAlert(a1)),
];
