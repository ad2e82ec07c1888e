import type {
  ApiKeyResolvers,
  MutationResolvers,
  OrganizationResolvers,
  QueryResolvers,
} from '../generated/schema.ts';
import { encodeNodeId } from '../node-id.ts';
import { findOrganization, findService } from './entities.ts';
import { enumReader, inputEnums } from './enums.ts';
import { asList } from './list.ts';
import { mutation } from './mutation.ts';
import type { RootsOf } from './roots.ts';

export const Query: RootsOf<QueryResolvers, 'organizations' | 'organization'> = {
  organizations: (_, __, { upstream }) => upstream.management.listOrganizations(),
  organization: (_, { id }, context, info) =>
    findOrganization({ organizationId: id }, context, info),
};

export const Organization: OrganizationResolvers = {
  nodeId: ({ id }) => encodeNodeId('Organization', id),
  services: ({ id }, _, { upstream }) => upstream.management.listServices({ organizationId: id }),
  service: (organization, { id }, context, info) =>
    findService({ organizationId: organization.id, serviceId: id }, context, info),
  invitations: ({ id }, _, { upstream }) =>
    upstream.management.listInvitations({ organizationId: id }),
};

const readRole = enumReader(inputEnums.ApiKeyRoleInput);

export const ApiKey: ApiKeyResolvers = {
  roles: ({ roles }) => asList(roles)?.map((role) => readRole(role) ?? 'UNKNOWN'),
};

export const Mutation: RootsOf<MutationResolvers, 'updateOrganization' | 'createApiKey'> = {
  updateOrganization: mutation<'updateOrganization'>(
    async ({ organizationId, ...body }, { upstream }) => {
      const changed = await upstream.management.updateOrganization({ organizationId }, body);
      return { organization: { ...changed, id: organizationId } };
    },
  ),
  createApiKey: mutation<'createApiKey'>(async ({ organizationId, ...body }, { upstream }) => {
    const { key, keyId, keySecret } = await upstream.management.createApiKey(
      { organizationId },
      body,
    );
    return { apiKey: key, keyId, keySecret };
  }),
};
