import type { Problem } from '../../error.ts';
import { get, type Wire, type WithIds } from '../../operation.ts';
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
type UsageCostQuery = { readonly fromDate: string; readonly toDate: string };

/** The rule of ClickHouse Cloud: the earlier day comes first. The service checks the length of the period. */
const usageCostRule = ({ fromDate, toDate }: UsageCostQuery): Problem[] =>
  toDate >= fromDate ? [] : [{ field: ['toDate'], message: 'toDate must not be before fromDate.' }];

export const rows = {
  /** One answer has the costs of the organization and of all its services and pipes. */
  getUsageCost: inCloud(
    get('/v1/organizations/{organizationId}/usageCost', {
      permission: 'control-plane:organization:view',
      freshSeconds: 600,
    })
      .query<UsageCostQuery>({
        rule: usageCostRule,
        names: { fromDate: 'from_date', toDate: 'to_date' },
      })
      .one<UsageCostRecord>(inOrganization),
  ),
};
