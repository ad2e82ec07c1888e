import type { GraphQLObjectType, GraphQLResolveInfo } from 'graphql';
import type { DashboardIds } from '../loaders/index.ts';
import { oncePerList } from '../loaders/one-or-list.ts';
import type { Context } from '../request/context.ts';
import { isNotFound, isUnavailable, notFoundIn, UpstreamError } from '../upstream/error.ts';
import type { DashboardRecord } from '../upstream/observability/records.ts';
import {
  checkIds,
  type EntityIds,
  type EntityType,
  selectOf,
  startRelations,
} from './look-ahead.ts';
import type {
  AlertMapper,
  DashboardMapper,
  OrganizationMapper,
  PipeMapper,
  ServiceMapper,
  TileMapper,
} from './mappers.ts';

/** A parent without its record: each field that needs the record fails by itself, and the other fields work. */
const withoutRecord = <Parent extends object>(
  type: GraphQLObjectType,
  parent: Parent,
  error: Error,
): Parent => ({
  ...Object.fromEntries(Object.keys(type.getFields()).map((name) => [name, error])),
  ...parent,
});

/** How `finder` finds an entity of one type. */
interface Entity<Type extends EntityType, Parent> {
  /** The parent with only the fields that its identifiers provide. */
  readonly identified: (ids: EntityIds[Type]) => Parent;
  readonly read: (loaders: Context['loaders'], ids: EntityIds[Type]) => Promise<Parent>;
}

/** @param known further fields that need no record */
type FindEntity<Ids, Parent> = (
  ids: Ids,
  context: Context,
  info: GraphQLResolveInfo,
  known?: readonly string[],
) => Promise<Parent>;

/**
 * Makes the function that resolves an entity by its identifiers (docs/architecture.md). The record is not read if only
 * identifiers and relations are selected, and reads of relations start at the same time as the read of the record. If the
 * record cannot be read, identifiers and relations still work. Rejects with NOT_FOUND if the entity does not exist, and
 * before any call if an identifier has the wrong form.
 */
const finder =
  <Type extends EntityType, Parent extends object>(
    typeName: Type,
    { identified, read }: Entity<Type, Parent>,
  ): FindEntity<EntityIds[Type], Parent> =>
  async (ids, context, info, known) => {
    checkIds(typeName, ids, context);
    const parent = identified(ids);
    const selection = selectOf(typeName, info.fieldNodes, info, known);
    if (!selection.needsRecord) return parent;
    startRelations(selection, ids, context, info);
    try {
      return { ...(await read(context.loaders, ids)), ...parent };
    } catch (error) {
      if (isUnavailable(error)) return withoutRecord(selection.type, parent, error);
      throw error;
    }
  };

export const findOrganization = finder<'Organization', OrganizationMapper>('Organization', {
  identified: ({ organizationId }) => ({ id: organizationId }),
  read: ({ organization }, ids) => organization(ids),
});

export const findService = finder<'Service', ServiceMapper>('Service', {
  identified: ({ organizationId, serviceId }) => ({ id: serviceId, organizationId }),
  read: ({ service }, ids) => service(ids),
});

export const findPipe = finder<'Pipe', PipeMapper>('Pipe', {
  identified: ({ organizationId, serviceId, pipeId }) => ({
    id: pipeId,
    organizationId,
    serviceId,
  }),
  read: ({ pipe }, ids) => pipe(ids),
});

const dashboardById = ({ dashboardId }: DashboardIds): DashboardMapper => ({ id: dashboardId });

export const findDashboard = finder<'Dashboard', DashboardMapper>('Dashboard', {
  identified: dashboardById,
  read: ({ dashboard }, ids) => dashboard(ids),
});

export const findAlert = finder<'Alert', AlertMapper>('Alert', {
  identified: ({ alertId }) => ({ id: alertId }),
  read: ({ alert }, ids) => alert(ids),
});

const identified = oncePerList((tiles: readonly TileMapper[]) =>
  tiles.filter((tile) => typeof tile?.id === 'string' && tile.id !== ''),
);

const tilesById = oncePerList(
  (tiles: readonly TileMapper[]) => new Map(tiles.toReversed().map((tile) => [tile.id, tile])),
);

/** The tiles of a dashboard that have an identifier; empty if the upstream sent no list. */
export const tilesOf = ({ tiles }: DashboardRecord): readonly TileMapper[] =>
  Array.isArray(tiles) ? identified(tiles) : [];

/** The first tile with this identifier. */
export const tileOf = (dashboard: DashboardRecord, tileId: string): TileMapper | undefined =>
  tilesById(tilesOf(dashboard)).get(tileId);

const findTile = finder<'Tile', TileMapper>('Tile', {
  identified: ({ dashboardId, tileId }) => ({ id: tileId, dashboardId }),
  read: async ({ linkedDashboard }, { tileId, ...ids }) => {
    const tile = tileOf(await linkedDashboard(ids), tileId);
    if (tile) return tile;
    throw notFoundIn('observability', 'getDashboard');
  },
});

/**
 * For links in an upstream's record: a link to a missing entity, or with an invalid identifier, is null without an error.
 */
const orNull =
  <Ids, Parent>(find: FindEntity<Ids, Parent>): FindEntity<Ids, Parent | null> =>
  (ids, context, info) =>
    find(ids, context, info).catch((error: unknown) => {
      const unusable = error instanceof UpstreamError && error.failure.reason === 'invalid-request';
      if (unusable || isNotFound(error)) return null;
      throw error;
    });

export const findLinkedDashboard = orNull(
  finder<'Dashboard', DashboardMapper>('Dashboard', {
    identified: dashboardById,
    read: ({ linkedDashboard }, ids) => linkedDashboard(ids),
  }),
);

export const findLinkedTile = orNull(findTile);
