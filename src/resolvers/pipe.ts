import type {
  MutationResolvers,
  PipeFilter,
  PipeOrderField,
  PipeResolvers,
  PipeScalingResolvers,
  QueryResolvers,
  ServicePipesArgs,
} from '../generated/schema.ts';
import type { Context } from '../request/context.ts';
import { encodeNodeId } from '../schema/node-id.ts';
import type { PipeCommand } from '../upstream/management/rows/pipe.ts';
import { findPipe, findService, type ServiceIds } from './entities.ts';
import { allOf, contains, isOneOf, isOneOfTexts, where } from './filter.ts';
import type { PipeMapper } from './mappers.ts';
import { mutation, update } from './mutation.ts';
import { textKey, timeKey } from './order.ts';
import { ofPart } from './part.ts';
import { pipePhase, pipePhaseKey } from './phase.ts';
import { availableCommands } from './pipe-commands.ts';
import { sourceKind, toSource } from './pipe-source.ts';
import { toWireSource } from './pipe-source-input.ts';
import { toWirePipe, updatePipe } from './pipe-update.ts';
import { gigabytes, millicores } from './quantity.ts';
import { createSelect } from './select.ts';
import type { RootsOf } from './values.ts';

export const selectPipes = createSelect<PipeMapper, PipeFilter, PipeOrderField>({
  prepare: ({ stateIn, phaseIn, sourceIn, nameContains }) =>
    allOf<PipeMapper>(
      where(({ state }) => state, stateIn, isOneOfTexts),
      where(pipePhase, phaseIn, isOneOf),
      where(({ source }) => sourceKind(source), sourceIn, isOneOf),
      where(({ name }) => name, nameContains, contains),
    ),
  keys: {
    NAME: ({ name }) => textKey(name),
    PHASE: pipePhaseKey,
    CREATED_AT: ({ createdAt }) => timeKey(createdAt),
    UPDATED_AT: ({ updatedAt }) => timeKey(updatedAt),
  },
});

/** The pipes of a service that match a filter, in the requested order. */
export const pipesOf = async (
  service: ServiceIds,
  args: ServicePipesArgs,
  context: Context,
): Promise<readonly PipeMapper[]> =>
  selectPipes(await context.upstream.management.listPipes(service), args, context);

export const Query: RootsOf<QueryResolvers, 'pipe' | 'pipes'> = {
  pipe: (_, ids, context, info) => findPipe(ids, context, info),
  pipes: (_, { filter, orderBy, ...service }, context) =>
    pipesOf(service, { filter, orderBy }, context),
};

export const Pipe: PipeResolvers = {
  nodeId: ({ organizationId, serviceId, id }) =>
    encodeNodeId('Pipe', organizationId, serviceId, id),
  service: ({ organizationId, serviceId }, _, context, info) =>
    findService({ organizationId, serviceId }, context, info),
  phase: pipePhase,
  availableCommands: (pipe, _, { upstream }) =>
    availableCommands(pipe, upstream.management.profile.name),
  source: toSource,
};

/** Services have sent quantities as texts. The field's scalar type refuses a result that is not a number. */
export const PipeScaling: PipeScalingResolvers = {
  replicaCpuMillicores: ({ replicaCpuMillicores }) => millicores(replicaCpuMillicores),
  replicaMemoryGb: ({ replicaMemoryGb }) => gigabytes(replicaMemoryGb),
};

const command = (state: PipeCommand) =>
  mutation<'startPipe' | 'stopPipe' | 'resyncPipe'>(
    async ({ organizationId, serviceId, pipeId }, { upstream }) => {
      const ids = { organizationId, serviceId, pipeId };
      const pipe = await upstream.management.updatePipeState(ids, state);
      return { pipe: { ...pipe, organizationId, serviceId, id: pipeId } };
    },
  );

export const Mutation: RootsOf<
  MutationResolvers,
  'createPipe' | 'updatePipe' | 'scalePipe' | 'deletePipe' | 'startPipe' | 'stopPipe' | 'resyncPipe'
> = {
  createPipe: mutation<'createPipe'>(
    async ({ organizationId, serviceId, ...input }, { upstream }) => {
      const ids = { organizationId, serviceId };
      return {
        pipe: await upstream.management.createPipe(
          ids,
          toWirePipe({ ...input, source: toWireSource(input.source) }),
        ),
      };
    },
  ),
  updatePipe,
  scalePipe: update<'scalePipe'>(
    async ({ organizationId, serviceId, pipeId, ...body }, { upstream: { management } }) => {
      const ids = { organizationId, serviceId, pipeId };
      const scaling = { name: 'scaling', field: null };
      const pipe = await ofPart(management.scalePipe(ids, body), scaling, () =>
        management.fresh('getPipe', ids),
      );
      return { pipe: { ...pipe, id: pipeId } };
    },
  ),
  deletePipe: mutation<'deletePipe'>(async (ids, { upstream }) => {
    await upstream.management.deletePipe(ids);
    return { deletedPipeId: ids.pipeId };
  }),
  startPipe: command('start'),
  stopPipe: command('stop'),
  resyncPipe: command('resync'),
};
