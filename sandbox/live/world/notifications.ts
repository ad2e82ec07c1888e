import { uuid, world } from '../../world/ids.ts';
import { before } from './times.ts';

/** What was public of the contract names `type` and `severity`; the other members stand for those that were not. */
export type Notification = {
  readonly id: string;
  readonly createdAt: string;
  readonly type: string;
  readonly severity: 'info' | 'warning' | 'critical';
  readonly serviceId?: string;
};

const { production, staging } = world.management.main.services;

/** Minutes before the start, type, severity and service; the newest first. */
const rows: readonly (readonly [number, string, Notification['severity'], string?])[] = [
  [12, 'clickpipe_failed', 'critical', staging],
  [95, 'service_backup_failed', 'critical', production],
  [400, 'service_scaling_limit_reached', 'warning', production],
  [2880, 'credits_expire_soon', 'critical'],
  [7205, 'service_upgraded', 'info', production],
];

/** The notifications of the main organization, newest first. */
export const mainNotifications = (now: Date): readonly Notification[] =>
  rows.map(([minutes, type, severity, serviceId], index) => ({
    ...{ id: uuid('2071f000', rows.length - index), createdAt: before(now, { minutes }), type },
    ...{ severity, ...(serviceId && { serviceId }) },
  }));
