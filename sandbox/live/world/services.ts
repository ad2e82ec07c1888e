import type { ServiceEntry } from '../../management/state.ts';
import { metering } from '../../world/services.ts';
import { liveWorld } from './ids.ts';

/** A service of the second organization. It sleeps, and has no pipes. */
export const archive: ServiceEntry = {
  record: {
    ...metering,
    id: liveWorld.services.archive,
    name: 'metering archive',
    idleScaling: true,
  },
  kind: 'development',
  paid: true,
  backup: {
    backupPeriodInHours: 24,
    backupRetentionPeriodInHours: 24,
    backupStartTime: '03:00',
  },
  pipes: new Map(),
};
