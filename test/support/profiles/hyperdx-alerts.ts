import { isObject } from '../../../src/is-object.ts';
import { type Answer, type Call, data, json } from '../harness.ts';
import type { Era, Members } from './hyperdx-records.ts';

const oneOf = (...values: readonly string[]) =>
  new RegExp(`^(?:${values.join('|')})$`) as { test(value: unknown): boolean };

const thresholdTypes: Readonly<Record<Era, readonly string[]>> = {
  E: ['above', 'below'],
  H: [
    ...['above', 'below', 'above_exclusive', 'below_or_equal', 'equal', 'not_equal'],
    ...['between', 'not_between'],
  ],
};

const isThere = (value: unknown): boolean => value !== undefined && value !== null;
const isChannel = (value: unknown): boolean =>
  isObject(value) && value.type === 'webhook' && typeof value.webhookId === 'string';

/** What a server finds wrong with a body, in the order in which it looks; other members are dropped without a word. */
const faultOf = (era: Era, body: Members): string | undefined => {
  const { source = 'saved_search', thresholdType, channel, channels, thresholdMax } = body;
  const isBetween = oneOf('between', 'not_between').test(thresholdType);
  const checks: readonly (readonly [member: string, isRight: boolean])[] = [
    ['threshold', typeof body.threshold === 'number'],
    ['interval', oneOf('1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d').test(body.interval)],
    ['thresholdType', oneOf(...thresholdTypes[era]).test(thresholdType)],
    ['source', oneOf('tile', 'saved_search').test(source)],
    ['tileId', source !== 'tile' || isThere(body.tileId)],
    ['dashboardId', source !== 'tile' || isThere(body.dashboardId)],
    ['savedSearchId', source !== 'saved_search' || isThere(body.savedSearchId)],
    ['channel', era === 'H' ? isChannel(channel ?? [channels].flat()[0]) : isChannel(channel)],
    ['thresholdMax', era === 'E' || thresholdMax !== null],
    ['thresholdMax', era === 'E' || !isBetween || typeof thresholdMax === 'number'],
    [
      'channels',
      era === 'E' ||
        !isThere(channel) ||
        !Array.isArray(channels) ||
        JSON.stringify(channel) === JSON.stringify(channels[0]),
    ],
  ];
  return checks.find(([, isRight]) => !isRight)?.[0];
};

/** Members that null takes the place of where a body leaves them out. */
const nulledWhenLeftOut: Readonly<Record<Era, readonly string[]>> = {
  E: ['name', 'message'],
  H: ['name', 'message', 'note', 'numConsecutiveWindows', 'groupBy'],
};

/** Members that stay where a body leaves them out. */
const staying: Readonly<Record<Era, readonly string[]>> = {
  E: ['groupBy', 'tileId'],
  H: ['thresholdMax', 'scheduleOffsetMinutes', 'scheduleStartAt', 'tileId'],
};

const linkNames: Readonly<
  Record<Era, { readonly dashboard: string; readonly savedSearch: string }>
> = {
  E: { dashboard: 'dashboard', savedSearch: 'savedSearch' },
  H: { dashboard: 'dashboardId', savedSearch: 'savedSearchId' },
};

/** The record that a body makes of another. */
const replaced = (era: Era, record: Members, body: Members): Members => {
  const names = linkNames[era];
  const channel = body.channel ?? [body.channels].flat()[0];
  const given = (name: string): Members => (name in body ? { [name]: body[name] } : {});
  return {
    ...record,
    ...Object.fromEntries(nulledWhenLeftOut[era].map((name) => [name, body[name] ?? null])),
    ...Object.assign({}, ...staying[era].map(given)),
    ...{ threshold: body.threshold, interval: body.interval, thresholdType: body.thresholdType },
    ...{ source: body.source ?? 'saved_search', channel },
    ...(era === 'H' && { channels: body.channels ?? [channel] }),
    ...('dashboardId' in body && { [names.dashboard]: body.dashboardId }),
    ...('savedSearchId' in body && { [names.savedSearch]: body.savedSearchId }),
  };
};

/** The alerts of a server of one era, in memory. */
export const createAlerts = (era: Era, first: readonly Members[]) => {
  const alerts = new Map(first.map((alert) => [String(alert.id), alert]));
  const pageOf = (query: string): Answer => {
    const all = [...alerts.values()];
    if (era === 'E') return data(all);
    const asked = new URLSearchParams(query);
    const limit = Number(asked.get('limit') ?? 1000);
    const offset = Number(asked.get('offset') ?? 0);
    const rows = all.slice(offset, offset + limit);
    return json({ data: rows, meta: { total: all.length, limit, offset } });
  };
  return {
    alerts,
    answering: ({ method, path, body }: Call): Answer => {
      const [, id, query = ''] = /^\/api\/v2\/alerts(?:\/([^?]*))?(?:\?(.*))?$/.exec(path) ?? [];
      if (id === undefined && method === 'GET') return pageOf(query);
      const sent = body === '' ? {} : (JSON.parse(body) as Members);
      const fault = body === '' ? undefined : faultOf(era, sent);
      if (fault !== undefined) return json({ message: `Body validation failed: ${fault}` }, 400);
      if (id === undefined) {
        const created = replaced(era, { id: '65f5e4a3b9e77c0000000eff', state: 'OK' }, sent);
        alerts.set(String(created.id), created);
        return data(created);
      }
      const record = alerts.get(id);
      if (record === undefined) return json({ message: 'Alert not found' }, 404);
      if (method === 'DELETE') {
        alerts.delete(id);
        return json({});
      }
      if (method === 'PUT') alerts.set(id, replaced(era, record, sent));
      return data(alerts.get(id));
    },
  };
};
