import type { OrganizationEntry } from '../../management/state.ts';
import { world } from '../../world/ids.ts';
import type { LivePipe } from '../management/pipe-shapes.ts';

/** The cost of one entity on one day, on the wire. */
export type Cost = {
  readonly dataWarehouseId: string | null;
  readonly serviceId: string | null;
  readonly date: string;
  readonly entityType: 'datawarehouse' | 'service' | 'clickpipe';
  readonly entityId: string;
  readonly entityName: string;
  readonly metrics: Readonly<Record<string, number>> | null;
  readonly totalCHC: number | null;
  readonly locked: boolean;
};

/** An object that has costs. */
export type Entity = Omit<Cost, 'date' | 'metrics' | 'totalCHC' | 'locked'> & {
  readonly createdAt: string;
  /** Its costs on a usual day, by the name of the metric. */
  readonly usual: Readonly<Record<string, number>>;
};

/** A number from 1 to 2, always the same for the same object. */
const sizeOf = (id: string): number => 1 + ((Number(id.slice(-4)) * 37) % 100) / 100;

const rounded = (chc: number): number => Math.round(chc * 10_000) / 10_000;

const usualOf = (id: string, perDay: Readonly<Record<string, number>>): Entity['usual'] =>
  Object.fromEntries(Object.entries(perDay).map(([name, chc]) => [name, chc * sizeOf(id)]));

/** The warehouses, services and pipes of an organization. */
export const entitiesOf = ({ services }: OrganizationEntry<LivePipe>): readonly Entity[] => {
  const all = [...services.values()];
  const warehouses = all.flatMap(({ record }): readonly Entity[] => {
    const { dataWarehouseId, isPrimary, createdAt, name } = record;
    if (dataWarehouseId === null || isPrimary !== true) return [];
    const usual = usualOf(dataWarehouseId, { storageCHC: 3.1, backupCHC: 0.9 });
    const ids = { dataWarehouseId, serviceId: null, entityId: dataWarehouseId };
    return [
      { ...ids, entityType: 'datawarehouse', entityName: `${name} warehouse`, createdAt, usual },
    ];
  });
  const ofServices = all.flatMap(({ record, pipes }): readonly Entity[] => {
    const of = { dataWarehouseId: record.dataWarehouseId, serviceId: record.id };
    return [
      {
        ...of,
        entityType: 'service',
        entityId: record.id,
        entityName: record.name,
        createdAt: record.createdAt,
        usual: usualOf(record.id, {
          computeCHC: 7 * (record.numReplicas ?? 1),
          publicDataTransferCHC: 0.12,
          interRegionTier1DataTransferCHC: 0.05,
        }),
      },
      ...[...pipes.values()].map(
        ({ record: pipe }): Entity => ({
          ...of,
          entityType: 'clickpipe',
          entityId: pipe.id,
          entityName: pipe.name,
          createdAt: pipe.createdAt,
          usual: usualOf(pipe.id, {
            computeCHC: 1.2,
            dataTransferCHC: 0.4,
            ...(pipe.source.postgres && { initialLoadCHC: 0.2 }),
          }),
        }),
      ),
    ];
  });
  return [...warehouses, ...ofServices];
};

/** Weekends are quiet, and no two days are quite alike. */
const shareOf = (date: string): number => {
  const day = new Date(date).getUTCDay();
  return (day % 6 === 0 ? 0.6 : 1) + (Number(date.slice(-2)) % 5) / 20;
};

/** A pipe whose costs are not known yet. */
const { invoices } = world.management.main.pipes;

/** What each entity cost on these days; nothing before it was created. */
export const costsOf = (
  entities: readonly Entity[],
  days: readonly string[],
  today: string,
): readonly Cost[] =>
  entities.flatMap(({ createdAt, usual, ...entity }) =>
    days
      .filter((date) => date >= createdAt.slice(0, 10))
      .map((date): Cost => {
        const on = { ...entity, date, locked: date < today };
        if (entity.entityId === invoices) return { ...on, metrics: null, totalCHC: null };
        const metrics = Object.fromEntries(
          Object.entries(usual).map(([name, chc]) => [name, rounded(chc * shareOf(date))]),
        );
        const totalCHC = rounded(Object.values(metrics).reduce((sum, chc) => sum + chc, 0));
        return { ...on, metrics, totalCHC };
      }),
  );
