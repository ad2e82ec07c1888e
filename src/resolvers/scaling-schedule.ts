import type { CurrentScalingResolvers, ServiceResolvers } from '../generated/schema.ts';
import { orNoPart } from './part.ts';

export const Service: ServiceResolvers = {
  scalingSchedule: ({ organizationId, id, scalingSchedule }, _, { upstream: { management } }) =>
    scalingSchedule ?? orNoPart(management.getScalingSchedule({ organizationId, serviceId: id })),
};

export const CurrentScaling: CurrentScalingResolvers = {
  autoscalingMode: (scaling) => scaling.effectiveAutoscalingMode,
  minReplicaMemoryGb: (scaling) => scaling.effectiveMinReplicaMemoryGb,
  maxReplicaMemoryGb: (scaling) => scaling.effectiveMaxReplicaMemoryGb,
  minReplicas: (scaling) => scaling.effectiveMinReplicas,
  maxReplicas: (scaling) => scaling.effectiveMaxReplicas,
  idleScaling: (scaling) => scaling.effectiveIdleScaling,
  idleTimeoutMinutes: (scaling) => scaling.effectiveIdleTimeoutMinutes,
};
