import type {
  ActivityResolvers,
  ApiKeyFilter,
  ApiKeyResolvers,
  InvitationResolvers,
  MutationResolvers,
  OrganizationResolvers,
  QueryResolvers,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import { lackingIn } from '../upstream/error.ts';
import { findOrganization, findService, linkedIn } from './entities.ts';
import { allOf, is, isOneOfTexts, where } from './filter.ts';
import { ApiKeyRoleInput } from './input-enums.ts';
import type { ActivityMapper, ApiKeyMapper } from './mappers.ts';
import { mutation, update } from './mutation.ts';
import { pipesOfAll } from './organization-pipes.ts';
import { createSelect } from './select.ts';
import { servicesOf } from './service.ts';
import type { RootsOf } from './values.ts';
import { asList, enumReader } from './values.ts';

const dayMs = 86_400_000;

/** Whether a time is in the past or at most this many days away. False for a value that is not a time. */
const isWithinDays =
  (days: number) =>
  (time: unknown): boolean =>
    Date.parse(String(time)) <= Date.now() + days * dayMs;

const selectApiKeys = createSelect<ApiKeyMapper, ApiKeyFilter, never>({
  prepare: ({ stateIn, expiresWithinDays, expired }) =>
    allOf<ApiKeyMapper>(
      where(({ state }) => state, stateIn, isOneOfTexts),
      where(({ expireAt }) => expireAt, expiresWithinDays, isWithinDays),
      where(({ expireAt }) => isWithinDays(0)(expireAt), expired, is),
    ),
  keys: {},
});

const selectActivities = createSelect<ActivityMapper, readonly string[], never>({
  prepare: (types) => allOf<ActivityMapper>(where(({ type }) => type, types, isOneOfTexts)),
  keys: {},
});

export const Query: RootsOf<QueryResolvers, 'organizations' | 'organization'> = {
  organizations: (_, __, { upstream }) => upstream.management.listOrganizations(),
  organization: (_, { organizationId }, context, info) =>
    findOrganization({ organizationId }, context, info),
};

export const Organization: OrganizationResolvers = {
  nodeId: ({ id }) => encodeNodeId('Organization', id),
  services: ({ id }, args, context) => servicesOf({ organizationId: id }, args, context),
  serviceCount: async ({ id }, args, context) =>
    (await servicesOf({ organizationId: id }, args, context)).length,
  pipes: ({ id }, args, context) => pipesOfAll({ organizationId: id }, args, context),
  service: (organization, { id }, context, info) =>
    findService({ organizationId: organization.id, serviceId: id }, context, info),
  invitations: ({ id }, _, { upstream }) =>
    upstream.management.listInvitations({ organizationId: id }),
  apiKeys: async ({ id }, args, context) =>
    selectApiKeys(
      await context.upstream.management.listApiKeys({ organizationId: id }),
      args,
      context,
    ),
  activities: async ({ id }, { from, to, typeIn }, context) => {
    const { management } = context.upstream;
    const all = await management.listActivities({ organizationId: id }, { from, to });
    return selectActivities(all, { filter: typeIn }, context);
  },
};

export const Activity: ActivityResolvers = {
  actorKey: ({ actorType, actorId, organizationId }, _, { upstream }) =>
    linkedIn(actorType === 'api' ? actorId : null, () =>
      upstream.management.listApiKeys({ organizationId }),
    ),
};

/** An empty text means "never", as null does. */
const orNever = (expireAt: string | null | undefined): string | null | undefined =>
  expireAt === '' ? null : expireAt;

export const Invitation: InvitationResolvers = {
  expiresAt: ({ expireAt }) => orNever(expireAt),
};

const readRole = enumReader(ApiKeyRoleInput);

export const ApiKey: ApiKeyResolvers = {
  nodeId: ({ organizationId, id }) => encodeNodeId('ApiKey', organizationId, id),
  expiresAt: ({ expireAt }) => orNever(expireAt),
  lastUsedAt: ({ usedAt }) => usedAt,
  roles: ({ roles }) => asList(roles)?.map((role) => readRole(role) ?? 'UNKNOWN'),
};

const anotherKey = 'Delete the key, and create another';

/** The error for a member that the answer to `createApiKey` lacks. */
const lacking = (what: string, advice: string): Error =>
  lackingIn(
    'management',
    'createApiKey',
    `the key was created, but its ${what} is not in the answer. ${advice}`,
  );

export const Mutation: RootsOf<
  MutationResolvers,
  'updateOrganization' | 'createApiKey' | 'updateApiKey' | 'deleteApiKey'
> = {
  updateOrganization: update<'updateOrganization'>(
    async ({ organizationId, ...body }, { upstream }) => {
      const changed = await upstream.management.updateOrganization({ organizationId }, body);
      return { organization: { ...changed, id: organizationId } };
    },
  ),
  createApiKey: mutation<'createApiKey'>(async ({ organizationId, ...input }, { upstream }) => {
    // Some services refuse the empty text.
    const body = input.expiresAt === '' ? { ...input, expiresAt: null } : input;
    const made = await upstream.management.createApiKey({ organizationId }, body);
    const { key } = made;
    const apiKey = isObject(key)
      ? { ...key, organizationId }
      : (key ?? lacking('description', 'Look for it in the list of keys'));
    if (input.hashData) return { apiKey, keyId: made.keyId, keySecret: made.keySecret };
    return {
      apiKey,
      keyId: made.keyId || lacking('keyId', anotherKey),
      keySecret: made.keySecret || lacking('keySecret', anotherKey),
    };
  }),
  updateApiKey: update<'updateApiKey'>(
    async ({ organizationId, apiKeyId, ...body }, { upstream }) => {
      const ids = { organizationId, apiKeyId };
      const apiKey = await upstream.management.updateApiKey(ids, body);
      return { apiKey: { ...apiKey, id: apiKeyId } };
    },
  ),
  deleteApiKey: mutation<'deleteApiKey'>(async (ids, { upstream }) => {
    await upstream.management.deleteApiKey(ids);
    return { deletedApiKeyId: ids.apiKeyId };
  }),
};
