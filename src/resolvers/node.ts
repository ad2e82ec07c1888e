import type { GraphQLResolveInfo } from 'graphql';
import type { NodeResolvers, QueryResolvers } from '../generated/schema.ts';
import type { Context } from '../request/context.ts';
import { decodeNodeId } from '../schema/node-id.ts';
import { findAlert, findDashboard, findOrganization, findPipe, findService } from './entities.ts';
import type { NodeMapper } from './mappers.ts';
import type { RootsOf } from './values.ts';

/** Finds the object for a nodeId, through the same reads as the entity's own root field. */
const findNode = async (
  nodeId: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<NodeMapper> => {
  const {
    type,
    path: [first = '', second = '', third = ''],
  } = decodeNodeId(nodeId);
  switch (type) {
    case 'Organization': {
      const entity = await findOrganization({ organizationId: first }, context, info);
      return { ...entity, __typename: type };
    }
    case 'Service': {
      const ids = { organizationId: first, serviceId: second };
      return { ...(await findService(ids, context, info)), __typename: type };
    }
    case 'Pipe': {
      const ids = { organizationId: first, serviceId: second, pipeId: third };
      return { ...(await findPipe(ids, context, info)), __typename: type };
    }
    case 'Dashboard': {
      const entity = await findDashboard({ dashboardId: first }, context, info);
      return { ...entity, __typename: type };
    }
    case 'Alert': {
      const entity = await findAlert({ alertId: first }, context, info);
      return { ...entity, __typename: type };
    }
  }
};

export const Query: RootsOf<QueryResolvers, 'node' | 'nodes'> = {
  node: (_, { nodeId }, context, info) => findNode(nodeId, context, info),
  nodes: (_, { nodeIds }, context, info) =>
    nodeIds.map((nodeId) => findNode(nodeId, context, info)),
};

export const Node: NodeResolvers = {
  __resolveType: ({ __typename }) => __typename,
};
