import { world } from '../../world/ids.ts';

const { services } = world.management.main;

/** It is always active. */
const sale = {
  id: '5c4e0000-0000-4000-8000-000000000001',
  name: 'Sale',
  weekdays: [0, 1, 2, 3, 4, 5, 6],
  startHourUtc: 0,
  endHourUtc: 24,
  autoscalingMode: 'vertical',
  minReplicaMemoryGb: 64,
  maxReplicaMemoryGb: 236,
  minReplicas: 4,
  maxReplicas: 4,
  isActiveNow: true,
} as const;

/** The only entry of a service's schedule, by the identifier of the service. */
export const liveEntries: Readonly<Record<string, typeof sale>> = { [services.production]: sale };

const sundayMorning = { weekday: 0, startHourUtc: 6, duration: 6 } as const;

/** By the identifier of the service. */
export const liveUpgradeWindows: Readonly<Record<string, typeof sundayMorning>> = {
  [services.production]: sundayMorning,
};
