import { get, type Identified, type Wire } from '../../operation.ts';
import { inCloud } from '../row-parts.ts';

export type BackupRecord = Identified<{
  status: string;
  startedAt: string;
  finishedAt: string;
  sizeInBytes: number;
  durationInSeconds: number;
  type: string;
  backupName: string;
  bucket: Wire<{ bucketProvider: string }>;
}>;

export const rows = {
  listBackups: inCloud(
    get('/v1/organizations/{organizationId}/services/{serviceId}/backups', {
      permission: 'control-plane:service:view-backups',
      freshSeconds: 60,
    }).list<BackupRecord>(),
  ),
};
