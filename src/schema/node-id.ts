import { GraphQLError, GraphQLID, type GraphQLSchema, isInterfaceType } from 'graphql';
import { type Entity, readsOf } from './reads.ts';

/** The entity of a type whose objects have a nodeId. */
const nodeOf = (schema: GraphQLSchema, name: string): Entity | undefined => {
  const node = schema.getType('Node');
  const isNode =
    isInterfaceType(node) && schema.getPossibleTypes(node).some((type) => type.name === name);
  return isNode ? readsOf(schema).entityOf(name) : undefined;
};

/**
 * base64url of the type's name and the identifiers of its path, separated by colons. Only identifiers that are in no path of an
 * upstream, such as that of a tile, have characters to escape.
 * @throws GraphQLError if a record has something else as an identifier, as its `id` would fail.
 */
export const encodeNodeId = (type: string, ...path: readonly string[]): string => {
  const parts = [
    type,
    ...path.map((id) => encodeURIComponent(GraphQLID.serialize(id).toWellFormed())),
  ];
  return Buffer.from(parts.join(':')).toString('base64url');
};

const unescaped = (part: string): string => {
  try {
    return decodeURIComponent(part);
  } catch {
    return '';
  }
};

/**
 * Splits a nodeId. The upstream client checks the form of its identifiers.
 * @param depthOf how many identifiers the path of an entity has
 * @throws GraphQLError (BAD_USER_INPUT) for a value that `encodeNodeId` cannot have made.
 */
export const decodeNodeId = (
  nodeId: string,
  schema: GraphQLSchema,
  depthOf: (entity: Entity) => number,
): { readonly type: string; readonly path: readonly string[] } => {
  const [type = '', ...parts] = Buffer.from(nodeId, 'base64url').toString('utf8').split(':');
  const path = parts.map(unescaped);
  const entity = nodeOf(schema, type);
  if (
    entity &&
    depthOf(entity) === path.length &&
    !path.includes('') &&
    encodeNodeId(type, ...path) === nodeId
  ) {
    return { type, path };
  }
  throw new GraphQLError(
    `nodeId must be the value of a nodeId field of this gateway, got ${JSON.stringify(nodeId.slice(0, 64))}.`,
    { extensions: { code: 'BAD_USER_INPUT' } },
  );
};
