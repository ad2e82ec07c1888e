import { broken, list, object, oneOf, type Reader, text } from '../../rules.ts';
import { type TileConfig, tileConfig } from './config-shapes.ts';

const groupBy = (value: unknown, at: string): readonly string[] => {
  const read = list(text)(value, at);
  if (read.length > 10) throw broken(at, 'must have at most 10 elements');
  return read;
};

const charts = {
  time: { displayType: 'line', reader: object({ aggFn: text, where: text, groupBy }, {}) },
  table: { displayType: 'table', reader: object({ aggFn: text, where: text, groupBy }, {}) },
  number: { displayType: 'number', reader: object({ aggFn: text, where: text }, { groupBy }) },
} as const;

const seriesType = object({ type: oneOf('time', 'table', 'number', 'search', 'markdown') }, {});
const searchSeries = object({ fields: list(text), where: text }, {});
const markdownSeries = object({ content: text }, {});

// Members with different names in the two forms. The others have the same name in an entry of `select`.
const entry = object({}, { field: text, metricDataType: text });

const isMembers = (value: unknown): value is object => typeof value === 'object' && value !== null;

const chartConfig = (
  type: keyof typeof charts,
  all: readonly unknown[],
  at: string,
  asRatio: boolean | undefined,
): unknown => {
  const { displayType, reader } = charts[type];
  const select = all.map((series, index) => {
    reader(series, `${at}[${index}]`);
    const { field, metricDataType } = entry(series, `${at}[${index}]`);
    return {
      ...(isMembers(series) && series),
      ...(field !== undefined && { valueExpression: field }),
      ...(metricDataType !== undefined && { metricType: metricDataType }),
    };
  });
  const { groupBy: columns = [] } = reader(all[0], `${at}[0]`);
  return {
    displayType,
    ...sourceOf(all[0]),
    select,
    ...(columns.length > 0 && { groupBy: columns.join(', ') }),
    ...(asRatio !== undefined && type !== 'number' && { asRatio }),
  };
};

const sourceOf = (series: unknown): object =>
  isMembers(series) && 'sourceId' in series ? { sourceId: series.sourceId } : {};

/** Converts a tile's series, which are the older form, to the `config` of answers. The first series determines the type. */
export const configOfSeries =
  (asRatio: boolean | undefined): Reader<TileConfig> =>
  (value, at) => {
    const all = list<unknown>((series) => series, 1)(value, at);
    const first = `${at}[0]`;
    const { type } = seriesType(all[0], first);
    if (type === 'markdown') {
      return { displayType: 'markdown', markdown: markdownSeries(all[0], first).content };
    }
    if (type === 'search') {
      const { fields, where } = searchSeries(all[0], first);
      const config = {
        displayType: 'search',
        ...sourceOf(all[0]),
        select: fields.join(', '),
        where,
      };
      return tileConfig(config, first);
    }
    return tileConfig(chartConfig(type, all, at, asRatio), first);
  };
