import { collectSubFields } from '@graphql-tools/utils';
import {
  defaultFieldResolver,
  type FieldNode,
  type GraphQLObjectType,
  type GraphQLResolveInfo,
  getArgumentValues,
  isObjectType,
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

interface Selection {
  readonly type: GraphQLObjectType;
  readonly needsRecord: boolean;
  /** Nodes of each selected relation, one entry a response key. */
  readonly relations: readonly FieldNode[][];
}

const select = (typeName: keyof FieldKinds, info: GraphQLResolveInfo): Selection => {
  const type = info.schema.getType(typeName);
  if (!isObjectType(type)) throw new TypeError(`The schema has no object type ${typeName}`);
  const kinds = fieldKinds[typeName];
  const identifiers = new Set<string>(kinds.identifiers).add('__typename');
  const relations = new Set<string>(kinds.relations);
  const variables = { coerced: info.variableValues, sources: {} };
  const { fields } = collectSubFields(info.schema, info.fragments, variables, type, [
    ...info.fieldNodes,
  ]);
  const selected = [...fields.values()];
  const nameOf = (nodes: readonly FieldNode[]): string => nodes[0]?.name.value ?? '';
  return {
    type,
    needsRecord: selected.some(
      (nodes) => !identifiers.has(nameOf(nodes)) && !relations.has(nameOf(nodes)),
    ),
    relations: selected.filter((nodes) => relations.has(nameOf(nodes))),
  };
};

/**
 * Runs the resolver of a selected relation ahead of its time. Its reads are shared, so the field's own
 * execution finds them under way. What fails here fails there again, and is reported there; when the
 * parent fails, there is no field left to report it.
 */
const startRelation = async (
  type: GraphQLObjectType,
  fieldNodes: readonly FieldNode[],
  parent: unknown,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<void> => {
  const [node] = fieldNodes;
  const field = node && type.getFields()[node.name.value];
  if (!node || !field) return;
  try {
    const args = getArgumentValues(field, node, info.variableValues);
    await (field.resolve ?? defaultFieldResolver)(parent, args, context, {
      ...info,
      fieldName: field.name,
      fieldNodes,
      returnType: field.type,
      parentType: type,
    });
  } catch {
    // See above: reported by the field itself.
  }
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

/**
 * Resolves an entity whose identifiers are known (design, section 5).
 * Its record is not read when only identifiers and relations are selected, and relations start with it
 * rather than after it. Where the record cannot be had here at all (section 6), the identifiers and
 * relations still work.
 *
 * @param identified the parent as far as its identifiers make it
 */
export const lookUp = async <Record extends object, Parent extends object>(
  typeName: keyof FieldKinds,
  identified: Parent,
  read: () => Promise<Record>,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<Parent> => {
  const { type, needsRecord, relations } = select(typeName, info);
  if (!needsRecord) return identified;
  const reading = read();
  for (const nodes of relations) void startRelation(type, nodes, identified, context, info);
  try {
    return { ...(await reading), ...identified };
  } catch (error) {
    if (isUnavailable(error)) return withoutRecord(type, identified, error);
    throw error;
  }
};
