import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../request/context.ts';
import { UpstreamError } from '../upstream/error.ts';
import { stack } from '../upstream/observability/clickstack.ts';
import type { AlertRecord } from '../upstream/observability/rows/alert.ts';
import { beside } from './clickstack.ts';
import { linkedIn, readLinkedDashboard, tileOf } from './entities.ts';

/** The name of a record; undefined if it is missing, empty or no text. Throws an error that is stored in its place. */
const nameIn = (record: { readonly name?: unknown } | null | undefined): string | undefined => {
  const name = record?.name;
  if (name instanceof Error) throw name;
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
};

/** The name of the saved search, the tile or, for a tile without a name, the dashboard that the alert watches. */
const nameOfWatched = async (
  alert: AlertRecord,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<string | undefined> => {
  const { source, savedSearch, dashboard, tileId } = alert;
  if (source === 'search' || source === 'saved_search') {
    const observability = beside(alert, context);
    return nameIn(await linkedIn(savedSearch, () => observability.listSavedSearches()));
  }
  if (!dashboard || !tileId) return undefined;
  const ids = { dashboardId: dashboard, ...alert[stack] };
  const board = await readLinkedDashboard(ids, context, info);
  return nameIn(tileOf(board, tileId)) ?? nameIn(board);
};

/**
 * The alert's own name, or else the name of the object that it watches, which is read only then. If that read fails, the
 * name is made from the identifier, so that every alert has a name.
 */
export const displayNameOf = async (
  alert: AlertRecord,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<string> => {
  const own = nameIn(alert);
  if (own !== undefined) return own;
  const watched = await nameOfWatched(alert, context, info).catch((error: unknown) => {
    if (!(error instanceof UpstreamError)) throw error;
    context.unread.push(error);
    return undefined;
  });
  return watched ?? `Alert ${alert.id}`;
};
