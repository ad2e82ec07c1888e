import type { GraphQLResolveInfo } from 'graphql';
import type { QueryResolvers } from '../generated/schema.ts';
import type { Context } from '../request/context.ts';
import { decodeNodeId } from '../schema/node-id.ts';
import { type Entity, readsOf } from '../schema/reads.ts';
import type { Ids } from '../upstream/row.ts';
import { finder } from './entities.ts';
import type { NodeMapper } from './mappers.ts';
import type { RootsOf } from './values.ts';

/** Finds the object for a nodeId, through the same reads as the entity's own root field. */
const findNode = async (
  nodeId: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<NodeMapper> => {
  const { upstream } = context;
  const identifiersOf = ({ read, parameters }: Entity): readonly string[] => [
    ...upstream[read.upstream].below,
    ...parameters,
  ];
  const { type, path } = decodeNodeId(nodeId, info.schema, (each) => identifiersOf(each).length);
  const entity = readsOf(info.schema).entityOf(type);
  const parameters = entity ? identifiersOf(entity) : [];
  const ids: Ids = Object.fromEntries(parameters.map((name, index) => [name, path[index] ?? '']));
  return { ...(await finder<Ids, object>(type)(ids, context, info)), __typename: type };
};

export const Query: RootsOf<QueryResolvers, 'node' | 'nodes'> = {
  node: (_, { nodeId }, context, info) => findNode(nodeId, context, info),
  nodes: (_, { nodeIds }, context, info) =>
    nodeIds.map((nodeId) => findNode(nodeId, context, info)),
};
