import type {
  OrganizationResolvers,
  OrganizationUsageCostArgs,
  PipeResolvers,
  ServiceResolvers,
  UsageCostDayResolvers,
  UsageCostEntityResolvers,
  UsageCostMetricsResolvers,
  UsageCostResolvers,
  UsageCostServiceResolvers,
} from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import { oncePerList } from '../loaders/one-or-list.ts';
import type { CostRecord, UsageCostRecord } from '../upstream/management/rows/usage-cost.ts';
import { findLinkedService } from './entities.ts';
import type { Costs, UsageCostMapper } from './mappers.ts';
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

/** The service that a cost names. A service may be named as the entity alone. */
const serviceIdOf = ({ serviceId, entityType, entityId }: CostRecord) =>
  serviceId ?? (entityType === 'service' ? entityId : null);

const isOfPipe = ({ entityType }: CostRecord): boolean => entityType === 'clickpipe';

/** The service of each pipe, as far as any cost of the pipe names it. */
const servicesOfPipes = (costs: readonly CostRecord[]): ReadonlyMap<string, string> =>
  new Map(
    costs.flatMap((cost) =>
      isOfPipe(cost) && cost.serviceId ? [[foldedId(cost.entityId), cost.serviceId]] : [],
    ),
  );

/** The costs of pipes whose service no cost names. */
const withoutService = oncePerList((costs: readonly CostRecord[]) => {
  const services = servicesOfPipes(costs);
  return costs.filter((cost) => isOfPipe(cost) && !services.has(foldedId(cost.entityId)));
});

/** The costs of a service and of its parts, but not of its warehouse, which several services may share. */
const byService = oncePerList((costs: readonly CostRecord[]) => {
  const services = servicesOfPipes(costs);
  return Map.groupBy(
    costs.filter(({ entityType }) => entityType !== 'datawarehouse'),
    (cost) =>
      foldedId(
        serviceIdOf(cost) ?? (isOfPipe(cost) ? services.get(foldedId(cost.entityId)) : null),
      ),
  );
});
const inServices = oncePerList((costs: readonly CostRecord[]) =>
  inOrder(
    [...byService(costs).values()].map((of) => ({ costs: of })),
    { field: 'TOTAL', direction: 'DESC' },
    { TOTAL: totalKey },
  ),
);
const byPipe = oncePerList((costs: readonly CostRecord[]) =>
  Map.groupBy(costs.filter(isOfPipe), ({ entityId }) => foldedId(entityId)),
);

type Days = OrganizationUsageCostArgs;

const dayMs = 86_400_000;

const dayOf = (time: number): string => new Date(time).toISOString().slice(0, 10);

/** As many days right before these. */
const daysBefore = ({ fromDate, toDate }: Days): Days => {
  const [first, last] = [Date.parse(fromDate), Date.parse(toDate)];
  return { fromDate: dayOf(first - (last - first) - dayMs), toDate: dayOf(first - dayMs) };
};

/** Costs that can read those of the days before theirs. */
const readCosts = async (
  days: Days,
  read: (days: Days) => Promise<UsageCostRecord>,
): Promise<UsageCostMapper> => ({
  ...(await read(days)),
  readPrevious: () => readCosts(daysBefore(days), read),
});

export const Organization: OrganizationResolvers = {
  usageCost: ({ id }, days, { upstream: { management } }) =>
    readCosts(days, (of) => management.getUsageCost({ organizationId: id }, of)),
};

export const Service: ServiceResolvers = {
  usageCost: ({ organizationId, id }, days, { upstream: { management } }) =>
    readCosts(days, async (of) => {
      const costs = costsOf(await management.getUsageCost({ organizationId }, of));
      if (!costs) return { organizationId };
      const own = byService(costs).get(foldedId(id)) ?? [];
      const others = withoutService(costs);
      if (others.length === 0) return { organizationId, costs: own };
      const pipes = await management.listPipes({ organizationId, serviceId: id });
      const ids = new Set(pipes.map((pipe) => foldedId(pipe.id)));
      const further = others.filter(({ entityId }) => ids.has(foldedId(entityId)));
      return { organizationId, costs: [...own, ...further] };
    }),
};

export const Pipe: PipeResolvers = {
  usageCost: ({ organizationId, id }, days, { upstream: { management } }) =>
    readCosts(days, async (of) => {
      const costs = costsOf(await management.getUsageCost({ organizationId }, of));
      return { organizationId, ...(costs && { costs: byPipe(costs).get(foldedId(id)) ?? [] }) };
    }),
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
    const { organizationId } = record;
    return (
      costs &&
      inEntities(costs)
        .slice(0, first ?? undefined)
        .map((entity) => ({ ...entity, organizationId }))
    );
  },
  byService: (record, { first }) => {
    checkLength(first);
    const costs = costsOf(record);
    const { organizationId } = record;
    return (
      costs &&
      inServices(costs)
        .slice(0, first ?? undefined)
        .map((service) => ({ ...service, organizationId }))
    );
  },
  days: (record) => {
    const costs = costsOf(record);
    return costs && inDays(costs);
  },
  previous: ({ readPrevious }) => readPrevious(),
};

/** Reads a member of the newest cost. */
const newest =
  <Name extends keyof CostRecord>(name: Name) =>
  ({ costs }: Costs): CostRecord[Name] =>
    inDays(costs).at(-1)?.costs[0]?.[name];

const newestServiceId = ({ costs }: Costs) => {
  const cost = inDays(costs).at(-1)?.costs[0];
  return cost && serviceIdOf(cost);
};

/** The costs, as the parent of their metrics; null if no cost has metrics. */
const metrics = ({ costs }: Costs): Costs | null =>
  costs.some((cost) => cost.metrics !== null && cost.metrics !== undefined) ? { costs } : null;

export const UsageCostEntity: UsageCostEntityResolvers = {
  entityId: newest('entityId'),
  entityType: newest('entityType'),
  entityName: newest('entityName'),
  dataWarehouseId: newest('dataWarehouseId'),
  serviceId: newestServiceId,
  service: (entity, _, context, info) => {
    const serviceId = newestServiceId(entity);
    if (!serviceId) return null;
    return findLinkedService({ organizationId: entity.organizationId, serviceId }, context, info);
  },
  totalChc: totalOf,
  metrics,
  days: ({ costs }) => inDays(costs),
};

const isOfService = ({ entityType }: CostRecord): boolean => entityType === 'service';

export const UsageCostService: UsageCostServiceResolvers = {
  serviceId: ({ costs }) => costs.map(serviceIdOf).find(Boolean),
  serviceName: ({ costs }) => newest('entityName')({ costs: costs.filter(isOfService) }),
  totalChc: totalOf,
  pipes: ({ costs, organizationId }) =>
    inEntities(costs.filter(isOfPipe)).map((pipe) => ({ ...pipe, organizationId })),
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
