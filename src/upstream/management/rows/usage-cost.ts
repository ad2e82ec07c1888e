import type { Problem } from '../../error.ts';
import { get, type Wire, type WithIds } from '../../operation.ts';
import { isDate } from '../dates.ts';
import { inCloud, inOrganization } from '../row-parts.ts';

/** The cost of one entity on one day, in ClickHouse credits. */
export type CostRecord = Wire<{
  dataWarehouseId: string;
  serviceId: string;
  date: string;
  entityType: string;
  entityId: string;
  entityName: string;
  metrics: Wire<Readonly<Record<string, number>>>;
  totalCHC: number;
}>;

export type UsageCostRecord = WithIds<
  Wire<{ grandTotalCHC: number; costs: readonly CostRecord[] }>,
  'organizationId'
>;

/** Two days, as `YYYY-MM-DD`. */
type UsageCostQuery = { readonly from: string; readonly to: string };

/** The rule of ClickHouse Cloud: two days, the earlier first. The service checks the length of the period. */
const usageCostRule = (query: UsageCostQuery): Problem[] => {
  const notDates = (['from', 'to'] as const).filter((name) => !isDate(query[name]));
  if (notDates.length > 0) {
    return notDates.map((name) => ({
      field: [name],
      message: `${name} must be a day, for example 2026-11-01, got ${JSON.stringify(query[name].slice(0, 64))}.`,
    }));
  }
  if (Date.parse(query.to) >= Date.parse(query.from)) return [];
  return [{ field: ['to'], message: 'to must not be before from.' }];
};

export const rows = {
  /** One answer has the costs of the organization and of all its services and pipes. */
  getUsageCost: inCloud(
    get('/v1/organizations/{organizationId}/usageCost', {
      permission: 'control-plane:organization:view',
      freshSeconds: 600,
    })
      .query<UsageCostQuery>({ rule: usageCostRule, names: { from: 'from_date', to: 'to_date' } })
      .one<UsageCostRecord>(inOrganization),
  ),
};
