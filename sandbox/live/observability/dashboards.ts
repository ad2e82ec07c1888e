import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
import {
  dashboardBody,
  type GivenTile,
  type KeptTile,
  type LiveDashboard,
} from './dashboard-shapes.ts';
import { objectId } from './object-id.ts';
import { type HyperdxState, type LiveTeam, route } from './state.ts';

/** A 404 in plain words, which this interface has for dashboards alone. */
export class PlainRefusal extends Refusal {}

const find = <T>(things: ReadonlyMap<string, T>, id: string): T => {
  const thing = things.get(objectId(id, 'id'));
  if (thing === undefined) throw new PlainRefusal(404, 'Not Found');
  return thing;
};

const checkSources = (tiles: readonly GivenTile[], { sources }: LiveTeam): void => {
  const unknown = tiles.some(
    ({ config: { sourceId } }) => sourceId !== undefined && !sources.has(sourceId),
  );
  if (unknown) throw new Refusal(400, 'Source not found');
};

const deleteAlerts = ({ alerts }: LiveTeam, isGone: (id: string, tile: string) => boolean) => {
  for (const { id, dashboardId, tileId } of alerts.values()) {
    if (dashboardId !== undefined && isGone(dashboardId, tileId ?? '')) alerts.delete(id);
  }
};

/** What an answer shows of a dashboard. */
const shown = ({ tiles, ...dashboard }: LiveDashboard): LiveDashboard => ({
  ...dashboard,
  tiles: tiles.flatMap(({ hidden: _, isLeftOut, ...tile }) => (isLeftOut ? [] : [tile])),
});

/** The operations on dashboards. */
export const dashboardRoutes = ({ sequence }: HyperdxState): readonly Route<LiveTeam>[] => {
  const read = (body: unknown, team: LiveTeam, known: readonly KeptTile[]) => {
    const { tiles: given, ...rest } = dashboardBody(body, '');
    checkSources(given, team);
    const tiles = given.map((tile): KeptTile => {
      const kept = known.find(({ id }) => id === tile.id);
      return { ...tile, id: kept?.id ?? sequence.objectId() };
    });
    return { ...rest, tiles };
  };

  return [
    route('GET', '/api/v2/dashboards', ({ caller }) =>
      [...caller.dashboards.values()].sort((a, b) => b.name.localeCompare(a.name, 'en')).map(shown),
    ),

    route('GET', '/api/v2/dashboards/{id}', ({ caller, ids }) =>
      shown(find(caller.dashboards, ids.id)),
    ),

    route('POST', '/api/v2/dashboards', ({ caller, body }) => {
      const dashboard = { id: sequence.objectId(), tags: [], ...read(body, caller, []) };
      caller.dashboards.set(dashboard.id, dashboard);
      return shown(dashboard);
    }),

    // The tiles are replaced, with all that answers do not show: one that comes without its identifier is another tile, and
    // alerts of tiles that are gone go too.
    route('PUT', '/api/v2/dashboards/{id}', ({ caller, ids, body }) => {
      const old = find(caller.dashboards, ids.id);
      const dashboard = { ...old, ...read(body, caller, old.tiles) };
      caller.dashboards.set(old.id, dashboard);
      const stays = new Set(dashboard.tiles.map(({ id }) => id));
      deleteAlerts(caller, (id, tile) => id === old.id && !stays.has(tile));
      return shown(dashboard);
    }),

    // An unknown one is deleted too. The answer is an object without data.
    route('DELETE', '/api/v2/dashboards/{id}', ({ caller, ids }) => {
      caller.dashboards.delete(objectId(ids.id, 'id'));
      deleteAlerts(caller, (id) => id === ids.id);
    }),
  ];
};
