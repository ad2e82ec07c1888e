import type { Dashboard, Tile } from '../../observability/shapes.ts';
import type { TileConfig } from '../observability/config-shapes.ts';
import type { LiveDashboard, LiveTile } from '../observability/dashboard-shapes.ts';
import { configOfSeries } from '../observability/series.ts';

type Series = NonNullable<Tile['series']>[number];

/** A team's sources, by the reference's names for the kinds of data. */
export type SourceIds = { readonly events: string; readonly metrics: string };

const quantiles: Readonly<Record<string, number>> = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };

const aggregation = (name = 'count') =>
  name in quantiles ? { aggFn: 'quantile', level: quantiles[name] } : { aggFn: name };

/** A metric is chosen by its name, which the reference's world has in `where`. */
const metricOf = (where = '') => ({
  where: '',
  metricName: where.replace(/^name:/, ''),
  metricDataType: 'gauge',
  field: 'Value',
});

const liveSeries = ({ type, dataSource, aggFn, where, groupBy }: Series, sources: SourceIds) => ({
  type,
  groupBy,
  where,
  whereLanguage: 'lucene',
  ...aggregation(aggFn),
  ...(aggFn !== 'count' && { field: 'Duration' }),
  ...(dataSource === 'metrics'
    ? { sourceId: sources.metrics, ...metricOf(where) }
    : { sourceId: sources.events }),
});

const configOf = ({ name = '', series = [], asRatio }: Tile, sources: SourceIds): TileConfig =>
  series.length === 0
    ? { displayType: 'markdown', markdown: `# ${name}\n` }
    : configOfSeries(asRatio)(
        series.map((one) => liveSeries(one, sources)),
        name,
      );

/** A dashboard of the reference's world as HyperDX has it. */
export const liveDashboard = (
  { id, name, tags, tiles }: Dashboard,
  sources: SourceIds,
): LiveDashboard => ({
  id,
  name,
  tags,
  filters: [],
  containers: [],
  tiles: tiles.map((tile): LiveTile => {
    const { x = 0, y = 0, w = 1, h = 1 } = tile;
    return { id: tile.id, name: tile.name ?? '', x, y, w, h, config: configOf(tile, sources) };
  }),
});
