import { Refusal } from '../../refusal.ts';
import { type Route, routeFor } from '../../routes.ts';
import {
  dashboardBody,
  type GivenTile,
  type KeptTile,
  type LiveDashboard,
} from './dashboard-shapes.ts';
import { objectId } from './object-id.ts';
import type { HyperdxState } from './state.ts';

/** The part of a team that these operations read and write. */
export type DashboardTeam = {
  readonly dashboards: Map<string, LiveDashboard>;
  readonly sources: ReadonlyMap<string, unknown>;
  readonly alerts: {
    readonly values: () => Iterable<{
      readonly id: string;
      readonly dashboardId?: string;
      readonly tileId?: string;
    }>;
    readonly delete: (id: string) => boolean;
  };
};

const route = routeFor<DashboardTeam>();

/** A 404 in plain text, which this interface has only for dashboards. */
export class PlainRefusal extends Refusal {}

/** An answer without an envelope, which this interface has only for the check of a dashboard. */
export class Bare {
  readonly content: object;

  constructor(content: object) {
    this.content = content;
  }
}

const find = <T>(things: ReadonlyMap<string, T>, id: string): T => {
  const thing = things.get(objectId(id, 'id'));
  if (thing === undefined) throw new PlainRefusal(404, 'Not Found');
  return thing;
};

/** Refuses tiles of which a source does not exist. */
export const checkSources = (
  tiles: readonly GivenTile[],
  { sources }: Pick<DashboardTeam, 'sources'>,
): void => {
  const unknown = tiles.some(
    ({ config: { sourceId } }) => sourceId !== undefined && !sources.has(sourceId),
  );
  if (unknown) throw new Refusal(400, 'Source not found');
};

/** Checks a body as POST does, and stores nothing. */
export const check = (body: unknown, team: Pick<DashboardTeam, 'sources'>): object => {
  try {
    const normalized = dashboardBody(body, '');
    checkSources(normalized.tiles, team);
    return { valid: true, errors: [], normalized };
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const errors = error.issues.map(({ at, rule }) => ({
      path: at.replaceAll(/\[(\d+)\]/g, '.$1'),
      message: rule,
    }));
    const whole = { path: '', message: error.message };
    return { valid: false, errors: errors.length > 0 ? errors : [whole], normalized: null };
  }
};

const deleteAlerts = ({ alerts }: DashboardTeam, isGone: (id: string, tile: string) => boolean) => {
  for (const { id, dashboardId, tileId } of alerts.values()) {
    if (dashboardId !== undefined && isGone(dashboardId, tileId ?? '')) alerts.delete(id);
  }
};

/** The part of a dashboard that answers show. */
const shown = ({ tiles, ...dashboard }: LiveDashboard): LiveDashboard => ({
  ...dashboard,
  tiles: tiles.flatMap(({ hidden: _, isLeftOut, ...tile }) => (isLeftOut ? [] : [tile])),
});

/** The operations on dashboards. */
export const dashboardRoutes = ({
  sequence,
}: Pick<HyperdxState, 'sequence'>): readonly Route<DashboardTeam>[] => {
  const read = (body: unknown, team: DashboardTeam, known: readonly KeptTile[]) => {
    const { tiles: given, filters, ...others } = dashboardBody(body, '');
    checkSources(given, team);
    const withId = filters?.map((each) => ({ id: sequence.objectId(), ...each }));
    const rest = { ...others, ...(withId && { filters: withId }) };
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

    route(
      'POST',
      '/api/v2/dashboards/validate',
      ({ caller, body }) => new Bare(check(body, caller)),
    ),

    route('POST', '/api/v2/dashboards', ({ caller, body }) => {
      const dashboard = { id: sequence.objectId(), tags: [], ...read(body, caller, []) };
      caller.dashboards.set(dashboard.id, dashboard);
      return shown(dashboard);
    }),

    // Replaces the tiles, including everything that answers do not show. A tile without its identifier is a new tile. Alerts
    // of deleted tiles are deleted too.
    route('PUT', '/api/v2/dashboards/{id}', ({ caller, ids, body }) => {
      const old = find(caller.dashboards, ids.id);
      const dashboard = { ...old, ...read(body, caller, old.tiles) };
      caller.dashboards.set(old.id, dashboard);
      const stays = new Set(dashboard.tiles.map(({ id }) => id));
      deleteAlerts(caller, (id, tile) => id === old.id && !stays.has(tile));
      return shown(dashboard);
    }),

    // Deleting an unknown dashboard succeeds. The answer is an object without data.
    route('DELETE', '/api/v2/dashboards/{id}', ({ caller, ids }) => {
      caller.dashboards.delete(objectId(ids.id, 'id'));
      deleteAlerts(caller, (id) => id === ids.id);
    }),
  ];
};
