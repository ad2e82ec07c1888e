import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  getNullableType,
  isListType,
  isObjectType,
  OperationTypeNode,
} from 'graphql';
import type { Context } from '../context.ts';
import type {
  AlertResolvers,
  DashboardResolvers,
  OrganizationResolvers,
  PipeResolvers,
  ServiceResolvers,
  TileResolvers,
} from '../generated/schema.ts';
import { isUnavailable } from '../upstream/error.ts';
import {
  type FieldNodes,
  fieldName,
  perSelection,
  responseKey,
  selectedFields,
} from './selection.ts';

interface EntityResolvers {
  Organization: OrganizationResolvers;
  Service: ServiceResolvers;
  Pipe: PipeResolvers;
  Dashboard: DashboardResolvers;
  Tile: TileResolvers;
  Alert: AlertResolvers;
}

type FieldKinds = {
  readonly [Type in keyof EntityResolvers]: {
    /** Fields that the identifiers answer by themselves. */
    readonly identifiers: readonly (keyof EntityResolvers[Type])[];
    /** Fields whose resolvers need nothing but the identifiers. Every other field needs the record. */
    readonly relations: readonly (keyof EntityResolvers[Type])[];
  };
};

/** What can be answered, or at least started, before the record of an entity has been read. */
const fieldKinds: FieldKinds = {
  Organization: {
    identifiers: ['id', 'nodeId'],
    relations: ['services', 'service', 'invitations'],
  },
  Service: {
    identifiers: ['id', 'nodeId', 'organizationId'],
    relations: ['organization', 'pipes', 'pipe', 'backupConfiguration'],
  },
  Pipe: {
    identifiers: ['id', 'nodeId', 'organizationId', 'serviceId'],
    relations: ['service'],
  },
  Dashboard: { identifiers: ['id', 'nodeId'], relations: ['alerts'] },
  Tile: { identifiers: ['id', 'dashboardId'], relations: ['dashboard', 'alerts'] },
  Alert: { identifiers: ['id', 'nodeId'], relations: [] },
};

/** A selected relation, as far as the document alone tells of it. */
interface Relation {
  readonly key: string;
  readonly nodes: FieldNodes;
  readonly field: GraphQLField<unknown, Context>;
  readonly readArguments: (
    variables: GraphQLResolveInfo['variableValues'],
  ) => Readonly<Record<string, unknown>>;
}

interface Selection {
  readonly type: GraphQLObjectType;
  /** Whether nothing else of the operation can be looked up in the same tick. */
  readonly alone: boolean;
  readonly needsRecord: boolean;
  readonly relations: readonly Relation[];
}

/** Whether the field being resolved is all that a query asks for at its root, and is no list of things. */
const isOnlyRoot = ({ operation, fieldNodes, returnType }: GraphQLResolveInfo): boolean => {
  const { selections } = operation.selectionSet;
  return (
    operation.operation === OperationTypeNode.QUERY &&
    selections.length === 1 &&
    selections[0] === fieldNodes[0] &&
    !isListType(getNullableType(returnType))
  );
};

const relationOf = (type: GraphQLObjectType, nodes: FieldNodes): Relation => {
  const [node] = nodes;
  const field = node && type.getFields()[node.name.value];
  if (!node || !field) throw new TypeError(`${type.name} has no such relation`);
  const readArguments: Relation['readArguments'] = (variables) =>
    getArgumentValues(field, node, variables);
  return { key: responseKey(nodes), nodes, field, readArguments };
};

const select = perSelection((typeName: keyof FieldKinds, info): Selection => {
  const type = info.schema.getType(typeName);
  if (!isObjectType(type)) throw new TypeError(`The schema has no object type ${typeName}`);
  const kinds = fieldKinds[typeName];
  const identifiers = new Set<string>(kinds.identifiers).add('__typename');
  const relations = new Set<string>(kinds.relations);
  const selected = selectedFields(type, info);
  const started = selected.filter((nodes) => relations.has(fieldName(nodes)));
  return {
    type,
    alone: isOnlyRoot(info) && started.length === 0,
    needsRecord: selected.some(
      (nodes) => !identifiers.has(fieldName(nodes)) && !relations.has(fieldName(nodes)),
    ),
    relations: started.map((nodes) => relationOf(type, nodes)),
  };
});

/** Values of relations that were started before their turn, by response key; part of a parent. */
const startedAhead = Symbol('started ahead');
type Started = ReadonlyMap<string, Promise<unknown>>;

/** Runs the resolvers of the selected relations before the parent's record is there. */
const startRelations = (
  { type, relations }: Selection,
  parent: object,
  context: Context,
  info: GraphQLResolveInfo,
): Started => {
  const start = ({ nodes, field, readArguments }: Relation): Promise<unknown> => {
    try {
      const { resolve = defaultFieldResolver } = field;
      const value = resolve(parent, readArguments(info.variableValues), context, {
        ...info,
        fieldName: field.name,
        fieldNodes: nodes,
        returnType: field.type,
        parentType: type,
      });
      return Promise.resolve(value);
    } catch (error) {
      return Promise.reject(error);
    }
  };
  const started = new Map<string, Promise<unknown>>();
  for (const relation of relations) {
    const value = start(relation);
    // Its field reports what failed. Where the parent fails there is no field, and its error stands.
    value.catch(() => undefined);
    started.set(relation.key, value);
  }
  return started;
};

type Resolve = (
  parent: object,
  args: unknown,
  context: Context,
  info: GraphQLResolveInfo,
) => unknown;

/** Lets the relations of an entity type take what was started ahead of them, instead of starting anew. */
export const takingStarted = <Type extends keyof FieldKinds>(
  typeName: Type,
  resolvers: EntityResolvers[Type],
): EntityResolvers[Type] => {
  const taking =
    (resolve: Resolve): Resolve =>
    (parent, args, context, info) => {
      const started = (parent as { readonly [startedAhead]?: Started })[startedAhead];
      return started?.get(responseKey(info.fieldNodes)) ?? resolve(parent, args, context, info);
    };
  const relations = fieldKinds[typeName].relations.map((name) => [
    name,
    taking(resolvers[name] as Resolve),
  ]);
  return { ...resolvers, ...Object.fromEntries(relations) };
};

/** A record with the identifiers it was found by, which nearly always are its own. */
const withIdentifiers = <Found extends object, Parent extends object>(
  record: Found,
  parent: Parent,
): Parent => {
  const own = record as Readonly<Record<string | symbol, unknown>>;
  const given = parent as typeof own;
  const isWhole =
    !(startedAhead in parent) && Object.keys(parent).every((name) => own[name] === given[name]);
  // What a parent has of the record, its fields check as they are read.
  return isWhole ? (record as unknown as Parent) : { ...record, ...parent };
};

/** A parent without its record: each field that needs it fails by itself; the rest works. */
const withoutRecord = <Parent extends object>(
  type: GraphQLObjectType,
  parent: Parent,
  error: Error,
): Parent => ({
  ...Object.fromEntries(Object.keys(type.getFields()).map((name) => [name, error])),
  ...parent,
});

/** Reads an entity's record; for `alone` see `Find`. */
export type Read<Found> = (alone: boolean) => Promise<Found>;

/**
 * Resolves an entity whose identifiers are known (design, section 5).
 * Its record is not read when only identifiers and relations are selected, and relations start with it
 * rather than after it, down to the first thing that must be read to be known. Where the record cannot be
 * had here at all (section 6), the identifiers and relations still work.
 *
 * @param identified the parent as far as its identifiers make it
 */
export const lookUp = <Found extends object, Parent extends object>(
  typeName: keyof FieldKinds,
  identified: Parent,
  read: Read<Found>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Parent> => {
  const selection = select(typeName, info);
  const reading = selection.needsRecord ? read(selection.alone) : undefined;
  const parent =
    selection.relations.length > 0
      ? { ...identified, [startedAhead]: startRelations(selection, identified, context, info) }
      : identified;
  if (!reading) return Promise.resolve(parent);
  return reading.then(
    (record) => withIdentifiers(record, parent),
    (error: unknown) => {
      if (isUnavailable(error)) return withoutRecord(selection.type, parent, error);
      throw error;
    },
  );
};
