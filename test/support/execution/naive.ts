import { readdirSync, readFileSync } from 'node:fs';
import { makeExecutableSchema } from '@graphql-tools/schema';
import { execute, type GraphQLFieldResolver, type GraphQLResolveInfo, parse } from 'graphql';
import { isObject } from '../../../src/is-object.ts';
import { encodeNodeId, type NodeType } from '../../../src/schema/node-id.ts';
import { scalars } from '../../../src/schema/scalars.ts';
import type { Backend } from '../world/backend.ts';
import {
  type Context,
  codeOf,
  failed,
  findAlert,
  findDashboard,
  findNode,
  findOrganization,
  findPipe,
  findService,
  findTile,
  isOfProfile,
  type Json,
  link,
  organizationPath,
  servicePath,
} from './naive-find.ts';

/**
 * The gateway is compared with this: the same SDL with the simplest possible resolvers. Each field fetches its own data;
 * nothing is shared, joined, started early or cached.
 */

const given = (filter: Json): readonly (readonly [string, Json])[] =>
  Object.entries(filter ?? {}).filter(([, value]) => value !== null && value !== undefined);

const passes = (item: Json, filter: Json): boolean =>
  given(filter).every(([name, wanted]) => {
    if (name === 'phaseIn') return wanted.includes(item.phase);
    if (name === 'tag') {
      return item.tags?.some(({ key, value }: Json) => [key, `${key}=${value}`].includes(wanted));
    }
    if (name !== 'nameContains' && name !== 'state') return item[name] === wanted;
    const text = name === 'state' ? item.state : item.name;
    if (typeof text !== 'string') return false;
    const [one, other] = [text.toLowerCase(), wanted.toLowerCase()];
    return name === 'state' ? one === other : one.includes(other);
  });

const servicePhaseOf = (state: Json): string =>
  ['running', 'idle'].includes(state) ? state.toUpperCase() : 'UNKNOWN';

const pipePhaseOf = (state: Json): string => {
  if (['Running', 'Snapshot', 'Degraded'].includes(state)) return 'RUNNING';
  if (['Stopped', 'Paused'].includes(state)) return 'STOPPED';
  if (['Failed', 'InternalError'].includes(state)) return 'FAILED';
  if (state === 'Completed') return 'COMPLETED';
  const changing = ['Provisioning', 'Setup', 'Stopping', 'Pausing', 'Modifying', 'Resync'];
  return changing.includes(state) ? 'CHANGING' : 'UNKNOWN';
};

const alertPhaseOf = (state: Json): string => {
  if (state === 'ALERT') return 'FIRING';
  if (state === 'INSUFFICIENT_DATA') return 'NO_DATA';
  return ['OK', 'PENDING', 'DISABLED'].includes(state) ? state : 'UNKNOWN';
};

const kinds = {
  kafka: 'KafkaSource',
  objectStorage: 'ObjectStorageSource',
  kinesis: 'KinesisSource',
  postgres: 'PostgresSource',
} as const;

const kindOf = (source: Json) => Object.keys(source ?? {}).find((kind) => kind in kinds);
const toEnum = (value: Json, known: Readonly<Record<string, string>>): string | null =>
  value === null || value === undefined ? null : (known[value] ?? 'UNKNOWN');
const nodeIdOf = (type: NodeType, ...path: string[]) => encodeNodeId(type, ...path);
/** Services use two wire words for alerts on saved searches. */
const wordOf = (source: Json): Json => (source === 'saved_search' ? 'search' : source);

const alertsWhere = async ({ get }: Context, passing: (alert: Json) => boolean): Promise<Json> =>
  (await get('/api/v2/alerts')).filter(passing);

const servicesWhere = async (id: string, filter: Json, { get }: Context): Promise<Json> =>
  (await get(`${organizationPath(id)}/services`))
    .filter((service: Json) => passes({ ...service, phase: servicePhaseOf(service.state) }, filter))
    .map((service: Json) => ({ ...service, organizationId: id }));

const pipesWhere = async (
  { organizationId, id }: Json,
  filter: Json,
  { get }: Context,
): Promise<Json> =>
  (await get(`${servicePath(organizationId, id)}/pipes`))
    .filter((pipe: Json) =>
      passes({ ...pipe, source: kindOf(pipe.source), phase: pipePhaseOf(pipe.state) }, filter),
    )
    .map((pipe: Json) => ({ ...pipe, organizationId, serviceId: id }));

type Resolver = (parent: Json, args: Json, context: Context, info: GraphQLResolveInfo) => Json;

const resolvers: Record<string, Record<string, Resolver>> = {
  Query: {
    node: (_, { nodeId }, context, info) => findNode(context, info, nodeId),
    nodes: (_, { nodeIds }, context, info) =>
      nodeIds.map((nodeId: string) => findNode(context, info, nodeId)),
    organizations: (_, __, { get }) => get('/v1/organizations'),
    organization: (_, { id }, context, info) => findOrganization(context, info, id),
    service: (_, { organizationId, serviceId }, context, info) =>
      findService(context, info, organizationId, serviceId),
    pipe: (_, { organizationId, serviceId, pipeId }, context, info) =>
      findPipe(context, info, organizationId, serviceId, pipeId),
    dashboards: (_, __, { get }) => get('/api/v2/dashboards'),
    dashboard: (_, { id }, context, info) => findDashboard(context, info, id),
    alerts: (_, { filter }, context) =>
      alertsWhere(context, ({ source, ...alert }) =>
        passes(
          {
            ...alert,
            source: wordOf(source),
            dashboardId: alert.dashboard,
            phase: alertPhaseOf(alert.state),
          },
          filter,
        ),
      ),
    alert: (_, { id }, context, info) => findAlert(context, info, id),
  },
  Organization: {
    nodeId: ({ id }) => nodeIdOf('Organization', id),
    services: ({ id }, { filter }, context) => servicesWhere(id, filter, context),
    serviceCount: async ({ id }, { filter }, context) =>
      (await servicesWhere(id, filter, context)).length,
    pipes: async ({ id }, { filter }, context) => {
      const lists = (await servicesWhere(id, null, context)).map((service: Json) =>
        pipesWhere(service, filter, context),
      );
      const items = (await Promise.all(lists)).flat();
      return { items, totalCount: items.length, unreadServices: [] };
    },
    service: (organization, { id }, context, info) =>
      findService(context, info, organization.id, id),
    invitations: ({ id }, _, { get }) => get(`${organizationPath(id)}/invitations`),
  },
  Service: {
    nodeId: ({ organizationId, id }) => nodeIdOf('Service', organizationId, id),
    organization: ({ organizationId }, _, context, info) =>
      findOrganization(context, info, organizationId),
    phase: ({ state }) => servicePhaseOf(state),
    pipes: (service, { filter }, context) => pipesWhere(service, filter, context),
    pipe: ({ organizationId, id: serviceId }, { id }, context, info) =>
      findPipe(context, info, organizationId, serviceId, id),
    backupConfiguration: ({ organizationId, id }, _, { get }) =>
      get(`${servicePath(organizationId, id)}/backupConfiguration`),
  },
  Pipe: {
    nodeId: ({ organizationId, serviceId, id }) => nodeIdOf('Pipe', organizationId, serviceId, id),
    service: ({ organizationId, serviceId }, _, context, info) =>
      findService(context, info, organizationId, serviceId),
    phase: ({ state }) => pipePhaseOf(state),
    availableCommands: ({ state, source }) => [
      ...(['Stopped', 'Failed'].includes(state) ? ['START'] : []),
      ...(['Stopped', 'Failed', 'Completed', 'Stopping', 'Pausing'].includes(state)
        ? []
        : ['STOP']),
      ...(kindOf(source) === 'postgres' ? ['RESYNC'] : []),
    ],
    source: ({ source }) => {
      if (!source) return null;
      const kind = kindOf(source) as keyof typeof kinds | undefined;
      return kind === undefined
        ? { __typename: 'UnknownSource', kind: Object.keys(source)[0] }
        : { __typename: kinds[kind], ...source[kind] };
    },
  },
  Dashboard: {
    nodeId: ({ id }) => nodeIdOf('Dashboard', id),
    tiles: ({ id, tiles }) => tiles?.map((tile: Json) => ({ ...tile, dashboardId: id })),
    alerts: ({ id }, _, context) => alertsWhere(context, ({ dashboard }) => dashboard === id),
  },
  Tile: {
    // Positions between two grid units are rounded.
    x: ({ x }) => (typeof x === 'number' ? Math.round(x) : x),
    dashboard: ({ dashboardId }, _, context, info) =>
      link(findDashboard(context, info, dashboardId)),
    alerts: ({ id, dashboardId }, _, context) =>
      alertsWhere(context, ({ tileId, dashboard }) => tileId === id && dashboard === dashboardId),
  },
  Alert: {
    nodeId: ({ id }) => nodeIdOf('Alert', id),
    phase: ({ state }) => alertPhaseOf(state),
    source: ({ source }) => toEnum(wordOf(source), { tile: 'TILE', search: 'SEARCH' }),
    silenced: ({ silenced }) => (isObject(silenced) ? true : silenced),
    thresholdType: ({ thresholdType }) => toEnum(thresholdType, { above: 'ABOVE', below: 'BELOW' }),
    teamId: ({ team }) => team,
    savedSearchId: ({ savedSearch }) => savedSearch,
    dashboardId: ({ dashboard }) => dashboard,
    dashboard: ({ dashboard }, _, context, info) =>
      dashboard ? link(findDashboard(context, info, dashboard)) : null,
    tile: ({ dashboard, tileId }, _, context, info) =>
      dashboard && tileId ? link(findTile(context, info, dashboard, tileId)) : null,
  },
};

const enums = {
  AlertSourceInput: { TILE: 'tile', SEARCH: 'search' },
  AlertThresholdTypeInput: { ABOVE: 'above', BELOW: 'below' },
  PipeSourceKind: {
    KAFKA: 'kafka',
    OBJECT_STORAGE: 'objectStorage',
    KINESIS: 'kinesis',
    POSTGRES: 'postgres',
  },
};

const folder = new URL('../../../schema/', import.meta.url);

/** The SDL under the naive resolvers. */
export const naiveSchema = makeExecutableSchema({
  typeDefs: readdirSync(folder).map((name) => readFileSync(new URL(name, folder), 'utf8')),
  resolvers: { ...scalars, ...enums, ...resolvers },
});

/** A member of the same name; of settings, which have names of their own on the wire, in snake_case. */
const member: GraphQLFieldResolver<Json, Context> = (parent, _, __, { fieldName, parentType }) => {
  if (isOfProfile(parentType.getFields()[fieldName])) throw failed('OPERATION_UNAVAILABLE');
  return parent[
    parentType.name === 'PipeSettings'
      ? fieldName.replaceAll(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)
      : fieldName
  ];
};

export interface NaiveOperation {
  readonly document: string;
  readonly variables: Readonly<Record<string, unknown>>;
}

export interface NaiveAnswer {
  readonly data: unknown;
  /** Path and code of each error. */
  readonly errors: readonly { readonly path: string; readonly code: string }[];
  /** The path of every GET with its status, including repeated ones. */
  readonly reads: readonly { readonly path: string; readonly status: number }[];
}

/** Runs an operation against a backend, without HTTP in between. */
export const runNaively = async (
  { management, observability }: Backend,
  { document, variables }: NaiveOperation,
  missing: Context['missing'],
): Promise<NaiveAnswer> => {
  const reads: NaiveAnswer['reads'][number][] = [];
  const get = async (path: string): Promise<Json> => {
    const upstream = path.startsWith('/v1/') ? 'management' : 'observability';
    const answering = { management, observability }[upstream];
    const call = {
      upstream,
      method: 'GET',
      path,
      rawHeaders: [],
      headers: {},
      body: '',
      onClose: () => undefined,
    } as const;
    const { status = 200, body } = await answering(call);
    reads.push({ path, status });
    if (status === 404) throw failed('NOT_FOUND');
    const { result, data } = JSON.parse(body);
    return result ?? data;
  };
  const { data, errors = [] } = await execute({
    schema: naiveSchema,
    document: parse(document),
    variableValues: variables,
    contextValue: { get, missing } satisfies Context,
    fieldResolver: member,
  });
  return {
    data: JSON.parse(JSON.stringify(data)),
    errors: errors.map((error) => ({
      path: error.path?.join('.') ?? '',
      // If no resolver threw, graphql-js did: for a value that does not fit the schema.
      code: String(codeOf(error) ?? 'UPSTREAM_BAD_RESPONSE'),
    })),
    reads,
  };
};
