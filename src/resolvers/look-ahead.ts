import {
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  getArgumentValues,
  isObjectType,
} from 'graphql';
import type { Resolvers } from '../generated/schema.ts';
import { collectFields, type FieldNodes, type Scope } from '../graphql/collect.ts';
import type {
  AlertIds,
  DashboardIds,
  OrganizationIds,
  PipeIds,
  Reads,
  ServiceIds,
} from '../loaders/index.ts';
import type { Context } from '../request/context.ts';
import { UpstreamError } from '../upstream/error.ts';
import { checkLength } from './values.ts';

/** The identifiers by which each entity is found. */
export interface EntityIds {
  readonly Organization: OrganizationIds;
  readonly Service: ServiceIds;
  readonly Pipe: PipeIds;
  readonly Dashboard: DashboardIds;
  readonly Tile: DashboardIds & { readonly tileId: string };
  readonly Alert: AlertIds;
}
export type EntityType = keyof EntityIds;

/** The inputs of a relation that starts its reads. */
interface Below {
  /** Reads before the relation's own field does, which then takes the read. */
  readonly early: Reads;
  /** Starts the reads for the selections of another entity. */
  start<Type extends EntityType>(type: Type, ids: EntityIds[Type]): void;
}

type Field<Type extends EntityType> = keyof NonNullable<Resolvers[Type]>;

/** The arguments of a field. */
type Arguments<Type extends EntityType, Name extends Field<Type>> =
  NonNullable<NonNullable<Resolvers[Type]>[Name]> extends (
    parent: never,
    args: infer Args,
    ...rest: never
  ) => unknown
    ? Args
    : never;

/** A relation with any arguments. */
type Relation<Type extends EntityType> = (
  below: Below,
  ids: EntityIds[Type],
  args: Readonly<Record<string, unknown>>,
) => unknown;

interface Entity<Type extends EntityType> {
  /** Throws the error for identifiers of the wrong form. */
  readonly check: (upstream: Context['upstream'], ids: EntityIds[Type]) => void;
  readonly startRecord: (early: Reads, ids: EntityIds[Type]) => Promise<unknown>;
  /** Fields that come from the identifiers alone. */
  readonly identifiers: readonly Field<Type>[];
  /** For a field that is made of other members of the record than the one of its name: these members. */
  readonly madeOf?: { readonly [Name in Field<Type>]?: readonly string[] };
  /** Fields whose resolvers need only the identifiers. Every other field needs the record. */
  readonly relations: {
    readonly [Name in Field<Type>]?: (
      below: Below,
      ids: EntityIds[Type],
      args: Arguments<Type, Name>,
    ) => unknown;
  };
}

const entities: { readonly [Type in EntityType]: Entity<Type> } = {
  Organization: {
    check: ({ management }, ids) => management.check('getOrganization', ids),
    startRecord: ({ organization }, ids) => organization(ids),
    identifiers: ['id', 'nodeId'],
    relations: {
      services: ({ early }, ids) => early.services(ids),
      serviceCount: ({ early }, ids) => early.services(ids),
      pipes: ({ early }, ids) => early.services(ids),
      service: ({ start }, ids, { id }) => start('Service', { ...ids, serviceId: id }),
      invitations: ({ early }, ids) => early.invitations(ids),
      apiKeys: ({ early }, ids) => early.apiKeys(ids),
      usageCost: ({ early }, ids, days) => early.usageCost({ ...ids, ...days }),
      activities: ({ early }, ids, { from, to }) => early.activities({ ...ids, from, to }),
    },
  },
  Service: {
    check: ({ management }, ids) => management.check('getService', ids),
    startRecord: ({ service }, ids) => service(ids),
    identifiers: ['id', 'nodeId', 'organizationId'],
    madeOf: { phase: ['state'], availableCommands: ['state'] },
    relations: {
      organization: ({ start }, ids) => start('Organization', ids),
      pipes: ({ early }, ids) => early.pipes(ids),
      pipe: ({ start }, ids, { id }) => start('Pipe', { ...ids, pipeId: id }),
      backupConfiguration: ({ early }, ids) => early.backupConfiguration(ids),
      usageCost: ({ early }, { organizationId }, days) =>
        early.usageCost({ organizationId, ...days }),
      backups: ({ early }, ids, { first }) => {
        checkLength(first);
        return early.backups(ids);
      },
      lastBackup: ({ early }, ids) => early.backups(ids),
    },
  },
  Pipe: {
    check: ({ management }, ids) => management.check('getPipe', ids),
    startRecord: ({ pipe }, ids) => pipe(ids),
    identifiers: ['id', 'nodeId', 'organizationId', 'serviceId'],
    madeOf: { phase: ['state'], availableCommands: ['state', 'source'] },
    relations: {
      service: ({ start }, ids) => start('Service', ids),
      usageCost: ({ early }, { organizationId }, days) =>
        early.usageCost({ organizationId, ...days }),
    },
  },
  // Only a tile starts its dashboard.
  Dashboard: {
    check: ({ observability }, ids) => observability.check('getDashboard', ids),
    startRecord: ({ linkedDashboard }, ids) => linkedDashboard(ids),
    identifiers: ['id', 'nodeId'],
    relations: { alerts: ({ early }) => early.alerts() },
  },
  // A tile has no read: it is found in its dashboard.
  Tile: {
    check: ({ observability }, ids) => observability.check('getDashboard', ids),
    startRecord: ({ linkedDashboard }, ids) => linkedDashboard(ids),
    identifiers: ['id', 'dashboardId'],
    relations: {
      dashboard: ({ start }, ids) => start('Dashboard', ids),
      alerts: ({ early }) => early.alerts(),
    },
  },
  Alert: {
    check: ({ observability }, ids) => observability.check('getAlert', ids),
    startRecord: ({ alert }, ids) => alert(ids),
    identifiers: ['id', 'nodeId'],
    madeOf: {
      phase: ['state'],
      silencedUntil: ['silenced'],
      teamId: ['team'],
      savedSearchId: ['savedSearch'],
      dashboardId: ['dashboard'],
      tile: ['dashboard', 'tileId'],
    },
    relations: {},
  },
};

/** Throws the error for identifiers of the wrong form. */
export const checkIds = <Type extends EntityType>(
  typeName: Type,
  ids: EntityIds[Type],
  { upstream }: Context,
): void => entities[typeName].check(upstream, ids);

/** The selections of an entity. */
interface EntitySelection<Type extends EntityType> {
  readonly typeName: Type;
  readonly type: GraphQLObjectType;
  /** Whether a selected field needs the record. */
  readonly needsRecord: boolean;
  /** The members of the record that the selected fields need. */
  readonly members: readonly string[];
  readonly relations: readonly FieldNodes[];
}

const nameOf = ([node]: FieldNodes): string => node.name.value;

/**
 * The relation with this name; undefined for a field that is not a relation. It must be called with arguments that fit the
 * SDL, from which their types are generated.
 */
const relationOf = <Type extends EntityType>(
  typeName: Type,
  name: string,
): Relation<Type> | undefined =>
  entities[typeName].relations[name as Field<Type>] as Relation<Type> | undefined;

/**
 * @param nodes the nodes of the field whose value is the entity
 * @param others fields that need no record, in addition to its identifiers
 */
export const selectOf = <Type extends EntityType>(
  typeName: Type,
  nodes: readonly FieldNode[],
  info: Scope,
  others: readonly string[] = [],
): EntitySelection<Type> => {
  const type = info.schema.getType(typeName);
  if (!isObjectType(type)) throw new TypeError(`The schema has no object type ${typeName}`);
  const { madeOf, identifiers } = entities[typeName];
  const known = new Set<string>(['__typename', ...identifiers.map(String), ...others]);
  const selectionSets = nodes.map(({ selectionSet }) => selectionSet);
  const fields = [...collectFields(type, selectionSets, info).values()];
  const rest = fields.filter((field) => !known.has(nameOf(field)));
  const relations = rest.filter((field) => relationOf(typeName, nameOf(field)));
  const ofRecord = rest.filter((field) => !relations.includes(field)).map(nameOf);
  const members = ofRecord.flatMap((name) => madeOf?.[name as Field<Type>] ?? [name]);
  return { typeName, type, needsRecord: ofRecord.length > 0, members, relations };
};

/** Whether the relation's own field will meet and report the same error. */
const isReportedLater = (error: unknown): boolean =>
  error instanceof GraphQLError || error instanceof UpstreamError;

/** The field that takes the read reports its failure. If the parent fails, no field does, and the parent's error is enough. */
const begun = (reading: unknown): void => {
  if (reading instanceof Promise) reading.catch(() => undefined);
};

/**
 * Starts the reads of an entity's selected relations before its record has arrived, down to the first object that must be
 * read before its relations are known. The resolvers later join these reads.
 */
export const startRelations = <Type extends EntityType>(
  { typeName, type, relations }: EntitySelection<Type>,
  ids: EntityIds[Type],
  context: Context,
  info: Scope,
): void => {
  for (const nodes of relations) {
    const [node] = nodes;
    const name = node.name.value;
    const field = type.getFields()[name];
    if (!field) continue;
    const own = context.parts?.of(nodes) ?? context;
    const start: Below['start'] = (nextType, nextIds) =>
      startEntity(nextType, nextIds, nodes, own, info);
    try {
      const args = getArgumentValues(field, node, info.variableValues);
      begun(relationOf(typeName, name)?.({ early: own.loaders.early(), start }, ids, args));
    } catch (error) {
      if (!isReportedLater(error)) throw error;
    }
  }
};

const startEntity = <Type extends EntityType>(
  typeName: Type,
  ids: EntityIds[Type],
  nodes: readonly FieldNode[],
  context: Context,
  info: Scope,
): void => {
  checkIds(typeName, ids, context);
  const selection = selectOf(typeName, nodes, info);
  if (selection.needsRecord) begun(entities[typeName].startRecord(context.loaders.early(), ids));
  startRelations(selection, ids, context, info);
};
