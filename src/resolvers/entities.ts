import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../context.ts';
import type { ServiceScope } from '../loaders.ts';
import type {
  AlertMapper,
  DashboardMapper,
  OrganizationMapper,
  PipeMapper,
  ServiceMapper,
  TileMapper,
} from '../mappers.ts';
import { isNotFound, notFoundIn, UpstreamError } from '../upstream/error.ts';
import type { PipeRecord, ServiceRecord } from '../upstream/management/records.ts';
import type { DashboardRecord } from '../upstream/observability/records.ts';
import { lookUp, type Read } from './look-up.ts';

/**
 * Each entity by its identifiers. All throw at once what identifiers of the wrong form are refused with, and
 * reject with NOT_FOUND where there is none; see `lookUp`.
 */

type FindEntity<Ids, Parent> = (
  ids: Ids,
  context: Context,
  info: GraphQLResolveInfo,
) => Promise<Parent>;

export const findOrganization: FindEntity<{ organizationId: string }, OrganizationMapper> = (
  { organizationId },
  context,
  info,
) => {
  context.upstream.management.check('getOrganization', { organizationId });
  const read: Read<OrganizationMapper> = (alone) =>
    context.loaders.organization(organizationId, alone);
  return lookUp('Organization', { id: organizationId }, read, context, info);
};

export const findService: FindEntity<ServiceScope, ServiceMapper> = (
  { organizationId, serviceId },
  context,
  info,
) => {
  context.upstream.management.check('getService', { organizationId, serviceId });
  const read: Read<ServiceRecord> = (alone) =>
    context.loaders.service(organizationId, serviceId, alone);
  return lookUp('Service', { id: serviceId, organizationId }, read, context, info);
};

export const findPipe: FindEntity<ServiceScope & { pipeId: string }, PipeMapper> = (
  { organizationId, serviceId, pipeId },
  context,
  info,
) => {
  context.upstream.management.check('getPipe', { organizationId, serviceId, pipeId });
  const read: Read<PipeRecord> = (alone) =>
    context.loaders.pipe({ organizationId, serviceId }, pipeId, alone);
  return lookUp('Pipe', { id: pipeId, organizationId, serviceId }, read, context, info);
};

export const findDashboard: FindEntity<{ dashboardId: string }, DashboardMapper> = (
  { dashboardId },
  context,
  info,
) => {
  context.upstream.observability.check('getDashboard', { dashboardId });
  const read: Read<DashboardRecord> = (alone) => context.loaders.dashboard(dashboardId, alone);
  return lookUp('Dashboard', { id: dashboardId }, read, context, info);
};

export const findAlert: FindEntity<{ alertId: string }, AlertMapper> = (
  { alertId },
  context,
  info,
) => {
  context.upstream.observability.check('getAlert', { alertId });
  const read: Read<AlertMapper> = (alone) => context.loaders.alert(alertId, alone);
  return lookUp('Alert', { id: alertId }, read, context, info);
};

/** The tiles of a dashboard that can be told apart; nothing where the upstream sent no list. */
export const tilesOf = ({ tiles }: DashboardRecord): readonly TileMapper[] =>
  Array.isArray(tiles)
    ? tiles.filter((tile) => typeof tile?.id === 'string' && tile.id !== '')
    : [];

/** A tile has no read of its own: it is found in its dashboard. */
export const findTile: FindEntity<{ dashboardId: string; tileId: string }, TileMapper> = (
  { dashboardId, tileId },
  context,
  info,
) => {
  context.upstream.observability.check('getDashboard', { dashboardId });
  const read: Read<TileMapper> = async (alone) => {
    const tile = tilesOf(await context.loaders.dashboard(dashboardId, alone)).find(
      ({ id }) => id === tileId,
    );
    if (tile) return tile;
    throw notFoundIn('observability', 'getDashboard');
  };
  return lookUp('Tile', { id: tileId, dashboardId }, read, context, info);
};

const nullIfNowhere = (error: unknown): null => {
  const unusable = error instanceof UpstreamError && error.failure.reason === 'invalid-request';
  if (unusable || isNotFound(error)) return null;
  throw error;
};

/**
 * For links that an upstream's record makes: one that points to nothing, or to what cannot be an
 * identifier, is null without an error (design, section 4).
 */
const orNull =
  <Ids, Parent>(find: FindEntity<Ids, Parent>): FindEntity<Ids, Parent | null> =>
  (ids, context, info) => {
    try {
      return find(ids, context, info).catch(nullIfNowhere);
    } catch (error) {
      return Promise.resolve(nullIfNowhere(error));
    }
  };

/** The tile that an alert names, or null. */
export const findLinkedTile = orNull(findTile);

const findDashboardOrNull = orNull(findDashboard);

/** The dashboard that an alert or a tile names, or null. */
export const findLinkedDashboard = (
  dashboardId: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<DashboardMapper | null> => findDashboardOrNull({ dashboardId }, context, info);

/** The organization that a service names. */
export const findLinkedOrganization = (
  organizationId: string,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<OrganizationMapper> => findOrganization({ organizationId }, context, info);
