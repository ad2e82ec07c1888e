import { GraphQLError, type GraphQLSchema, isInterfaceType } from 'graphql';
import { readsOf } from './reads.ts';

/** Whether the type is a Node whose nodeId has this number of identifiers. */
const isNodeOf = (schema: GraphQLSchema, name: string, depth: number): boolean => {
  const node = schema.getType('Node');
  return (
    isInterfaceType(node) &&
    schema.getPossibleTypes(node).some((type) => type.name === name) &&
    readsOf(schema).entityOf(name)?.parameters.length === depth
  );
};

/** base64url of the type's name and the identifiers of its path, separated by colons, which no identifier contains. */
export const encodeNodeId = (type: string, ...path: readonly string[]): string =>
  Buffer.from([type, ...path].join(':')).toString('base64url');

/**
 * Splits a nodeId. The upstream client checks the form of its identifiers.
 * @throws GraphQLError (BAD_USER_INPUT) for a value that `encodeNodeId` cannot have made.
 */
export const decodeNodeId = (
  nodeId: string,
  schema: GraphQLSchema,
): { readonly type: string; readonly path: readonly string[] } => {
  const [type = '', ...path] = Buffer.from(nodeId, 'base64url').toString('utf8').split(':');
  if (
    isNodeOf(schema, type, path.length) &&
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
