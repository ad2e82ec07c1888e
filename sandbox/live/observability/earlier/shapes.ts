import {
  broken,
  decimal,
  flag,
  list,
  type Of,
  object,
  oneOf,
  type Reader,
  text,
} from '../../../rules.ts';
import { objectId } from '../object-id.ts';

const channel = object({ type: oneOf('webhook'), webhookId: objectId }, {});

const atLeastZero: Reader<number> = (value, at) => {
  const read = decimal(value, at);
  if (read < 0) throw broken(at, 'must be at least 0');
  return read;
};

const nonEmpty: Reader<string | null> = (value, at) => {
  const read = value === null ? null : text(value, at);
  if (read === '') throw broken(at, 'must have at least 1 character');
  return read;
};

/** The body of POST and PUT alerts. */
export const alertBody = object(
  {
    threshold: atLeastZero,
    interval: oneOf('1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d'),
    thresholdType: oneOf('above', 'below'),
    source: oneOf('tile', 'saved_search'),
    channel,
  },
  {
    dashboardId: objectId,
    tileId: text,
    savedSearchId: objectId,
    groupBy: text,
    name: nonEmpty,
    message: nonEmpty,
  },
);

type AlertBody = Of<typeof alertBody>;

/** An alert in HyperDX 2.13: links have their documented names. */
export type EarlierAlert = Omit<AlertBody, 'dashboardId' | 'savedSearchId' | 'name' | 'message'> & {
  readonly id: string;
  readonly name: string | null;
  readonly message: string | null;
  readonly team: string;
  readonly dashboard?: string;
  readonly savedSearch?: string;
  readonly state: string;
  readonly silenced?: object;
  readonly createdAt: string;
  readonly updatedAt: string;
};

const optional = {
  dataSource: oneOf('events', 'metrics'),
  table: oneOf('logs', 'metrics'),
  aggFn: text,
  field: text,
  level: decimal,
  where: text,
  whereLanguage: oneOf('lucene', 'sql'),
  groupBy: list(text),
  sourceId: text,
  alias: text,
  metricName: text,
  metricDataType: text,
  fields: list(text),
  content: text,
};

const givenSeries = object(
  { type: oneOf('time', 'table', 'number', 'histogram', 'search', 'markdown') },
  optional,
);

/** A series in an answer: after PUT, omitted members are null, which a body must not have. */
export type EarlierSeries = { readonly type: string } & {
  readonly [Name in Exclude<keyof typeof optional, 'dataSource'>]?: unknown;
};

const seriesNames = Object.keys(optional).filter((name) => name !== 'dataSource');

/** The series of a body, as the service stores them; `filling` sets omitted members to null. */
export const keptSeries = (
  { dataSource, ...series }: Of<typeof givenSeries>,
  filling: boolean,
): EarlierSeries => ({
  ...(filling && Object.fromEntries(seriesNames.map((name) => [name, null]))),
  ...(dataSource !== undefined && { table: dataSource === 'events' ? 'logs' : 'metrics' }),
  ...series,
});

const place = { name: text, x: decimal, y: decimal, w: decimal, h: decimal };
const tileMembers = { ...place, series: list(givenSeries, 1) };

/** The bodies of POST and PUT dashboards: PUT requires an identifier for each tile. */
export const newDashboardBody = object(
  { name: text, tiles: list(object(tileMembers, { asRatio: flag })) },
  { tags: list(text) },
);
export const dashboardBody = object(
  { name: text, tiles: list(object({ ...tileMembers, id: text }, { asRatio: flag })) },
  { tags: list(text) },
);

/** A tile: one made through the interface has series, one made in the editor has a `config`. */
export type EarlierTile = { readonly id: string } & {
  readonly [Name in keyof typeof place | 'config' | 'seriesReturnType']?: unknown;
} & { readonly series?: readonly EarlierSeries[] };

/** A dashboard in HyperDX 2.13. */
export type EarlierDashboard = {
  readonly id: string;
  readonly name: string;
  readonly tags: readonly string[];
  readonly tiles: readonly EarlierTile[];
};

/** A tile of a body. */
export type GivenTile = Omit<Of<typeof newDashboardBody>['tiles'][number], never>;
