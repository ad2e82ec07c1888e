import { world } from '../../sandbox/world/ids.ts';

/** Costs, activities and backups, as the stubs answer them and as operations/ shows them. */

const { organizationId, services, pipes } = world.management.main;
const [first, second] = ['2026-11-01', '2026-11-02'];

const ofWarehouse = { dataWarehouseId: 'w1', entityType: 'datawarehouse', entityId: 'w1' };
const ofService = {
  ...{ dataWarehouseId: 'w1', serviceId: services.production, entityType: 'service' },
  ...{ entityId: services.production, entityName: 'production' },
};
const ofPipe = {
  ...{ serviceId: services.production, entityType: 'clickpipe', entityId: pipes.orders },
  entityName: 'orders',
};
const spent = {
  ...{ storageCHC: 1.5, backupCHC: 2.5, computeCHC: 3.5, dataTransferCHC: 4.5 },
  ...{ initialLoadCHC: 5.5, publicDataTransferCHC: 6.5, interRegionTier1DataTransferCHC: 7.5 },
  ...{ interRegionTier2DataTransferCHC: 8.5, interRegionTier3DataTransferCHC: 9.5 },
  interRegionTier4DataTransferCHC: 10.5,
};
const stored = { storageCHC: 0.1 };
const storedLater = { storageCHC: 0.2, backupCHC: 0.4 };

const metricsOf = (metrics: Readonly<Record<string, number>>) =>
  Object.fromEntries(
    Object.entries(metrics).map(([name, value]) => [name.replace('CHC', 'Chc'), value]),
  );
const pipe = { organizationId, ...ofPipe, days: [{ date: first }] };
const onFirst = { totalChc: 60, metrics: metricsOf(spent) };
const service = {
  ...{ organizationId, ...ofService, ...onFirst },
  days: [{ date: first, ...onFirst }],
};
const onSecond = { date: second, totalChc: 0.6, metrics: metricsOf(storedLater) };
const warehouse = {
  ...{ organizationId, ...ofWarehouse, entityName: 'new name', totalChc: 0.7 },
  metrics: metricsOf({ storageCHC: 0.3, backupCHC: 0.4 }),
  days: [{ date: first, totalChc: 0.1, metrics: metricsOf(stored) }, onSecond],
};

const ofProduction = {
  ...{ serviceId: services.production, serviceName: 'production', totalChc: 60 },
  pipes: [pipe],
};

export const costs = {
  /** In no order. Those of the pipe are not known, and the total is not their sum. */
  kept: {
    grandTotalCHC: 61,
    costs: [
      { ...ofPipe, date: first, metrics: null, totalCHC: null, locked: false },
      { ...ofWarehouse, date: second, entityName: 'new name', metrics: storedLater, totalCHC: 0.6 },
      { ...ofWarehouse, date: first, entityName: 'old name', metrics: stored, totalCHC: 0.1 },
      { ...ofService, date: first, metrics: spent, totalCHC: 60 },
    ],
  },
  ofOrganization: {
    totalChc: 61,
    byEntity: [service, warehouse, pipe],
    byService: [ofProduction],
    days: [
      { date: first, totalChc: 60.1, metrics: metricsOf({ ...spent, storageCHC: 1.6 }) },
      onSecond,
    ],
  },
  ofProduction: {
    ...{ totalChc: 60, byEntity: [service, pipe], byService: [ofProduction], days: service.days },
  },
  ofOrders: {
    byEntity: [pipe],
    byService: [{ serviceId: services.production, pipes: [pipe] }],
    days: pipe.days,
  },
};

const keyUpdate = {
  ...{ id: 'a1', createdAt: '2026-11-20T10:00:00Z', type: 'key_update', actorType: 'user' },
  ...{ actorId: 'u1', actorDetails: 'ada@northwind.example', actorIpAddress: '203.0.113.9' },
  ...{ serviceId: 's1', userAgent: 'curl', targetKeyId: 'k1', keyUpdateType: 'disabled' },
};
export const activity = {
  kept: [{ id: 'a2', type: 'service_start' }, { ...keyUpdate, organizationId: 'o' }, { id: 'a0' }],
  shown: keyUpdate,
};

const done = {
  ...{ id: 'b2', status: 'done', type: 'full', startedAt: '2026-11-20T02:00:00Z' },
  ...{
    finishedAt: '2026-11-20T03:00:00Z',
    sizeInBytes: 871_878_361_088,
    durationInSeconds: 3600.5,
  },
};
export const backup = {
  kept: [
    { ...done, backupName: 'night', bucket: { bucketProvider: 'GCP', bucketPath: 'x' } },
    { id: 'b1', status: 'error' },
  ],
  shown: { ...done, name: 'night', bucketProvider: 'GCP' },
};
