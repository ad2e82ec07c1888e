import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import { itemOf, oncePerList } from '../loaders/one-or-list.ts';
import type { Context } from '../request/context.ts';
import { type Entity, readsOf } from '../schema/reads.ts';
import { isNotFound, isUnavailable, notFoundIn, UpstreamError } from '../upstream/error.ts';
import type { OrganizationRecord } from '../upstream/management/rows/organization.ts';
import { type ServiceIds as Stack, stack, stackIn } from '../upstream/observability/clickstack.ts';
import type { AlertRecord } from '../upstream/observability/rows/alert.ts';
import type { DashboardRecord } from '../upstream/observability/rows/dashboard.ts';
import type { Ids } from '../upstream/row.ts';
import { selectOf, startReads } from './look-ahead.ts';
import type { PipeMapper, ServiceMapper, TileMapper } from './mappers.ts';

export type OrganizationIds = { readonly organizationId: string };
export type ServiceIds = OrganizationIds & { readonly serviceId: string };
export type PipeIds = ServiceIds & { readonly pipeId: string };
/** With the service in whose ClickStack the dashboard is, if it is in one. */
export type DashboardIds = { readonly dashboardId: string } & Partial<Stack>;
export type TileIds = DashboardIds & { readonly tileId: string };
export type AlertIds = { readonly alertId: string } & Partial<Stack>;

/** A parent whose record could not be read: each field that needs the record fails, and the other fields work. */
const withoutRecord = <Parent extends object>(
  type: GraphQLObjectType,
  parent: Parent,
  error: Error,
): Parent => ({
  ...Object.fromEntries(Object.keys(type.getFields()).map((name) => [name, error])),
  ...parent,
});

/** The entity that a type's directive `@entity` describes. */
const entityOf = (typeName: string, { schema }: Pick<GraphQLResolveInfo, 'schema'>): Entity => {
  const entity = readsOf(schema).entityOf(typeName);
  if (!entity) throw new TypeError(`${typeName} is no entity`);
  return entity;
};

/** The parent with only the fields that its identifiers provide. */
const identified = ({ id }: Entity, ids: Ids) => {
  const { [id]: own, ...others } = ids;
  return { ...others, id: own, [stack]: stackIn(ids) };
};

/** For each entity that is part of another one's record: finds it in that record. */
const partOf: Readonly<
  Record<string, (record: DashboardRecord, id: string) => TileMapper | undefined>
> = { Tile: (dashboard, id) => tileOf(dashboard, id) };

type FindEntity<Given, Parent> = (
  ids: Given,
  context: Context,
  info: GraphQLResolveInfo,
) => Promise<Parent>;

/**
 * Makes the function that resolves an entity by its identifiers (docs/architecture.md). The record is not read if only
 * identifiers and relations are selected, and reads of relations start at the same time as the read of the record. If the
 * record cannot be read, identifiers and relations still work. Rejects with NOT_FOUND if the entity does not exist, and
 * before any call if an identifier has the wrong form.
 *
 * @param isLinked whether the identifiers come from a record that has been read
 */
export const finder =
  <Given extends Ids, Parent extends object>(
    typeName: string,
    isLinked = false,
  ): FindEntity<Given, Parent> =>
  async (ids, context, info) => {
    const entity = entityOf(typeName, info);
    const { name, upstream } = entity.read;
    const client = context.upstream[upstream];
    client.check(name, ids);
    // The cast holds because the directive's identifiers and the row's record make up the parent's type.
    const parent = identified(entity, ids) as Parent;
    const selection = selectOf(entity, info.fieldNodes, info);
    if (selection.ofRecord.length === 0) return parent;
    startReads(selection, ids, context, info, isLinked);
    try {
      const record = await context.loaders(entity)(ids, client, isLinked);
      const part = partOf[typeName];
      const found = part ? part(record, ids[entity.id] ?? '') : record;
      if (!found) throw notFoundIn(upstream, name);
      return { ...found, ...parent };
    } catch (error) {
      if (isUnavailable(error)) return withoutRecord(selection.type, parent, error);
      throw error;
    }
  };

export const findOrganization = finder<OrganizationIds, OrganizationRecord>('Organization');
export const findService = finder<ServiceIds, ServiceMapper>('Service');
export const findPipe = finder<PipeIds, PipeMapper>('Pipe');
export const findDashboard = finder<DashboardIds, DashboardRecord>('Dashboard');
export const findAlert = finder<AlertIds, AlertRecord>('Alert');

const withIds = oncePerList((tiles: readonly TileMapper[]) =>
  tiles.filter((tile) => typeof tile?.id === 'string' && tile.id !== ''),
);

const tilesById = oncePerList(
  (tiles: readonly TileMapper[]) => new Map(tiles.toReversed().map((tile) => [tile.id, tile])),
);

/** The tiles of a dashboard that have an identifier; empty if the upstream sent no list. */
export const tilesOf = ({ tiles }: DashboardRecord): readonly TileMapper[] =>
  Array.isArray(tiles) ? withIds(tiles) : [];

/** The first tile with this identifier. */
export const tileOf = (dashboard: DashboardRecord, tileId: string): TileMapper | undefined =>
  tilesById(tilesOf(dashboard)).get(tileId);

/**
 * For links in an upstream's record: resolves to null if the linked entity is missing, or its identifier is invalid.
 */
const orNull =
  <Given, Parent>(find: FindEntity<Given, Parent>): FindEntity<Given, Parent | null> =>
  (ids, context, info) =>
    find(ids, context, info).catch((error: unknown) => {
      const unusable = error instanceof UpstreamError && error.failure.reason === 'invalid-request';
      if (unusable || isNotFound(error)) return null;
      throw error;
    });

export const findLinkedOrganization = orNull(
  finder<OrganizationIds, OrganizationRecord>('Organization', true),
);

export const findLinkedService = orNull(finder<ServiceIds, ServiceMapper>('Service', true));

export const findLinkedDashboard = orNull(finder<DashboardIds, DashboardRecord>('Dashboard', true));

export const findLinkedTile = orNull(finder<TileIds, TileMapper>('Tile', true));

/** The record of a dashboard that another record links to. */
export const readLinkedDashboard = async (
  ids: DashboardIds,
  { upstream: { observability }, loaders }: Context,
  info: Pick<GraphQLResolveInfo, 'schema'>,
): Promise<DashboardRecord> => {
  observability.check('getDashboard', ids);
  return loaders(entityOf('Dashboard', info))(ids, observability, true);
};

/** The item of a list that a record links to; null if the record has no link, or the list has no such item. */
export const linkedIn = async <Item extends { readonly id: string }>(
  id: string | null | undefined,
  list: () => Promise<readonly Item[]>,
): Promise<Item | null> => (id ? itemOf(await list(), id) : null);
