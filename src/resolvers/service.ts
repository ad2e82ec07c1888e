import type { MutationResolvers, QueryResolvers, ServiceResolvers } from '../generated/schema.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import type { ServiceCommand } from '../upstream/management/requests.ts';
import { findOrganization, findPipe, findService } from './entities.ts';
import { mutation } from './mutation.ts';
import { pipesOf } from './pipe.ts';
import type { RootsOf } from './values.ts';

export const Query: RootsOf<QueryResolvers, 'service'> = {
  service: (_, ids, context, info) => findService(ids, context, info),
};

export const Service: ServiceResolvers = {
  nodeId: ({ organizationId, id }) => encodeNodeId('Service', organizationId, id),
  organization: ({ organizationId }, _, context, info) =>
    findOrganization({ organizationId }, context, info),
  pipes: ({ organizationId, id }, { filter }, context) =>
    pipesOf({ organizationId, serviceId: id }, filter, context),
  pipe: (service, { id }, context, info) =>
    findPipe(
      { organizationId: service.organizationId, serviceId: service.id, pipeId: id },
      context,
      info,
    ),
  backupConfiguration: ({ organizationId, id }, _, { loaders }) =>
    loaders.backupConfiguration({ organizationId, serviceId: id }),
};

const command = (state: ServiceCommand) =>
  mutation<'startService' | 'stopService' | 'wakeService'>(
    async ({ organizationId, serviceId }, { upstream }) => {
      const ids = { organizationId, serviceId };
      const service = await upstream.management.updateServiceState(ids, state);
      return { service: { ...service, id: serviceId } };
    },
  );

export const Mutation: RootsOf<
  MutationResolvers,
  'updateServiceScaling' | 'updateServicePassword' | 'startService' | 'stopService' | 'wakeService'
> = {
  updateServiceScaling: mutation<'updateServiceScaling'>(
    async ({ organizationId, serviceId, ...body }, { upstream }) => {
      const ids = { organizationId, serviceId };
      const service = await upstream.management.updateServiceScaling(ids, body);
      return { service: { ...service, id: serviceId } };
    },
  ),
  updateServicePassword: mutation<'updateServicePassword'>(
    async ({ organizationId, serviceId, ...body }, { upstream }) => ({
      password: (
        await upstream.management.updateServicePassword({ organizationId, serviceId }, body)
      ).password,
    }),
  ),
  startService: command('start'),
  stopService: command('stop'),
  wakeService: command('awake'),
};
