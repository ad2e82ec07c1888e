import { get, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

/** Limits of scaling. A member that is absent is not set. */
export type ScalingScheduleBaseConfigRecord = Wire<{
  autoscalingMode: string;
  minReplicaMemoryGb: number;
  maxReplicaMemoryGb: number;
  minReplicas: number;
  maxReplicas: number;
  idleScaling: boolean;
  idleTimeoutMinutes: number;
}>;

export type ScalingScheduleEntryRecord = ScalingScheduleBaseConfigRecord &
  Wire<{
    id: string;
    name: string;
    weekdays: readonly number[];
    startHourUtc: number;
    endHourUtc: number;
    isActiveNow: boolean;
  }>;

export type ScalingScheduleRecord = Wire<{
  entries: readonly ScalingScheduleEntryRecord[];
  baseConfig: ScalingScheduleBaseConfigRecord;
  activeEntryId: string;
}>;

/** The limits that are in force. It is part of a service. */
export type CurrentScalingRecord = Wire<{
  activeEntryId: string;
  effectiveAutoscalingMode: string;
  effectiveMinReplicaMemoryGb: number;
  effectiveMaxReplicaMemoryGb: number;
  effectiveMinReplicas: number;
  effectiveMaxReplicas: number;
  effectiveIdleScaling: boolean;
  effectiveIdleTimeoutMinutes: number;
}>;

export const rows = {
  /** Fresh as long as the service, which shows the limits that the schedule sets. */
  getScalingSchedule: inCloud(
    get('/v1/organizations/{organizationId}/services/{serviceId}/scalingSchedule', {
      permission: 'control-plane:service:view',
      freshSeconds: 5,
    }).one<ScalingScheduleRecord>(),
  ),
};
