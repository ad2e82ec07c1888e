import type {
  CdcScalingResolvers,
  MutationResolvers,
  ServiceResolvers,
} from '../generated/schema.ts';
import { update } from './mutation.ts';
import { ofPart } from './part.ts';
import { gigabytes, millicores } from './quantity.ts';
import type { RootsOf } from './values.ts';

export const Service: ServiceResolvers = {
  cdcScaling: ({ organizationId, id }, _, { upstream }) =>
    upstream.management.getCdcScaling({ organizationId, serviceId: id }),
};

/** Services have sent quantities as texts. The field's scalar type refuses a result that is not a number. */
export const CdcScaling: CdcScalingResolvers = {
  replicaCpuMillicores: ({ replicaCpuMillicores }) => millicores(replicaCpuMillicores),
  replicaMemoryGb: ({ replicaMemoryGb }) => gigabytes(replicaMemoryGb),
};

export const Mutation: RootsOf<MutationResolvers, 'updateCdcScaling'> = {
  updateCdcScaling: update<'updateCdcScaling'>(
    async ({ organizationId, serviceId, ...body }, { upstream: { management } }) => {
      const ids = { organizationId, serviceId };
      const scaling = { name: 'CDC scaling', field: null };
      const changed = await ofPart(management.updateCdcScaling(ids, body), scaling, () =>
        management.fresh('getService', ids),
      );
      return { cdcScaling: changed };
    },
  ),
};
