import type { Problem } from '../../error.ts';
import { get, patch, type Wire } from '../../operation.ts';
import { notNegative } from '../numbers.ts';
import { inCloud } from '../row-parts.ts';

export type BackupConfigurationRecord = Wire<{
  backupPeriodInHours: number;
  backupRetentionPeriodInHours: number;
  backupStartTime: string;
}>;

const timeOfDay = /^([01]\d|2[0-3]):[0-5]\d$/;

/** Not in the documented interface. */
const backupConfigurationRule = ({
  backupPeriodInHours,
  backupRetentionPeriodInHours,
  backupStartTime,
}: BackupConfigurationRecord): Problem[] => [
  ...notNegative('backupPeriodInHours', backupPeriodInHours),
  ...notNegative('backupRetentionPeriodInHours', backupRetentionPeriodInHours),
  ...(typeof backupStartTime === 'string' && !timeOfDay.test(backupStartTime)
    ? [
        {
          field: ['backupStartTime'],
          message: `backupStartTime must be a time of day in UTC as HH:MM, got ${JSON.stringify(backupStartTime.slice(0, 64))}.`,
        },
      ]
    : []),
];

export const rows = {
  getBackupConfiguration: get(
    '/v1/organizations/{organizationId}/services/{serviceId}/backupConfiguration',
    { permission: 'control-plane:service:view-backups', freshSeconds: 30 },
  ).one<BackupConfigurationRecord>(),

  updateBackupConfiguration: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/backupConfiguration', {
      permission: 'control-plane:service:manage-backups',
      changes: ['getBackupConfiguration', 'listActivities'],
    })
      .body<BackupConfigurationRecord>({ rule: backupConfigurationRule })
      .oneOrNone<BackupConfigurationRecord>(),
  ),
};
