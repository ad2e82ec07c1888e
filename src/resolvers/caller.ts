import type { CallerResolvers, QueryResolvers } from '../generated/schema.ts';
import { findLinkedOrganization } from './entities.ts';
import type { RootsOf } from './values.ts';

export const Query: RootsOf<QueryResolvers, 'whoAmI'> = {
  whoAmI: (_, __, { upstream }) => upstream.management.getCaller(),
};

export const Caller: CallerResolvers = {
  organization: ({ organizationId }, _, context, info) =>
    organizationId ? findLinkedOrganization({ organizationId }, context, info) : null,
};
