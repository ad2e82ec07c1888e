import type { GraphQLResolveInfo } from 'graphql';
import type { Context } from '../request/context.ts';
import { UpstreamError } from '../upstream/error.ts';
import type { AlertRecord } from '../upstream/observability/rows/alert.ts';
import { linkedIn, readLinkedDashboard, tileOf } from './entities.ts';

/** The name of a record, or the error that is stored in its place; undefined if it has none that can be shown. */
const nameIn = (record: { readonly name?: unknown } | null | undefined): string | undefined => {
  const name = record?.name;
  if (name instanceof Error) throw name;
  return typeof name === 'string' && name.trim() !== '' ? name : undefined;
};

/** The name of the saved search, the tile or, for a tile without a name, the dashboard that the alert watches. */
const nameOfWatched = async (
  { source, savedSearch, dashboard, tileId }: AlertRecord,
  context: Context,
  info: GraphQLResolveInfo,
): Promise<string | undefined> => {
  if (source === 'search' || source === 'saved_search') {
    const { observability } = context.upstream;
    return nameIn(await linkedIn(savedSearch, () => observability.listSavedSearches()));
  }
  if (!dashboard || !tileId) return undefined;
  const board = await readLinkedDashboard({ dashboardId: dashboard }, context, info);
  return nameIn(tileOf(board, tileId)) ?? nameIn(board);
};

/**
 * A name for every alert: its own, or else that of what it watches. Reads only for an alert without a name. If that fails,
 * the name is made of the identifier, since an alert without any name is worse.
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
