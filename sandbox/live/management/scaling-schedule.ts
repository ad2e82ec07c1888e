import type { Service } from '../../management/records.ts';
import { Refusal } from '../../refusal.ts';
import { liveEntries } from '../world/schedules.ts';
import type { CloudState } from './state.ts';

/** The limits of a service while no entry of its schedule is active. */
const baseOf = ({ serviceExtras }: CloudState, record: Service) => {
  const { id, minReplicaMemoryGb, maxReplicaMemoryGb, idleScaling, idleTimeoutMinutes } = record;
  const { autoscalingMode = 'vertical', ...extras } = serviceExtras.get(id) ?? {};
  const { minReplicas = record.numReplicas, maxReplicas = record.numReplicas } = extras;
  return {
    ...{ autoscalingMode, minReplicaMemoryGb, maxReplicaMemoryGb, minReplicas, maxReplicas },
    ...{ idleScaling, idleTimeoutMinutes },
  };
};

/** The limits of a service that are in force. */
export const currentScalingOf = (state: CloudState, record: Service) => {
  const entry = liveEntries[record.id];
  const limits = { ...baseOf(state, record), ...entry };
  return {
    effectiveAutoscalingMode: limits.autoscalingMode,
    effectiveMinReplicaMemoryGb: limits.minReplicaMemoryGb,
    effectiveMaxReplicaMemoryGb: limits.maxReplicaMemoryGb,
    effectiveMinReplicas: limits.minReplicas,
    effectiveMaxReplicas: limits.maxReplicas,
    effectiveIdleScaling: limits.idleScaling,
    effectiveIdleTimeoutMinutes: limits.idleTimeoutMinutes,
    ...(entry && { activeEntryId: entry.id }),
  };
};

/** The schedule of a service. Services do not come with theirs: the contract leaves that open. */
export const scheduleOf = (state: CloudState, record: Service) => {
  const entry = liveEntries[record.id];
  if (!entry) throw new Refusal(404, 'no schedule has been configured');
  return { entries: [entry], baseConfig: baseOf(state, record), activeEntryId: entry.id };
};
