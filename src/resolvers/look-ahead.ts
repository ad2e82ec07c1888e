import {
  type FieldNode,
  GraphQLError,
  type GraphQLObjectType,
  getArgumentValues,
  isObjectType,
} from 'graphql';
import { collectFields, type FieldNodes, type Scope } from '../graphql/collect.ts';
import type { Context } from '../request/context.ts';
import { type EarlyRead, type Entity, readsOf } from '../schema/reads.ts';
import { UpstreamError } from '../upstream/error.ts';
import type { Ids } from '../upstream/row.ts';
import { checkLength } from './values.ts';

type Arguments = Readonly<Record<string, unknown>>;

/** The selections of an entity. */
interface EntitySelection {
  readonly entity: Entity;
  readonly type: GraphQLObjectType;
  /** The fields that need the record. */
  readonly ofRecord: readonly string[];
  /** The fields whose reads can begin before the record has been read. */
  readonly early: readonly (readonly [FieldNodes, EarlyRead])[];
}

/** Whether the field is missing in the gateway's profiles. */
const isUnavailable = (
  type: GraphQLObjectType,
  name: string,
  { profiles }: EarlyRead,
  { unavailableFields }: Context,
): boolean => profiles.length > 0 && unavailableFields.includes(`${type.name}.${name}`);

/** @param nodes the nodes of the field whose value is the entity */
export const selectOf = (
  entity: Entity,
  nodes: readonly FieldNode[],
  info: Scope,
): EntitySelection => {
  const { typeName } = entity;
  const type = info.schema.getType(typeName);
  if (!isObjectType(type)) throw new TypeError(`The schema has no object type ${typeName}`);
  const reads = readsOf(info.schema);
  const selectionSets = nodes.map(({ selectionSet }) => selectionSet);
  const ofRecord: string[] = [];
  const early: (readonly [FieldNodes, EarlyRead])[] = [];
  for (const field of collectFields(type, selectionSets, info).values()) {
    const name = field[0].name.value;
    const read = reads.readOf(typeName, name);
    if (read?.kind === 'read') early.push([field, read]);
    else if (!reads.isWithoutRecord(entity, name)) ofRecord.push(name);
  }
  return { entity, type, ofRecord, early };
};

/**
 * The identifiers of a field's read; undefined if one of them is an argument that is not given. An object below a service
 * leads to objects below the same service.
 */
const idsOf = (
  { ids, operation }: EarlyRead,
  parent: Ids,
  args: Arguments,
  { upstream }: Context,
): Ids | undefined => {
  const values = { parent, argument: args };
  const below = upstream[operation.upstream].below.map((name) => [name, parent[name]] as const);
  const found = ids.map(([name, source]) => [name, values[source.from][source.name]] as const);
  const all = [...below, ...found];
  if (!all.every(([, value]) => typeof value === 'string')) return undefined;
  return Object.fromEntries(all) as Ids;
};

const queryOf = ({ operation: { query } }: EarlyRead, args: Arguments): object | undefined =>
  query.length === 0 ? undefined : Object.fromEntries(query.map((name) => [name, args[name]]));

/** Ignores a failure here: the field that uses the read reports it. If the parent fails, the parent's error is enough. */
const begun = (reading: Promise<unknown>): void => {
  reading.catch(() => undefined);
};

/** Whether the field's resolver will get the same error, and report it. */
const isReportedLater = (error: unknown): boolean =>
  error instanceof GraphQLError || error instanceof UpstreamError;

/**
 * Starts the reads of an entity's selected fields before its record has arrived, at every depth where the identifiers are
 * known. The resolvers later use these reads.
 *
 * @param isLinked whether the identifiers come from a record that has been read
 */
export const startReads = (
  { type, early }: EntitySelection,
  parent: Ids,
  context: Context,
  info: Scope,
  isLinked: boolean,
): void => {
  for (const [nodes, read] of early) {
    const [node] = nodes;
    const field = type.getFields()[node.name.value];
    if (!field || isUnavailable(type, field.name, read, context)) continue;
    const own = context.parts?.of(nodes) ?? context;
    try {
      const args: Arguments = getArgumentValues(field, node, info.variableValues);
      // By name, since no directive of the SDL marks lengths: a field with a wrong length must cost no call.
      if (typeof args.first === 'number') checkLength(args.first);
      const ids = idsOf(read, parent, args, own);
      if (!ids) continue;
      const { operation, entity } = read;
      if (entity) startEntity(entity, ids, nodes, own, info, isLinked);
      else begun(own.early()[operation.upstream].read(operation.name, ids, queryOf(read, args)));
    } catch (error) {
      if (!isReportedLater(error)) throw error;
    }
  }
};

const startEntity = (
  entity: Entity,
  ids: Ids,
  nodes: readonly FieldNode[],
  context: Context,
  info: Scope,
  isLinked: boolean,
): void => {
  const { name, upstream } = entity.read;
  context.upstream[upstream].check(name, ids);
  const selection = selectOf(entity, nodes, info);
  if (selection.ofRecord.length > 0) {
    begun(context.loaders(entity)(ids, context.early()[upstream], isLinked));
  }
  startReads(selection, ids, context, info, isLinked);
};
