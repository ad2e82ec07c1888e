import type { UpstreamName } from '../../../src/upstream/error.ts';
import type { Request } from '../upstream/simulated.ts';

/** What reads show and writes change. */
export const parts = [
  'organization',
  'service',
  'pipes',
  'pipe 1',
  'pipe 2',
  'dashboards',
  'dashboard 1',
  'dashboard 2',
  'alert 1',
  'alert 2',
] as const;

export type Part = (typeof parts)[number];

type Named = { readonly id: string; readonly name?: unknown };

export interface ReadKind {
  readonly upstream: UpstreamName;
  /** In small letters: an upstream takes UUIDs in either case (RFC 9562). */
  readonly path: string;
  readonly shows: readonly Part[];
  readonly freshSeconds: number;
  /** Whether nothing that was read before may answer it. */
  readonly isFresh?: boolean;
  /** Gives the record, or the first one of the list. */
  read(request: Request): Promise<Named | undefined>;
}

export interface WriteKind {
  readonly upstream: UpstreamName;
  readonly changes: readonly Part[];
  write(request: Request): Promise<unknown>;
}

const organization = { organizationId: '0a9a0000-0000-4000-8000-00000000000a' };
const service = { ...organization, serviceId: '0a9a0000-0000-4000-8000-00000000000b' };
const pipe1 = { ...service, pipeId: '0a9a0000-0000-4000-8000-00000000000c' };
const pipe2 = { ...service, pipeId: '0a9a0000-0000-4000-8000-00000000000d' };
const pipe1InCapitals = { ...service, pipeId: pipe1.pipeId.toUpperCase() };

const organizationPath = `/v1/organizations/${organization.organizationId}`;
const servicePath = `${organizationPath}/services/${service.serviceId}`;
const pipe1Path = `${servicePath}/pipes/${pipe1.pipeId}`;

const first = async (list: Promise<readonly Named[]>): Promise<Named | undefined> =>
  (await list)[0];

type OfUpstream<Kind> = readonly Omit<Kind, 'upstream'>[];

const managementReads: OfUpstream<ReadKind> = [
  {
    path: '/v1/organizations',
    shows: ['organization'],
    freshSeconds: 10,
    read: ({ management }) => first(management.listOrganizations()),
  },
  {
    path: organizationPath,
    shows: ['organization'],
    freshSeconds: 10,
    read: ({ management }) => management.getOrganization(organization),
  },
  {
    path: `${organizationPath}/invitations`,
    shows: [],
    freshSeconds: 30,
    read: ({ management }) => first(management.listInvitations(organization)),
  },
  {
    path: `${organizationPath}/services`,
    shows: ['service'],
    freshSeconds: 5,
    read: ({ management }) => first(management.listServices(organization)),
  },
  {
    path: servicePath,
    shows: ['service'],
    freshSeconds: 5,
    read: ({ management }) => management.getService(service),
  },
  {
    path: `${servicePath}/pipes`,
    shows: ['pipes', 'pipe 1', 'pipe 2'],
    freshSeconds: 3,
    read: ({ management }) => first(management.listPipes(service)),
  },
  {
    path: pipe1Path,
    shows: ['pipe 1'],
    freshSeconds: 3,
    read: ({ management }) => management.getPipe(pipe1),
  },
  {
    path: pipe1Path,
    shows: ['pipe 1'],
    freshSeconds: 3,
    read: ({ management }) => management.getPipe(pipe1InCapitals),
  },
  {
    path: `${servicePath}/pipes/${pipe2.pipeId}`,
    shows: ['pipe 2'],
    freshSeconds: 3,
    read: ({ management }) => management.getPipe(pipe2),
  },
];

const observabilityReads: OfUpstream<ReadKind> = [
  {
    path: '/api/v2/dashboards',
    shows: ['dashboards', 'dashboard 1', 'dashboard 2'],
    freshSeconds: 5,
    read: ({ observability }) => first(observability.listDashboards()),
  },
  {
    path: '/api/v2/dashboards/d1',
    shows: ['dashboard 1'],
    freshSeconds: 5,
    read: ({ observability }) => observability.getDashboard({ dashboardId: 'd1' }),
  },
  {
    path: '/api/v2/alerts',
    shows: ['alert 1', 'alert 2'],
    freshSeconds: 3,
    read: ({ observability }) => first(observability.listAlerts()),
  },
  {
    path: '/api/v2/alerts/a1',
    shows: ['alert 1'],
    freshSeconds: 3,
    read: ({ observability }) => observability.getAlert({ alertId: 'a1' }),
  },
  {
    path: '/api/v2/alerts/a1',
    shows: ['alert 1'],
    freshSeconds: 3,
    isFresh: true,
    read: ({ observability }) => observability.fresh('getAlert', { alertId: 'a1' }),
  },
  {
    path: '/api/v2/alerts/a2',
    shows: ['alert 2'],
    freshSeconds: 3,
    read: ({ observability }) => observability.getAlert({ alertId: 'a2' }),
  },
];

const managementWrites: OfUpstream<WriteKind> = [
  {
    changes: ['organization'],
    write: ({ management }) => management.updateOrganization(organization, { name: 'new' }),
  },
  {
    changes: ['service'],
    write: ({ management }) => management.updateServiceScaling(service, { numReplicas: 3 }),
  },
  {
    changes: ['pipes'],
    write: ({ management }) => management.createPipe(service, { source: { kafka: {} } }),
  },
  {
    changes: ['pipe 1'],
    write: ({ management }) => management.updatePipe(pipe1, { name: 'new' }),
  },
  {
    changes: ['pipe 1'],
    write: ({ management }) => management.updatePipeState(pipe1InCapitals, 'stop'),
  },
  {
    changes: ['pipe 2'],
    write: ({ management }) => management.updatePipeState(pipe2, 'start'),
  },
];

const observabilityWrites: OfUpstream<WriteKind> = [
  {
    changes: ['dashboards'],
    write: ({ observability }) => observability.createDashboard({ name: 'new' }),
  },
  {
    // The alerts of a dashboard go with it; which ones, only the upstream knows.
    changes: ['dashboard 1', 'dashboards', 'alert 1', 'alert 2'],
    write: ({ observability }) => observability.deleteDashboard({ dashboardId: 'd1' }),
  },
  {
    changes: ['alert 1'],
    write: ({ observability }) => observability.replaceAlert({ alertId: 'a1' }, { name: 'new' }),
  },
  {
    changes: ['alert 2'],
    write: ({ observability }) => observability.replaceAlert({ alertId: 'a2' }, { name: 'new' }),
  },
];

const both = <Kind>(
  management: OfUpstream<Kind>,
  observability: OfUpstream<Kind>,
): readonly (Omit<Kind, 'upstream'> & { readonly upstream: UpstreamName })[] => [
  ...management.map((kind) => ({ ...kind, upstream: 'management' as const })),
  ...observability.map((kind) => ({ ...kind, upstream: 'observability' as const })),
];

export const readKinds: readonly ReadKind[] = both<ReadKind>(managementReads, observabilityReads);
export const writeKinds: readonly WriteKind[] = both<WriteKind>(
  managementWrites,
  observabilityWrites,
);

export interface Topic {
  readonly reads: readonly ReadKind[];
  readonly writes: readonly WriteKind[];
}

const about = (...those: readonly Part[]): Topic => ({
  reads: readKinds.filter(({ shows }) => shows.some((part) => those.includes(part))),
  writes: writeKinds.filter(({ changes }) => changes.some((part) => those.includes(part))),
});

/** What one run is about: few things, so that reads and writes of it meet, or all of them. */
export const topics: readonly [Topic, ...Topic[]] = [
  { reads: readKinds, writes: writeKinds },
  about('organization'),
  about('service'),
  about('pipe 1'),
  about('pipe 2'),
  about('dashboard 1'),
  about('alert 1'),
];
