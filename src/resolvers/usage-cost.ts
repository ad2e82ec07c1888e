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
import type { CostRecord, UsageCostRecord } from '../upstream/management/records.ts';
import type { CostsMapper } from './mappers.ts';
import { inOrder, timeKey } from './order.ts';
import { asList, asObject, checkLength } from './values.ts';

const toFloat = (value: unknown): number => {
  if (typeof value === 'number') return value;
  throw new TypeError('Float cannot represent this value');
};

/** The sum of the known costs; null if none is known. */
const sumOf = (costs: readonly unknown[]): number | null => {
  const known = costs.filter((cost) => cost !== null && cost !== undefined).map(toFloat);
  if (known.length === 0) return null;
  const sum = known.reduce((one, other) => one + other);
  // Without rounding, 0.1 + 0.2 would be 0.30000000000000004.
  return Number(sum.toPrecision(15));
};

const totalOf = ({ costs }: CostsMapper): number | null =>
  sumOf(costs.map(({ totalCHC }) => totalCHC));

/** What an entity is ordered by. A cost that is not a number is an error only where it is selected. */
const totalKey = ({ costs }: CostsMapper): number | undefined =>
  sumOf(costs.map(({ totalCHC }) => (typeof totalCHC === 'number' ? totalCHC : null))) ?? undefined;

const grouped = (
  costs: readonly CostRecord[],
  keyOf: (cost: CostRecord) => unknown,
): readonly CostsMapper[] => [...Map.groupBy(costs, keyOf).values()].map((of) => ({ costs: of }));

const inDays = (costs: readonly CostRecord[]): readonly CostsMapper[] =>
  inOrder(
    grouped(costs, ({ date }) => date),
    { field: 'DATE' },
    { DATE: ({ costs: [cost] }) => timeKey(cost?.date) },
  );

const inEntities = (costs: readonly CostRecord[]): readonly CostsMapper[] =>
  inOrder(
    grouped(
      costs,
      ({ entityType, entityId, entityName }) => `${entityType} ${entityId ?? entityName}`,
    ),
    { field: 'TOTAL', direction: 'DESC' },
    { TOTAL: totalKey },
  );

/** The costs of a record; null if it tells none. */
const costsOf = ({ costs }: UsageCostRecord): readonly CostRecord[] | null =>
  asList(costs)?.filter(isObject) ?? null;

/** UUIDs are equal in small letters and in capitals. */
const foldedId = (id: unknown): string => String(id).toLowerCase();

const byService = oncePerList((costs: readonly CostRecord[]) =>
  Map.groupBy(costs.filter(isObject), ({ serviceId, entityId }) => foldedId(serviceId ?? entityId)),
);
const byEntity = oncePerList((costs: readonly CostRecord[]) =>
  Map.groupBy(costs.filter(isObject), ({ entityId }) => foldedId(entityId)),
);

/** The part of an organization's costs that one of its objects has. */
const partOf = ({ costs }: UsageCostRecord, by: typeof byEntity, id: string): UsageCostRecord => {
  const all = asList(costs);
  return all ? { costs: by(all).get(foldedId(id)) ?? [] } : {};
};

export const Organization: OrganizationResolvers = {
  usageCost: ({ id }, days, { loaders }) => loaders.usageCost({ organizationId: id, ...days }),
};

export const Service: ServiceResolvers = {
  usageCost: async ({ organizationId, id }, days, { loaders }) =>
    partOf(await loaders.usageCost({ organizationId, ...days }), byService, id),
};

export const Pipe: PipeResolvers = {
  usageCost: async ({ organizationId, id }, days, { loaders }) =>
    partOf(await loaders.usageCost({ organizationId, ...days }), byEntity, id),
};

export const UsageCost: UsageCostResolvers = {
  totalChc: (record) => {
    if (record.grandTotalCHC !== undefined) return record.grandTotalCHC;
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

/** A member of the newest of some costs. */
const newest =
  <Name extends keyof CostRecord>(name: Name) =>
  ({ costs }: CostsMapper): CostRecord[Name] =>
    inDays(costs).at(-1)?.costs[0]?.[name];

/** The same costs, to show what they were for; null if the upstream does not tell. */
const metrics = ({ costs }: CostsMapper): CostsMapper | null =>
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
  ({ costs }: CostsMapper): number | null =>
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
