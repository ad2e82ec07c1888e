import {
  organizationId,
  type Resource,
  resources,
  serviceId,
  sources,
} from '../support/documented-fields.ts';

/** A record as the wire carries it, with every documented member. */
export const wireOf = (resource: Resource): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(resource).map(([name, { type, members, sample }]) => {
      if (!members) return [name, sample];
      return [name, type === 'object' ? wireOf(members) : [wireOf(members)]];
    }),
  );

/** The same as a GraphQL answer has it, without what is deprecated. */
const readOf = (resource: Resource): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(resource)
      .filter(([, { deprecated }]) => !deprecated)
      .map(([wireName, { name = wireName, type, members, sample, answered = sample }]) => {
        if (!members) return [name, answered];
        return [name, type === 'object' ? readOf(members) : [readOf(members)]];
      }),
  );

const nodeIdOf = (...parts: readonly string[]): string =>
  Buffer.from(parts.join(':')).toString('base64url');

export type SourceKind = keyof typeof sources;
const typeNames: Readonly<Record<SourceKind, string>> = {
  kafka: 'KafkaSource',
  objectStorage: 'ObjectStorageSource',
  kinesis: 'KinesisSource',
  postgres: 'PostgresSource',
};

/** Records with every documented member; each function gives one the identifier. */
export const wire = {
  organization: wireOf(resources.Organization),
  invitation: wireOf(resources.Invitation),
  apiKey: wireOf(resources.ApiKey),
  backupConfiguration: wireOf(resources.BackupConfiguration),
  service: (id: string) => ({ ...wireOf(resources.Service), id }),
  pipe: (id: string, kind: SourceKind = 'kafka') => ({
    ...wireOf(resources.Pipe),
    id,
    source: { [kind]: wireOf(sources[kind]) },
  }),
  source: (kind: SourceKind) => wireOf(sources[kind]),
  dashboard: (id: string) => ({ ...wireOf(resources.Dashboard), id }),
  alert: (id: string, dashboard: string) => ({ ...wireOf(resources.Alert), id, dashboard }),
};

const withoutSecret = ({ connectionString: _, ...rest }: Readonly<Record<string, unknown>>) => rest;

/** What operations/ reads of these records. */
export const read = {
  organization: {
    ...readOf(resources.Organization),
    nodeId: nodeIdOf('Organization', organizationId),
  },
  invitation: readOf(resources.Invitation),
  apiKey: readOf(resources.ApiKey),
  backupConfiguration: readOf(resources.BackupConfiguration),
  service: (id: string) => ({
    ...readOf(resources.Service),
    id,
    nodeId: nodeIdOf('Service', organizationId, id),
    organizationId,
    phase: 'UNKNOWN',
  }),
  pipe: (id: string, kind: SourceKind = 'kafka', service: string = serviceId) => ({
    ...readOf(resources.Pipe),
    id,
    nodeId: nodeIdOf('Pipe', organizationId, service, id),
    serviceId: service,
    organizationId,
    phase: 'RUNNING',
    availableCommands: kind === 'postgres' ? ['STOP', 'RESYNC'] : ['STOP'],
    source: { __typename: typeNames[kind], ...withoutSecret(readOf(sources[kind])) },
  }),
  dashboard: (id: string) => {
    const { tiles, ...dashboard } = readOf(resources.Dashboard);
    const withId = (tiles as readonly object[]).map((tile) => ({ ...tile, dashboardId: id }));
    return { ...dashboard, id, nodeId: nodeIdOf('Dashboard', id), tiles: withId };
  },
  alert: (id: string, dashboardId: string) => ({
    ...readOf(resources.Alert),
    id,
    nodeId: nodeIdOf('Alert', id),
    dashboardId,
    phase: 'UNKNOWN',
  }),
};
