import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../../is-object.ts';
import type { Members } from '../../../profile.ts';
import { membersOfConfig } from '../../rows/dashboard.ts';
import { splitExpressions } from './split.ts';
import { withoutNulls } from './without-nulls.ts';

/** The reference's name for each `displayType` that it calls otherwise. */
const typesOf: Readonly<Record<string, string>> = { line: 'time', stacked_bar: 'time' };

/** The reference's data source for each `table` of servers of January 2026. */
const dataSources: Readonly<Record<string, string>> = { logs: 'events', metrics: 'metrics' };

const renamed = (names: Readonly<Record<string, string>>, value: unknown): unknown =>
  typeof value === 'string' ? (names[value] ?? value) : value;

/** The editor of January 2026 writes the expressions as one text, or as a list of objects with one expression each. */
const expressionsOf = (value: unknown): unknown => {
  if (typeof value === 'string') return splitExpressions(value);
  if (!Array.isArray(value)) return value;
  return value.map((each) => (isObject(each) ? each.valueExpression : each));
};

const readSeries = (series: unknown): unknown => {
  if (!isObject(series)) return series;
  const { dataSource, ...rest } = withoutNulls(series);
  const named = dataSource ?? renamed(dataSources, rest.table);
  return { ...rest, ...(named !== undefined && { dataSource: named }) };
};

/** Whether `select` holds the series. Markdown and SQL tiles have none, though the editor may leave old ones in `select`. */
const hasSeries = ({ displayType, select, sqlTemplate }: Members): boolean =>
  Array.isArray(select) && displayType !== 'markdown' && typeof sqlTemplate !== 'string';

/** Converts one entry of `select` to a series. The editor of January 2026 has other names for the condition. */
const seriesOfEntry = (common: Members, entry: Members): Members => ({
  ...entry,
  ...common,
  field: entry.valueExpression,
  where: entry.where ?? entry.aggCondition,
  whereLanguage: entry.whereLanguage ?? entry.aggConditionLanguage,
  metricDataType: entry.metricType,
});

/** Converts a tile's `config` to the reference's series. */
const seriesOfConfig = (config: Members): readonly Members[] => {
  const { displayType, select, groupBy } = config;
  const common: Members = {
    type: renamed(typesOf, displayType),
    displayType,
    sourceId: config.sourceId ?? config.source,
    groupBy: expressionsOf(groupBy),
  };
  if (hasSeries(config) && Array.isArray(select)) {
    return select.filter(isObject).map((entry) => seriesOfEntry(common, entry));
  }
  return [
    {
      ...common,
      fields: Array.isArray(select) ? undefined : expressionsOf(select),
      where: config.where,
      whereLanguage: config.whereLanguage,
      content: config.markdown,
      connectionId: config.connectionId,
      sqlTemplate: config.sqlTemplate,
    },
  ];
};

const isRatio = ({ asRatio, seriesReturnType }: Members): unknown =>
  asRatio ?? (seriesReturnType === undefined ? undefined : seriesReturnType === 'ratio');

/** Converts a tile to the reference's form. Servers send its series as `series`, or as `config`. */
const readTile = (record: unknown): unknown => {
  if (!isObject(record)) return record;
  const tile = withoutNulls(record);
  const { config, series } = tile;
  if (!isObject(config)) {
    const read = Array.isArray(series) ? series.map(readSeries) : series;
    return { ...tile, asRatio: isRatio(tile), series: read };
  }
  return {
    ...tile,
    name: tile.name ?? config.name,
    asRatio: isRatio(config),
    ...(hasSeries(config) && {
      where: config.where,
      whereLanguage: config.whereLanguage,
    }),
    ...(config.formulas !== undefined && {
      formulas: config.formulas,
      showOperandSeries: config.showOperandSeries,
    }),
    series: seriesOfConfig(config),
  };
};

/** Converts a dashboard to the reference's form. */
export const readDashboard = (record: Members): Members => {
  const dashboard = withoutNulls(record);
  return {
    ...dashboard,
    ...(Array.isArray(dashboard.tiles) && { tiles: dashboard.tiles.map(readTile) }),
  };
};

/** Converts a tile to the service's form. Its `config` is sent back unchanged, unless other series were given. */
const writeTile = (tile: unknown): unknown => {
  if (!isObject(tile) || !isObject(tile.config)) return tile;
  const { config, series, asRatio, ...others } = tile;
  const rest = Object.fromEntries(
    Object.entries(others).filter(([name]) => !membersOfConfig.some((each) => each === name)),
  );
  if (!isDeepStrictEqual(series, seriesOfConfig(config))) return { ...rest, series, asRatio };
  return { ...rest, config: asRatio === isRatio(config) ? config : { ...config, asRatio } };
};

/** The service's body for a dashboard. */
export const writeDashboard = (dashboard: Members): Members => ({
  ...dashboard,
  ...(Array.isArray(dashboard.tiles) && { tiles: dashboard.tiles.map(writeTile) }),
});
