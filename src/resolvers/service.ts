import type {
  BackupResolvers,
  InputMaybe,
  MutationResolvers,
  QueryResolvers,
  ServiceFilter,
  ServiceOrder,
  ServiceResolvers,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import type { OrganizationIds } from '../loaders/index.ts';
import { oncePerList } from '../loaders/one-or-list.ts';
import type { Context } from '../request/context.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import { lackingIn } from '../upstream/error.ts';
import type { BackupRecord, ServiceRecord } from '../upstream/management/records.ts';
import type { ServiceCommand } from '../upstream/management/requests.ts';
import { needsTotals, replicaMembersOf } from '../upstream/management/scaling-rules.ts';
import { findOrganization, findPipe, findService } from './entities.ts';
import type { ServiceMapper } from './mappers.ts';
import { mutation, update } from './mutation.ts';
import { inOrder, textKey, timeKey } from './order.ts';
import { ofPart } from './part.ts';
import { servicePhase, servicePhaseKey } from './phase.ts';
import { pipesInOrder, pipesOf } from './pipe.ts';
import { serviceCommands } from './service-commands.ts';
import type { RootsOf } from './values.ts';
import { asObject, checkLength, equalsText, isOneOf, nameContains } from './values.ts';

/** Whether the service has the wanted tag, given as `key` or `key=value`. True if no tag is wanted. */
const hasTag = ({ tags }: ServiceRecord, wanted: string | null | undefined): boolean =>
  wanted === null ||
  wanted === undefined ||
  (Array.isArray(tags) &&
    tags.some(
      (tag) => isObject(tag) && (tag.key === wanted || `${tag.key}=${tag.value}` === wanted),
    ));

const passes = (service: ServiceRecord, filter: ServiceFilter): boolean =>
  equalsText(service.state, filter.state) &&
  isOneOf(servicePhase(service), filter.phaseIn) &&
  hasTag(service, filter.tag) &&
  nameContains(service.name, filter.nameContains);

/** The services of an organization that match a filter, from the one list. */
export const servicesOf = async (
  organization: OrganizationIds,
  filter: InputMaybe<ServiceFilter>,
  { loaders }: Context,
): Promise<readonly ServiceMapper[]> => {
  const services = await loaders.services(organization);
  return filter ? services.filter((service) => passes(service, filter)) : services;
};

export const servicesInOrder = (
  services: readonly ServiceMapper[],
  order: InputMaybe<ServiceOrder>,
): readonly ServiceMapper[] =>
  inOrder(services, order, {
    NAME: ({ name }) => textKey(name),
    PHASE: servicePhaseKey,
    CREATED_AT: ({ createdAt }) => timeKey(createdAt),
  });

/** Of backups whose start is not known, the first. */
const newestOf = oncePerList(
  (backups: readonly BackupRecord[]) =>
    inOrder(
      backups,
      { field: 'STARTED_AT', direction: 'DESC' },
      { STARTED_AT: ({ startedAt }) => timeKey(startedAt) },
    )[0],
);

export const Query: RootsOf<QueryResolvers, 'service'> = {
  service: (_, ids, context, info) => findService(ids, context, info),
};

export const Service: ServiceResolvers = {
  nodeId: ({ organizationId, id }) => encodeNodeId('Service', organizationId, id),
  organization: ({ organizationId }, _, context, info) =>
    findOrganization({ organizationId }, context, info),
  phase: servicePhase,
  availableCommands: (service, _, { upstream }) =>
    serviceCommands(service, upstream.management.profile.name),
  pipes: async ({ organizationId, id }, { filter, orderBy }, context) =>
    pipesInOrder(await pipesOf({ organizationId, serviceId: id }, filter, context), orderBy),
  pipe: (service, { id }, context, info) =>
    findPipe(
      { organizationId: service.organizationId, serviceId: service.id, pipeId: id },
      context,
      info,
    ),
  backupConfiguration: ({ organizationId, id }, _, { loaders }) =>
    loaders.backupConfiguration({ organizationId, serviceId: id }),
  backups: async ({ organizationId, id }, { first }, { loaders }) => {
    checkLength(first);
    const backups = await loaders.backups({ organizationId, serviceId: id });
    return backups.slice(0, first ?? backups.length);
  },
  lastBackup: async ({ organizationId, id }, _, { loaders }) =>
    newestOf(await loaders.backups({ organizationId, serviceId: id })) ?? null,
};

export const Backup: BackupResolvers = {
  name: ({ backupName }) => backupName,
  bucketProvider: ({ bucket }) => asObject(bucket)?.bucketProvider,
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
  | 'updateService'
  | 'updateBackupConfiguration'
  | 'updateServiceScaling'
  | 'updateServicePassword'
  | 'startService'
  | 'stopService'
  | 'wakeService'
> = {
  updateService: update<'updateService'>(
    async ({ organizationId, serviceId, ...body }, { upstream }) => {
      const ids = { organizationId, serviceId };
      const service = await upstream.management.updateService(ids, body);
      return { service: { ...service, id: serviceId } };
    },
  ),
  updateBackupConfiguration: update<'updateBackupConfiguration'>(
    async ({ organizationId, serviceId, ...body }, { upstream }) => {
      const ids = { organizationId, serviceId };
      const { management } = upstream;
      const changed = await ofPart(
        management.updateBackupConfiguration(ids, body),
        { name: 'backup configuration', field: null },
        () => management.fresh('getService', ids),
      );
      return { backupConfiguration: changed };
    },
  ),
  updateServiceScaling: update<'updateServiceScaling'>(
    async ({ organizationId, serviceId, ...body }, { upstream: { management } }) => {
      const ids = { organizationId, serviceId };
      const members = replicaMembersOf(body);
      if (members.length > 0) management.requireInProfile('updateReplicaScaling', members);
      // The path for total memory is deprecated where there is another, and not for services that scale horizontally.
      const isReplaced = management.isInProfile('updateReplicaScaling') && !needsTotals(body);
      const service = await ofPart(
        members.length > 0 || isReplaced
          ? management.updateReplicaScaling(ids, body)
          : management.updateServiceScaling(ids, body),
        { name: 'scaling', field: null },
        () => management.fresh('getService', ids),
      );
      return { service: { ...service, id: serviceId } };
    },
  ),
  updateServicePassword: mutation<'updateServicePassword'>(
    async ({ organizationId, serviceId, ...body }, { upstream }) => {
      const ids = { organizationId, serviceId };
      const { password } = await upstream.management.updateServicePassword(ids, body);
      if (password || body.newPasswordHash) return { password };
      const detail = 'the password was changed, but is not in the answer. Set the password again';
      return { password: lackingIn('management', 'updateServicePassword', detail) };
    },
  ),
  startService: command('start'),
  stopService: command('stop'),
  wakeService: command('awake'),
};
