import type {
  BackupResolvers,
  MutationResolvers,
  OrganizationServicesArgs,
  QueryResolvers,
  ServiceFilter,
  ServiceOrderField,
  ServiceResolvers,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import { oncePerList } from '../loaders/one-or-list.ts';
import type { Context } from '../request/context.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import { lackingIn } from '../upstream/error.ts';
import type { BackupRecord } from '../upstream/management/rows/backup.ts';
import type { ServiceCommand } from '../upstream/management/rows/service.ts';
import { needsTotals, replicaMembersOf } from '../upstream/management/rows/service-scaling.ts';
import { selectAlerts } from './alert.ts';
import { stackOf } from './clickstack.ts';
import { selectDashboards } from './dashboard.ts';
import { findOrganization, findPipe, findService, type OrganizationIds } from './entities.ts';
import { allOf, contains, isOneOf, isOneOfTexts, where } from './filter.ts';
import type { ServiceMapper } from './mappers.ts';
import { mutation, update } from './mutation.ts';
import { inOrder, textKey, timeKey } from './order.ts';
import { ofPart } from './part.ts';
import { servicePhase, servicePhaseKey } from './phase.ts';
import { pipesOf } from './pipe.ts';
import { createSelect } from './select.ts';
import { serviceCommands } from './service-commands.ts';
import type { RootsOf } from './values.ts';
import { asObject, checkLength } from './values.ts';

/** Whether a service's tags have at least one of the wanted, each given as `key` or `key=value`. */
const hasOneOfTags = (texts: readonly string[]) => {
  const wanted = new Set<unknown>(texts);
  return (tags: unknown): boolean =>
    Array.isArray(tags) &&
    tags.some(
      (tag) => isObject(tag) && (wanted.has(tag.key) || wanted.has(`${tag.key}=${tag.value}`)),
    );
};

const selectServices = createSelect<ServiceMapper, ServiceFilter, ServiceOrderField>({
  prepare: ({ stateIn, phaseIn, tagIn, nameContains }) =>
    allOf<ServiceMapper>(
      where(({ state }) => state, stateIn, isOneOfTexts),
      where(servicePhase, phaseIn, isOneOf),
      where(({ tags }) => tags, tagIn, hasOneOfTags),
      where(({ name }) => name, nameContains, contains),
    ),
  keys: {
    NAME: ({ name }) => textKey(name),
    PHASE: servicePhaseKey,
    CREATED_AT: ({ createdAt }) => timeKey(createdAt),
  },
});

/** The services of an organization that match a filter, in the requested order. */
export const servicesOf = async (
  organization: OrganizationIds,
  args: OrganizationServicesArgs,
  context: Context,
): Promise<readonly ServiceMapper[]> =>
  selectServices(await context.upstream.management.listServices(organization), args, context);

/** The backup that started last. If no start is known, the first backup of the list. */
const newestOf = oncePerList(
  (backups: readonly BackupRecord[]) =>
    inOrder(
      backups,
      { field: 'STARTED_AT', direction: 'DESC' },
      { STARTED_AT: ({ startedAt }) => timeKey(startedAt) },
    )[0],
);

const stackOfService = (
  { organizationId, id }: ServiceMapper,
  context: Context,
  operation: string,
) => stackOf({ organizationId, serviceId: id }, context, operation);

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
  pipes: ({ organizationId, id }, args, context) =>
    pipesOf({ organizationId, serviceId: id }, args, context),
  pipe: (service, { id }, context, info) =>
    findPipe(
      { organizationId: service.organizationId, serviceId: service.id, pipeId: id },
      context,
      info,
    ),
  backupConfiguration: ({ organizationId, id }, _, { upstream }) =>
    upstream.management.getBackupConfiguration({ organizationId, serviceId: id }),
  backups: async ({ organizationId, id }, { first, statusIn }, { upstream }) => {
    checkLength(first);
    const all = await upstream.management.listBackups({ organizationId, serviceId: id });
    const backups = all.filter(
      allOf<BackupRecord>(where(({ status }) => status, statusIn, isOneOfTexts)),
    );
    return backups.slice(0, first ?? backups.length);
  },
  lastBackup: async ({ organizationId, id }, _, { upstream }) =>
    newestOf(await upstream.management.listBackups({ organizationId, serviceId: id })) ?? null,
  dashboards: async (service, args, context) =>
    selectDashboards(
      await stackOfService(service, context, 'listDashboards').listDashboards(),
      args,
      context,
    ),
  alerts: async (service, args, context) =>
    selectAlerts(await stackOfService(service, context, 'listAlerts').listAlerts(), args, context),
  savedSearches: (service, _, context) =>
    stackOfService(service, context, 'listSavedSearches').listSavedSearches(),
  dataSources: (service, _, context) =>
    stackOfService(service, context, 'listDataSources').listDataSources(),
  webhooks: (service, _, context) =>
    stackOfService(service, context, 'listWebhooks').listWebhooks(),
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
    async ({ organizationId, serviceId, ...body }, { upstream: { management }, plan }) => {
      const ids = { organizationId, serviceId };
      plan?.comparesWith(await management.fresh('getService', ids));
      const service = await management.updateService(ids, body);
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
    async ({ organizationId, serviceId, ...body }, { upstream: { management }, plan }) => {
      const ids = { organizationId, serviceId };
      const find = () => management.fresh('getService', ids);
      const members = replicaMembersOf(body);
      if (members.length > 0) management.requireInProfile('updateReplicaScaling', members);
      // Where `updateReplicaScaling` exists, the path for total memory is deprecated, and fails for horizontal scaling.
      const isReplaced = management.isInProfile('updateReplicaScaling') && !needsTotals(body);
      plan?.comparesWith(await find());
      const service = await ofPart(
        members.length > 0 || isReplaced
          ? management.updateReplicaScaling(ids, body)
          : management.updateServiceScaling(ids, body),
        { name: 'scaling', field: null },
        find,
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
