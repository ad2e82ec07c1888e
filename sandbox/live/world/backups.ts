import type { ServiceEntry } from '../../management/state.ts';
import { uuid, world } from '../../world/ids.ts';

/** A backup on the wire, but for its service. */
export type Backup = {
  readonly id: string;
  readonly status: 'done' | 'error' | 'in_progress';
  readonly startedAt: string;
  readonly finishedAt?: string;
  readonly sizeInBytes?: number;
  readonly durationInSeconds?: number;
  readonly type: 'full' | 'incremental';
  readonly backupName: string;
  readonly bucket: { readonly bucketProvider: 'AWS' };
};

const hourMs = 3_600_000;
const most = 14;

const { trial, staging } = world.management.main.services;

/** What became of the newest backup: of nine services of a fleet, that of one has failed. */
const newestStatus = (serviceId: string): Backup['status'] => {
  if (serviceId === trial) return 'in_progress';
  const number = Number(serviceId.slice(-4));
  return serviceId === staging || (number > 1000 && number % 9 === 4) ? 'error' : 'done';
};

const numberOf = (serviceId: string): number => Number(serviceId.slice(-4));

/** The backups of a service that its configuration keeps, newest first, at most two weeks of them. */
export const backupsOf = (
  { record, backup }: Pick<ServiceEntry<unknown>, 'record' | 'backup'>,
  now: Date,
): readonly Backup[] => {
  const { backupPeriodInHours: period, backupRetentionPeriodInHours: retention } = backup;
  const today = Date.parse(`${now.toISOString().slice(0, 10)}T${backup.backupStartTime}:00Z`);
  const newest = today > now.getTime() ? today - period * hourMs : today;
  const count = Math.min(most, Math.floor(retention / period));
  return Array.from({ length: count }, (_, index): Backup => {
    const status = index === 0 ? newestStatus(record.id) : 'done';
    // A backup that is being made has been begun lately.
    const startedAt =
      status === 'in_progress' ? now.getTime() - 420_000 : newest - index * period * hourMs;
    const isFull = (count - index) % 7 === 1;
    const durationInSeconds = isFull ? 5400 + 7 * index : 260 + 11 * index;
    return {
      id: uuid('bac00000', numberOf(record.id) * 100 + count - index),
      status,
      startedAt: new Date(startedAt).toISOString(),
      ...(status !== 'in_progress' && {
        finishedAt: new Date(startedAt + durationInSeconds * 1000).toISOString(),
        durationInSeconds,
      }),
      ...(status === 'done' && {
        sizeInBytes: (isFull ? 871_878_361_088 : 4_294_967_296) - 1_048_576 * index,
      }),
      type: isFull ? 'full' : 'incremental',
      backupName: `${record.name} ${new Date(startedAt).toISOString().slice(0, 10)}`,
      bucket: { bucketProvider: 'AWS' },
    };
  }).filter(({ startedAt }) => startedAt > record.createdAt);
};
