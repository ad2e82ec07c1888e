import { expect, it } from 'vitest';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import type { AnyOperation } from '../../src/upstream/operation.ts';

const operations: readonly (readonly [name: string, row: AnyOperation])[] = Object.entries({
  ...managementOperations('command'),
  ...observabilityOperations,
});
/** ClickHouse Cloud has pipes at two paths. */
const pathOf = ({ path }: AnyOperation): string => path.replace('/clickpipes', '/pipes');

const reads = operations.filter(([, { method }]) => method === 'GET');
const writes = operations.filter(([, { method }]) => method !== 'GET');

/** Writes that no read shows. */
const unseen = new Set(['updateServicePassword']);
/** Writes of what has a read of its own, and which the object above does not show. */
const apart = new Set(['updateBackupConfiguration', 'updateCdcScaling']);
/** Reads of other objects that a write changes too. */
const further: Readonly<Record<string, readonly string[]>> = {
  deleteDashboard: ['getAlert', 'listAlerts'],
  replaceDashboard: ['getAlert', 'listAlerts'],
  updateApiKey: ['getCaller'],
  updateCdcScaling: ['getPipe', 'listPipes'],
  updateReplicaScaling: ['getScalingSchedule'],
  updateServiceScaling: ['getScalingSchedule'],
  updateServiceState: [
    ...['getCdcScaling', 'getPipe', 'getPipeSettings', 'listPipes', 'listReversePrivateEndpoints'],
    // With one upstream for both interfaces, ClickStacks are below services.
    ...['getAlert', 'getDashboard', 'listAlerts', 'listDashboards'],
    ...['listDataSources', 'listSavedSearches', 'listWebhooks'],
  ],
};

it.each(writes)(
  '%s changes the reads of the object that it writes, of the list that holds it, and no others',
  (name, row) => {
    const path = pathOf(row);
    const object = path.slice(0, path.lastIndexOf('}') + 1);
    const isBelow = (read: string): boolean =>
      row.method === 'DELETE' && read.startsWith(`${object}/`);
    const above = apart.has(name) ? [] : [object, object.replace(/\/[^/]+$/, '')];
    const own = row.method === 'POST' ? [path] : [path, ...above];
    const changed = reads
      .filter(([, read]) => own.includes(pathOf(read)) || isBelow(pathOf(read)))
      .map(([read]) => read);
    const seen = unseen.has(name) ? [] : [...changed, ...(further[name] ?? [])];
    // Whatever is done in an organization is an activity of it.
    const expected = row.path.startsWith('/v1/') ? [...seen, 'listActivities'] : seen;
    expect([...(row.changes ?? [])].toSorted()).toEqual(expected.toSorted());
  },
);
