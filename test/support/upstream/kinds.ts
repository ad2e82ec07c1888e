import type { UpstreamName } from '../../../src/upstream/error.ts';
import { managementOperations } from '../../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../../src/upstream/observability/operations.ts';
import type { AnyOperation } from '../../../src/upstream/operation.ts';
import { compilePath } from '../../../src/upstream/path.ts';
import type { Request } from './simulated.ts';

/** What reads show and writes change. */
export const parts = [
  ...(['organization', 'organization 2', 'service', 'service 2', 'service 3'] as const),
  ...(['pipes', 'pipe 1', 'pipe 2', 'pipe 3', 'settings'] as const),
  ...(['dashboards', 'dashboard 1', 'dashboard 2', 'alerts', 'alert 1', 'alert 2'] as const),
] as const;

export type Part = (typeof parts)[number];
type Named = { readonly id: string; readonly name?: unknown } | undefined;
type Ids = Readonly<Record<string, string>>;

interface Kind {
  readonly name: string;
  readonly upstream: UpstreamName;
}

export interface ReadKind extends Kind {
  /** In small letters: an upstream takes UUIDs in either case (RFC 9562). */
  readonly path: string;
  readonly shows: readonly Part[];
  readonly freshSeconds: number;
  /** Whether nothing that was read before may answer it. */
  readonly isFresh: boolean;
  /** Gives the record, or the first one of the list. */
  read(request: Request): Promise<Named>;
}

export interface WriteKind extends Kind {
  readonly changes: readonly Part[];
  write(request: Request): Promise<unknown>;
}

const rows: Readonly<Record<string, AnyOperation>> = {
  ...managementOperations('command'),
  ...observabilityOperations,
};
const pathOf = (name: string): string => rows[name]?.path ?? '';
const upstreamOf = (name: string): UpstreamName =>
  pathOf(name).startsWith('/v1') ? 'management' : 'observability';

/** Calls the method of that name, whose types a table of names cannot keep. */
const call = (request: Request, name: string, ...given: readonly unknown[]): Promise<unknown> => {
  const client: object = request[upstreamOf(name)];
  return Reflect.apply(Reflect.get(client, name), client, given);
};

const read = (name: string, ids: Ids, freshSeconds: number, ...shows: Part[]): ReadKind => ({
  ...{ name, upstream: upstreamOf(name), freshSeconds, shows, isFresh: false },
  path: compilePath(pathOf(name)).fill(ids).toLowerCase(),
  read: async (request) => {
    const found = await call(request, name, ids);
    return (Array.isArray(found) ? found[0] : found) as Named;
  },
});

const write = (name: string, ids: Ids, body: unknown, ...changes: Part[]): WriteKind => ({
  ...{ name, upstream: upstreamOf(name), changes },
  write: (request) => {
    const given = pathOf(name).includes('{') ? [ids, body] : [body];
    return call(request, name, ...given);
  },
});

const uuid = (last: string): string => `0a9a0000-0000-4000-8000-0000000000${last}`;
const [o1, o2] = [{ organizationId: uuid('0a') }, { organizationId: uuid('02') }];
const s1 = { ...o1, serviceId: uuid('0b') };
const s2 = { ...o1, serviceId: uuid('12') };
const s3 = { ...o2, serviceId: uuid('13') };
const p1 = { ...s1, pipeId: uuid('0c') };
const p2 = { ...s1, pipeId: uuid('0d') };
const p3 = { ...s2, pipeId: uuid('23') };
const p1InCapitals = { ...p1, pipeId: uuid('0C').toUpperCase() };
const [d1, d2] = [{ dashboardId: 'd1' }, { dashboardId: 'd2' }];
const [a1, a2] = [{ alertId: 'a1' }, { alertId: 'a2' }];
const renamed = { name: 'new' };
const ofDashboard: Part[] = ['dashboard 1', 'dashboards', 'alerts', 'alert 1', 'alert 2'];

/** Every read that all profiles have, of things that have siblings and parents. */
export const readKinds: readonly ReadKind[] = [
  read('listOrganizations', {}, 10, 'organization', 'organization 2'),
  read('getOrganization', o1, 10, 'organization'),
  read('getOrganization', o2, 10, 'organization 2'),
  read('listInvitations', o1, 30),
  read('listServices', o1, 5, 'service', 'service 2'),
  read('listServices', o2, 5, 'service 3'),
  read('getService', s1, 5, 'service'),
  read('getService', s2, 5, 'service 2'),
  read('getService', s3, 5, 'service 3'),
  read('getBackupConfiguration', s1, 30),
  read('listPipes', s1, 3, 'pipes', 'pipe 1', 'pipe 2'),
  read('listPipes', s2, 3, 'pipe 3'),
  read('getPipe', p1, 3, 'pipe 1'),
  read('getPipe', p2, 3, 'pipe 2'),
  read('getPipe', p3, 3, 'pipe 3'),
  read('listDashboards', {}, 5, 'dashboards', 'dashboard 1', 'dashboard 2'),
  read('getDashboard', d1, 5, 'dashboard 1'),
  read('getDashboard', d2, 5, 'dashboard 2'),
  read('listAlerts', {}, 3, 'alerts', 'alert 1', 'alert 2'),
  read('getAlert', a1, 3, 'alert 1'),
  read('getAlert', a2, 3, 'alert 2'),
];

/** The same reads in other ways: by another spelling, and past all that is kept. */
export const otherReadKinds: readonly ReadKind[] = [
  read('getPipe', p1InCapitals, 3, 'pipe 1'),
  {
    ...read('getAlert', a1, 3, 'alert 1'),
    isFresh: true,
    read: ({ observability }) => observability.fresh('getAlert', a1),
  },
];

/** The reads that some profiles alone have. */
export const profileReadKinds: readonly ReadKind[] = [
  read('getPipeSettings', p1, 3, 'settings'),
  read('listDataSources', {}, 30),
  read('listWebhooks', {}, 30),
  read('listSavedSearches', {}, 30),
];

/** Every write that all profiles have, and what it changes: the design's table. */
export const writeKinds: readonly WriteKind[] = [
  write('updateOrganization', o1, renamed, 'organization'),
  write('createApiKey', o1, { roles: ['admin'] }),
  write('updateServicePassword', s1, {}),
  write('updateServiceScaling', s1, { numReplicas: 3 }, 'service'),
  write('createPipe', s1, { source: { kafka: {} } }, 'pipes'),
  write('updatePipe', p1, renamed, 'pipe 1'),
  write('updatePipeState', p1InCapitals, 'stop', 'pipe 1'),
  write('updatePipeState', p2, 'start', 'pipe 2'),
  write('createDashboard', {}, renamed, 'dashboards'),
  // The alerts of a dashboard go with it; which ones, only the upstream knows.
  write('deleteDashboard', d1, undefined, ...ofDashboard),
  write('replaceAlert', a1, renamed, 'alert 1'),
  write('replaceAlert', a2, renamed, 'alert 2'),
];

/** The writes that some profiles alone have. */
export const profileWriteKinds: readonly WriteKind[] = [
  write('deleteApiKey', { ...o1, apiKeyId: uuid('31') }, undefined),
  write('scalePipe', p1, { replicas: 2 }, 'pipe 1'),
  write('deletePipe', p1, undefined, 'pipe 1', 'settings'),
  write('replacePipeSettings', p1, { engine_max_threads: 2 }, 'pipe 1', 'settings'),
  write('updateServiceState', s1, 'stop', 'service', 'pipes', 'pipe 1', 'pipe 2', 'settings'),
  write('replaceDashboard', d1, renamed, ...ofDashboard),
  write('createAlert', {}, renamed, 'alerts'),
  write('deleteAlert', a1, undefined, 'alert 1'),
];
