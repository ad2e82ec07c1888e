import { GraphQLError } from 'graphql';

/** The types that `node(nodeId:)` can read again, with the number of identifiers in their path. */
const depths = { Organization: 1, Service: 2, Pipe: 3, Dashboard: 1, Alert: 1 } as const;

export type NodeType = keyof typeof depths;

const isNodeType = (name: string | undefined): name is NodeType =>
  name !== undefined && Object.hasOwn(depths, name);

/** base64url of the type's name and the identifiers of its path, separated by colons, which no identifier contains. */
export const encodeNodeId = (type: NodeType, ...path: readonly string[]): string =>
  Buffer.from([type, ...path].join(':')).toString('base64url');

/**
 * Splits a nodeId. The upstream client checks the form of its identifiers.
 * @throws GraphQLError (BAD_USER_INPUT) for a value that `encodeNodeId` cannot have made.
 */
export const decodeNodeId = (
  nodeId: string,
): { readonly type: NodeType; readonly path: readonly string[] } => {
  const [type, ...path] = Buffer.from(nodeId, 'base64url').toString('utf8').split(':');
  if (
    isNodeType(type) &&
    path.length === depths[type] &&
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
