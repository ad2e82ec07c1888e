import { filled } from '../../filled.ts';
import { get, patch, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

/** Each member has been a text, too. */
export type CdcScalingRecord = Wire<{ replicaCpuMillicores: number; replicaMemoryGb: number }>;

export const rows = {
  getCdcScaling: inCloud(
    get('/v1/organizations/{organizationId}/services/{serviceId}/clickpipesCdcScaling', {
      permission: 'control-plane:service:manage-clickpipes',
      freshSeconds: 30,
    }).one<CdcScalingRecord>(),
  ),

  /** Whether a pipe shows this scaling as its own is not documented, so pipes are read afresh. */
  updateCdcScaling: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/clickpipesCdcScaling', {
      permission: 'control-plane:service:manage-clickpipes',
      changes: ['getCdcScaling', 'getPipe', 'listPipes', 'listActivities'],
    })
      .body<CdcScalingRecord>({ rule: filled(['replicaCpuMillicores', 'replicaMemoryGb']) })
      .oneOrNone<CdcScalingRecord>(),
  ),
};
