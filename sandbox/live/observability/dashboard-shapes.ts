import {
  anything,
  broken,
  flag,
  integerBetween,
  list,
  type Of,
  object,
  oneOf,
  type Reader,
  text,
} from '../../rules.ts';
import { type TileConfig, tileConfig } from './config-shapes.ts';
import { configOfSeries } from './series.ts';

const place = object(
  {
    name: text,
    x: integerBetween(0, 23),
    y: integerBetween(0, Number.POSITIVE_INFINITY),
    w: integerBetween(1, 24),
    h: integerBetween(1, Number.POSITIVE_INFINITY),
  },
  { id: text, containerId: text, tabId: text, asRatio: flag, config: anything, series: anything },
);

type Place = Omit<Of<typeof place>, 'id' | 'asRatio' | 'config' | 'series'>;

/** A tile as HyperDX answers it: it has a `config`, regardless of the form in which it was written. */
export type LiveTile = Place & { readonly id: string; readonly config: TileConfig };

/** A tile as HyperDX stores it: for tiles made in its editor, answers lack some members, or the whole tile. */
export type KeptTile = LiveTile & { readonly hidden?: object; readonly isLeftOut?: true };

/** A tile in a body: it has its identifier if it is an existing tile. */
export type GivenTile = Omit<LiveTile, 'id'> & { readonly id?: string };

const tile: Reader<GivenTile> = (value, at) => {
  const { config, series, asRatio, ...rest } = place(value, at);
  if (config !== undefined) return { ...rest, config: tileConfig(config, `${at}.config`) };
  if (series === undefined) throw broken(at, 'must have config or series');
  return { ...rest, config: configOfSeries(asRatio)(series, `${at}.series`) };
};

/** A menu of a dashboard. */
const filter = object(
  { type: oneOf('QUERY_EXPRESSION'), name: text, expression: text, sourceId: text },
  {
    ...{ id: text, where: text, whereLanguage: oneOf('lucene', 'sql'), sourceMetricType: text },
    ...{ appliesToSourceIds: list(text), isBroadcastEnabled: flag, isVariableEnabled: flag },
    variableName: text,
  },
);

const extras = {
  filters: list(filter),
  savedQuery: text,
  savedQueryLanguage: oneOf('lucene', 'sql'),
  savedFilterValues: list(anything),
  containers: list(anything),
};

/** The body of POST and PUT dashboards. */
export const dashboardBody = object(
  { name: text, tiles: list(tile) },
  { tags: list(text), ...extras },
);

type Body = Of<typeof dashboardBody>;

/** A dashboard in HyperDX. */
export type LiveDashboard = Omit<Body, 'tiles' | 'tags'> & {
  readonly id: string;
  readonly tiles: readonly KeptTile[];
  readonly tags: readonly string[];
};
