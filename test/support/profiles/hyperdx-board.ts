import { type Answer, type Call, data, json } from '../harness.ts';
import type { Era, Members } from './hyperdx-records.ts';

const textPage = (body: string, status: number): Answer => ({
  status,
  headers: { 'content-type': 'text/plain; charset=utf-8' },
  body,
});

const isRecord = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** What a server keeps of a tile: those of January 2026 show what they were given as a ratio in another member. */
const keptTile = (era: Era, tile: Members, id: string): Members => {
  const { asRatio, dashboardId: _, ...rest } = tile;
  if (era === 'H') return { ...rest, id, ...(asRatio !== undefined && { asRatio }) };
  return { ...rest, id, seriesReturnType: asRatio === true ? 'ratio' : 'column' };
};

/** What a server finds wrong with a tile. Those of January 2026 take no `config`, no series with a null, and no tile without an identifier. */
const isWrong = (era: Era, { id, config, series }: Members): boolean => {
  if (era === 'H' && isRecord(config)) return false;
  if (!Array.isArray(series) || series.length === 0) return true;
  const hasNull = series.some((one) => Object.values(one).includes(null));
  return era === 'E' && (hasNull || typeof id !== 'string');
};

/**
 * One dashboard of a server, in memory, and the alerts that it lists. PUT replaces the tiles: one without an identifier
 * that the dashboard has gets another on servers of August 2026, which also delete the alerts of tiles that have gone:
 * `lostAlerts` lists these by tile.
 */
export const createBoard = (era: Era, first: Members, alerts: readonly Members[] = []) => {
  let dashboard = first;
  const lostAlerts: string[] = [];
  let made = 0;

  const put = (body: Members): Answer => {
    const { name, tiles, tags } = body;
    if (typeof name !== 'string' || !Array.isArray(tiles)) {
      return json({ message: 'Body validation failed: name, tiles' }, 400);
    }
    if (tiles.some((tile) => isWrong(era, tile))) {
      return json({ message: 'Body validation failed: tiles' }, 400);
    }
    const before = new Set([dashboard.tiles].flat().map((tile) => String((tile as Members).id)));
    const kept = tiles.map((tile: Members) => {
      made += 1;
      const isKept = era === 'E' || before.has(String(tile.id));
      return keptTile(era, tile, isKept ? String(tile.id) : `made-${made}`);
    });
    const after = new Set(kept.map(({ id }) => id));
    if (era === 'H') lostAlerts.push(...[...before].filter((id) => !after.has(id)));
    dashboard = { ...dashboard, name, tiles: kept, ...(tags !== undefined && { tags }) };
    return data(dashboard);
  };

  return {
    dashboard: () => dashboard,
    lostAlerts,
    answering: ({ method, path, body }: Call): Answer => {
      if (path === '/api/v2/alerts') return data(alerts);
      if (path !== `/api/v2/dashboards/${first.id}`) return textPage('Not Found', 404);
      return method === 'PUT' ? put(JSON.parse(body) as Members) : data(dashboard);
    },
  };
};
