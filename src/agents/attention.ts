import type { ExecutionResult } from 'graphql';
import { isObject } from '../is-object.ts';

const owner = 'organization';
const list = 'failedBackups';

/** Statuses of backups that need no attention. Any other one may stand for a failure. */
const fine: readonly unknown[] = ['done', 'in_progress'];

const needsAttention = (service: unknown): boolean =>
  isObject(service) && isObject(service.lastBackup) && !fine.includes(service.lastBackup.status);

/** The result with only those services in `failedBackups` whose last backup has failed; without it if none was asked for. */
export const withFailedBackups = (result: ExecutionResult): ExecutionResult => {
  const organization = result.data?.[owner];
  const services = isObject(organization) ? organization[list] : undefined;
  if (!isObject(organization) || !Array.isArray(services)) return result;
  const areRead = services.every((service) => isObject(service) && 'lastBackup' in service);
  const failed = areRead ? services.filter(needsAttention) : undefined;
  return { ...result, data: { ...result.data, [owner]: { ...organization, [list]: failed } } };
};
