import { randomBytes } from 'node:crypto';
import { type Problem, UpstreamError } from '../error.ts';
import { filled } from '../filled.ts';
import { isReduced } from './hidden-tiles.ts';
import type {
  DashboardChanges,
  DashboardRecord,
  ReplaceDashboardRequest,
  TileChanges,
} from './rows/dashboard.ts';

type ReadTile = NonNullable<DashboardRecord['tiles']>[number];

/** The tile without the member that the gateway has added. */
const sentBack = ({ dashboardId: _, ...tile }: ReadTile): TileChanges => tile;

const problem = (path: string, words: string): Problem => ({
  field: path.split('.'),
  message: `${path} ${words}.`,
});

const isAbsent = (value: unknown): boolean => value === undefined || value === null;

/** What all servers require of a tile. */
const requiredNames = ['name', 'x', 'y', 'w', 'h', 'series'] as const;

const filledRule = filled<DashboardChanges>([
  ...['name', 'tiles'],
  ...requiredNames.map((name) => `tiles.${name}`),
]);

const tileProblems = (
  tiles: readonly TileChanges[],
  known: ReadonlyMap<unknown, ReadTile>,
): readonly Problem[] => {
  const seen = new Set<string>();
  return tiles.flatMap(({ id, ...members }, at) => {
    const path = `tiles.${at}`;
    if (id === undefined || id === null) {
      return requiredNames
        .filter((name) => isAbsent(members[name]))
        .map((name) => problem(`${path}.${name}`, 'must be given for a new tile'));
    }
    const isTwice = seen.has(id);
    seen.add(id);
    if (isTwice) return [problem(`${path}.id`, 'names a tile that is listed before')];
    return known.has(id) ? [] : [problem(`${path}.id`, 'names no tile of the dashboard')];
  });
};

const seriesProblems = (tiles: readonly TileChanges[]): readonly Problem[] =>
  tiles.flatMap(({ series }, at) => {
    const path = `tiles.${at}.series`;
    if (series?.length === 0) return [problem(path, 'must hold at least one series')];
    return (series ?? []).flatMap(({ type }, index) =>
      isAbsent(type) ? [problem(`${path}.${index}.type`, 'must be given')] : [],
    );
  });

const failed = (failure: { readonly detail: string } | { readonly problems: readonly Problem[] }) =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'replaceDashboard',
    ...('problems' in failure
      ? { reason: 'invalid-request', write: true }
      : { reason: 'bad-response', write: false }),
    ...failure,
  });

/** Throws if the changes would delete what a dashboard must have, before it is read. */
export const checkDashboardChanges = (changes: DashboardChanges): void => {
  // The rule for new tiles tells what a new tile lacks.
  const tiles = changes.tiles?.map((tile) => (isAbsent(tile.id) ? {} : tile));
  const problems = filledRule({ ...changes, ...(tiles && { tiles }) });
  if (problems.length > 0) throw failed({ problems });
};

/** Servers that answer with series need an identifier for a new tile. All others make one themselves. */
const newTile = (tiles: readonly ReadTile[], { id: _, ...given }: TileChanges): TileChanges =>
  tiles.some(isReduced) ? given : { id: randomBytes(12).toString('hex'), ...given };

/** The listed tiles: a tile with an identifier keeps the members that are not given; a tile without one is new. */
const replacedTiles = (
  tiles: readonly ReadTile[],
  changes: readonly TileChanges[],
): readonly TileChanges[] => {
  const known = new Map<unknown, ReadTile>(tiles.map((tile) => [tile.id, tile]));
  const problems = [...tileProblems(changes, known), ...seriesProblems(changes)];
  if (problems.length > 0) throw failed({ problems });
  return changes.map((given) => {
    const tile = known.get(given.id);
    return tile ? { ...sentBack(tile), ...given } : newTile(tiles, given);
  });
};

/**
 * The body that changes only the given members of a dashboard. PUT replaces all tiles: a tile without its identifier
 * would become a new one, and the alerts of the old tile would be deleted. So all other tiles are sent back as they
 * were read, with their identifiers.
 */
export const dashboardReplacementOf = (
  dashboard: DashboardRecord,
  { tiles: changes, mayResetTiles: _, ...given }: DashboardChanges,
): ReplaceDashboardRequest => {
  const { name, tags } = dashboard;
  const tiles: unknown = dashboard.tiles;
  if (!Array.isArray(tiles)) throw failed({ detail: 'the dashboard has no list of tiles' });
  return {
    name,
    tags,
    ...given,
    tiles: changes
      ? replacedTiles(dashboard.tiles ?? [], changes)
      : (dashboard.tiles ?? []).map(sentBack),
  };
};
