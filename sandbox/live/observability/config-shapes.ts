import {
  anything,
  broken,
  decimal,
  flag,
  list,
  type Of,
  object,
  oneOf,
  type Reader,
  text,
} from '../../rules.ts';
import { objectId } from './object-id.ts';

const language = oneOf('lucene', 'sql');

const aggFn = oneOf(
  'avg',
  'count',
  'count_distinct',
  'last_value',
  'max',
  'min',
  'quantile',
  'sum',
  'any',
  'none',
);

const select = list(
  object(
    { aggFn },
    {
      valueExpression: text,
      where: text,
      whereLanguage: language,
      alias: text,
      level: decimal,
      metricName: text,
      metricType: text,
    },
  ),
  1,
);

const chart = object({ sourceId: objectId, select }, { groupBy: text });

const formulas = list(object({ expression: text }, { alias: text, numberFormat: anything }));

const withFormulas = object({ sourceId: objectId, select }, { groupBy: text, formulas });

const withRatio = object(
  { sourceId: objectId, select },
  { groupBy: text, formulas, showOperandSeries: flag, asRatio: flag },
);

const search = object(
  { sourceId: objectId, select: text },
  { where: text, whereLanguage: language },
);

const readers = {
  line: withRatio,
  stacked_bar: withRatio,
  table: withRatio,
  number: withFormulas,
  pie: chart,
  bar: chart,
  heatmap: chart,
  search,
  event_patterns: object({ sourceId: objectId }, { where: text, whereLanguage: language }),
  markdown: object({}, { markdown: text }),
};

type DisplayType = keyof typeof readers;

const rawSql = object(
  {
    displayType: oneOf('line', 'stacked_bar', 'table', 'number', 'pie', 'bar'),
    connectionId: objectId,
    sqlTemplate: text,
  },
  {},
);

const names: readonly string[] = Object.keys(readers);

const isDisplayType = (value: string): value is DisplayType => names.includes(value);

const displayType: Reader<DisplayType> = (value, at) => {
  if (typeof value !== 'string' || !isDisplayType(value)) {
    throw broken(at, `must be one of ${names.join(', ')}`);
  }
  return value;
};

const kind = object({}, { configType: oneOf('builder', 'sql'), displayType });

/** The chart of a tile. Its members depend on `displayType`, and on whether it is written in SQL. */
export type TileConfig = {
  readonly displayType: DisplayType;
  readonly configType?: 'sql';
  readonly sourceId?: string;
  readonly select?: Of<typeof select> | string;
  readonly where?: string;
  readonly whereLanguage?: Of<typeof language>;
  /** The expressions, joined by commas. */
  readonly groupBy?: string;
  readonly asRatio?: boolean;
  readonly formulas?: Of<typeof formulas>;
  readonly showOperandSeries?: boolean;
  readonly markdown?: string;
  readonly connectionId?: string;
  readonly sqlTemplate?: string;
};

/** Reads the `config` of a tile. */
export const tileConfig: Reader<TileConfig> = (value, at) => {
  const { configType, displayType: shown } = kind(value, at);
  if (configType === 'sql') return { configType, ...rawSql(value, at) };
  if (shown === undefined) throw broken(`${at}.displayType`, 'is required');
  return { displayType: shown, ...readers[shown](value, at) };
};
