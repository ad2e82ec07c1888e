import type { UpstreamName } from '../../../src/upstream/error.ts';
import type { Request } from './simulated.ts';

const uuid = (last: string): string => `0a9a0000-0000-4000-8000-0000000000${last}`;

const o1 = { organizationId: uuid('01') };
const o2 = { organizationId: uuid('02') };
const s1 = { ...o1, serviceId: uuid('11') };
const s2 = { ...o1, serviceId: uuid('12') };
const s3 = { ...o2, serviceId: uuid('13') };
const p1 = { ...s1, pipeId: uuid('21') };
const p2 = { ...s1, pipeId: uuid('22') };
const p3 = { ...s2, pipeId: uuid('23') };
const d1 = { dashboardId: 'd1' };
const d2 = { dashboardId: 'd2' };
const a1 = { alertId: 'a1' };
const a2 = { alertId: 'a2' };

/** What the operations are done to: things that have siblings and parents. */
export const things = { s1, p1, d1, a1 };

export type Does = (request: Request) => Promise<unknown>;

/** Every read, of things that have siblings and parents. */
export const managementReads: Readonly<Record<string, Does>> = {
  listOrganizations: ({ management }) => management.listOrganizations(),
  'getOrganization o1': ({ management }) => management.getOrganization(o1),
  'getOrganization o2': ({ management }) => management.getOrganization(o2),
  'listInvitations o1': ({ management }) => management.listInvitations(o1),
  'listServices o1': ({ management }) => management.listServices(o1),
  'listServices o2': ({ management }) => management.listServices(o2),
  'getService s1': ({ management }) => management.getService(s1),
  'getService s2': ({ management }) => management.getService(s2),
  'getService s3': ({ management }) => management.getService(s3),
  'getBackupConfiguration s1': ({ management }) => management.getBackupConfiguration(s1),
  'listPipes s1': ({ management }) => management.listPipes(s1),
  'listPipes s2': ({ management }) => management.listPipes(s2),
  'getPipe p1': ({ management }) => management.getPipe(p1),
  'getPipe p2': ({ management }) => management.getPipe(p2),
  'getPipe p3': ({ management }) => management.getPipe(p3),
};

export const observabilityReads: Readonly<Record<string, Does>> = {
  listDashboards: ({ observability }) => observability.listDashboards(),
  'getDashboard d1': ({ observability }) => observability.getDashboard(d1),
  'getDashboard d2': ({ observability }) => observability.getDashboard(d2),
  listAlerts: ({ observability }) => observability.listAlerts(),
  'getAlert a1': ({ observability }) => observability.getAlert(a1),
  'getAlert a2': ({ observability }) => observability.getAlert(a2),
};

export const allReads = { ...managementReads, ...observabilityReads };

export interface Write {
  readonly name: string;
  readonly upstream: UpstreamName;
  readonly does: Does;
  /** The reads that it changes: the design's table. */
  readonly drops: readonly string[];
}

const inManagement = { upstream: 'management' } as const;
const inObservability = { upstream: 'observability' } as const;

export const writes: readonly Write[] = [
  {
    ...inManagement,
    name: 'updateOrganization',
    does: ({ management }) => management.updateOrganization(o1, { name: 'new' }),
    drops: ['listOrganizations', 'getOrganization o1'],
  },
  {
    ...inManagement,
    name: 'createApiKey',
    does: ({ management }) => management.createApiKey(o1, { roles: ['admin'] }),
    drops: [],
  },
  {
    ...inManagement,
    name: 'updateServicePassword',
    does: ({ management }) => management.updateServicePassword(s1, {}),
    drops: [],
  },
  {
    ...inManagement,
    name: 'updateServiceScaling',
    does: ({ management }) => management.updateServiceScaling(s1, { numReplicas: 3 }),
    drops: ['listServices o1', 'getService s1'],
  },
  {
    ...inManagement,
    name: 'createPipe',
    does: ({ management }) => management.createPipe(s1, { source: { kafka: {} } }),
    drops: ['listPipes s1'],
  },
  {
    ...inManagement,
    name: 'updatePipe',
    does: ({ management }) => management.updatePipe(p1, { name: 'new' }),
    drops: ['listPipes s1', 'getPipe p1'],
  },
  {
    ...inManagement,
    name: 'updatePipeState',
    does: ({ management }) => management.updatePipeState(p1, 'stop'),
    drops: ['listPipes s1', 'getPipe p1'],
  },
  {
    ...inObservability,
    name: 'createDashboard',
    does: ({ observability }) => observability.createDashboard({ name: 'new' }),
    drops: ['listDashboards'],
  },
  {
    ...inObservability,
    name: 'deleteDashboard',
    does: ({ observability }) => observability.deleteDashboard(d1),
    drops: ['listDashboards', 'getDashboard d1', 'listAlerts', 'getAlert a1', 'getAlert a2'],
  },
  {
    ...inObservability,
    name: 'replaceAlert',
    does: ({ observability }) => observability.replaceAlert(a1, { name: 'new' }),
    drops: ['listAlerts', 'getAlert a1'],
  },
];
