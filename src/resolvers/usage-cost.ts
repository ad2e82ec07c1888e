import type {
  OrganizationResolvers,
  PipeResolvers,
  ServiceResolvers,
  UsageCostDayResolvers,
  UsageCostEntityResolvers,
  UsageCostMetricsResolvers,
  UsageCostResolvers,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import { oncePerList } from '../loaders/one-or-list.ts';
import type { CostRecord, UsageCostRecord } from '../upstream/management/rows/usage-cost.ts';
import type { Costs } from './mappers.ts';
import { inOrder, timeKey } from './order.ts';
import { asList, asObject, checkLength } from './values.ts';

/** A cost of a record; null if it is not known. */
const readCost = (value: unknown): number | null => {
  if (typeof value === 'number') return value;
  if (value === null || value === undefined) return null;
  throw new TypeError('Float cannot represent this value');
};

/** The sum of the known costs; null if none is known. */
const sumOf = (costs: readonly unknown[]): number | null => {
  const known = costs.map(readCost).filter((cost) => cost !== null);
  if (known.length === 0) return null;
  const sum = known.reduce((one, other) => one + other);
  // Without rounding, 0.1 + 0.2 would be 0.30000000000000004.
  return Number(sum.toPrecision(15));
};

const totalOf = ({ costs }: Costs): number | null => sumOf(costs.map(({ totalCHC }) => totalCHC));

/**
 * The sort key of an entity; undefined if no cost is known. A cost that is not a number is an error only in a field that
 * shows it.
 */
const totalKey = ({ costs }: Costs): number | undefined =>
  sumOf(costs.map(({ totalCHC }) => (typeof totalCHC === 'number' ? totalCHC : null))) ?? undefined;

const grouped = (
  costs: readonly CostRecord[],
  keyOf: (cost: CostRecord) => unknown,
): readonly Costs[] => [...Map.groupBy(costs, keyOf).values()].map((of) => ({ costs: of }));

const inDays = oncePerList((costs: readonly CostRecord[]) =>
  inOrder(
    grouped(costs, ({ date }) => date),
    { field: 'DATE' },
    { DATE: ({ costs: [cost] }) => timeKey(cost?.date) },
  ),
);

const inEntities = oncePerList((costs: readonly CostRecord[]) =>
  inOrder(
    grouped(
      costs,
      ({ entityType, entityId, entityName }) => `${entityType} ${entityId ?? entityName}`,
    ),
    { field: 'TOTAL', direction: 'DESC' },
    { TOTAL: totalKey },
  ),
);

const usable = oncePerList((costs: readonly CostRecord[]) => costs.filter(isObject));

/** The costs of a record; null if it has no list of costs. */
const costsOf = ({ costs }: UsageCostRecord): readonly CostRecord[] | null => {
  const all = asList(costs);
  return all ? usable(all) : null;
};

/** UUIDs are compared without regard to case. */
const foldedId = (id: unknown): string => String(id).toLowerCase();

/** The costs of a service and of its parts, but not of its warehouse, which several services may share. */
const byService = oncePerList((costs: readonly CostRecord[]) =>
  Map.groupBy(
    costs.filter(({ entityType }) => entityType !== 'datawarehouse'),
    ({ serviceId, entityType, entityId }) =>
      foldedId(serviceId ?? (entityType === 'service' ? entityId : null)),
  ),
);
const byPipe = oncePerList((costs: readonly CostRecord[]) =>
  Map.groupBy(
    costs.filter(({ entityType }) => entityType === 'clickpipe'),
    ({ entityId }) => foldedId(entityId),
  ),
);

/** The costs of one object, from the record of its organization. */
const partOf = (record: UsageCostRecord, by: typeof byPipe, id: string): UsageCostRecord => {
  const costs = costsOf(record);
  return costs ? { costs: by(costs).get(foldedId(id)) ?? [] } : {};
};

export const Organization: OrganizationResolvers = {
  usageCost: ({ id }, days, { upstream }) =>
    upstream.management.getUsageCost({ organizationId: id }, days),
};

export const Service: ServiceResolvers = {
  usageCost: async ({ organizationId, id }, days, { upstream }) =>
    partOf(await upstream.management.getUsageCost({ organizationId }, days), byService, id),
};

export const Pipe: PipeResolvers = {
  usageCost: async ({ organizationId, id }, days, { upstream }) =>
    partOf(await upstream.management.getUsageCost({ organizationId }, days), byPipe, id),
};

export const UsageCost: UsageCostResolvers = {
  totalChc: (record) => {
    const total = readCost(record.grandTotalCHC);
    if (total !== null) return total;
    const costs = costsOf(record);
    return costs && totalOf({ costs });
  },
  byEntity: (record, { first }) => {
    checkLength(first);
    const costs = costsOf(record);
    return costs && inEntities(costs).slice(0, first ?? undefined);
  },
  days: (record) => {
    const costs = costsOf(record);
    return costs && inDays(costs);
  },
};

/** Reads a member of the newest cost. */
const newest =
  <Name extends keyof CostRecord>(name: Name) =>
  ({ costs }: Costs): CostRecord[Name] =>
    inDays(costs).at(-1)?.costs[0]?.[name];

/** The costs, as the parent of their metrics; null if no cost has metrics. */
const metrics = ({ costs }: Costs): Costs | null =>
  costs.some((cost) => cost.metrics !== null && cost.metrics !== undefined) ? { costs } : null;

export const UsageCostEntity: UsageCostEntityResolvers = {
  entityId: newest('entityId'),
  entityType: newest('entityType'),
  entityName: newest('entityName'),
  dataWarehouseId: newest('dataWarehouseId'),
  serviceId: newest('serviceId'),
  totalChc: totalOf,
  metrics,
  days: ({ costs }) => inDays(costs),
};

export const UsageCostDay: UsageCostDayResolvers = {
  date: ({ costs: [cost] }) => cost?.date,
  totalChc: totalOf,
  metrics,
};

const metric =
  (name: string) =>
  ({ costs }: Costs): number | null =>
    sumOf(costs.map((cost) => asObject(cost.metrics)?.[name]));

export const UsageCostMetrics: UsageCostMetricsResolvers = {
  storageChc: metric('storageCHC'),
  backupChc: metric('backupCHC'),
  computeChc: metric('computeCHC'),
  dataTransferChc: metric('dataTransferCHC'),
  initialLoadChc: metric('initialLoadCHC'),
  publicDataTransferChc: metric('publicDataTransferCHC'),
  interRegionTier1DataTransferChc: metric('interRegionTier1DataTransferCHC'),
  interRegionTier2DataTransferChc: metric('interRegionTier2DataTransferCHC'),
  interRegionTier3DataTransferChc: metric('interRegionTier3DataTransferCHC'),
  interRegionTier4DataTransferChc: metric('interRegionTier4DataTransferCHC'),
};
