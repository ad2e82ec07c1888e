import type { Dashboard, Tile } from '../../observability/shapes.ts';
import type { TileConfig } from '../observability/config-shapes.ts';
import type { LiveDashboard, LiveTile } from '../observability/dashboard-shapes.ts';
import { configOfSeries } from '../observability/series.ts';
import { liveWorld } from './ids.ts';

type Series = NonNullable<Tile['series']>[number];

/** A team's sources, by the documented names for the kinds of data. */
export type SourceIds = { readonly events: string; readonly metrics: string };

const quantiles: Readonly<Record<string, number>> = { p50: 0.5, p90: 0.9, p95: 0.95, p99: 0.99 };

const aggregation = (name = 'count') =>
  name in quantiles ? { aggFn: 'quantile', level: quantiles[name] } : { aggFn: name };

/** HyperDX selects a metric by its name, which the documented world has in `where`. */
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

/** A dashboard of the documented world in the form of HyperDX. */
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

const { tiles: editorTiles, sources: editorSources } = liveWorld;

/** A dashboard of the editor. Answers omit the hidden members of the first tile, and the whole last tile. */
export const capacity: LiveDashboard = {
  id: liveWorld.dashboards.capacity,
  name: 'Capacity',
  tags: ['cluster'],
  filters: [
    {
      ...{ id: 'host', name: 'Host', type: 'QUERY_EXPRESSION', expression: 'host' },
      ...{ sourceId: editorSources.metrics, sourceMetricType: 'gauge' },
      ...{ isVariableEnabled: true, variableName: 'host' },
    },
  ],
  savedFilterValues: [{ type: 'variable', name: 'host', values: ['db-1'] }],
  containers: [],
  tiles: [
    {
      id: editorTiles.load,
      name: 'Load by host',
      ...{ x: 0, y: 0, w: 12, h: 3 },
      config: {
        displayType: 'line',
        sourceId: editorSources.metrics,
        select: [{ aggFn: 'avg', valueExpression: 'Value', where: '', whereLanguage: 'lucene' }],
        formulas: [{ expression: 'A * 100', alias: 'Load %' }],
        showOperandSeries: false,
      },
      hidden: { where: 'role:storage', groupBy: [{ valueExpression: 'host' }], granularity: '5m' },
    },
    {
      id: editorTiles.notes,
      name: 'Notes',
      ...{ x: 0, y: 3, w: 4, h: 2 },
      config: { displayType: 'markdown', markdown: 'Order disks at 80 %.' },
    },
    {
      id: editorTiles.saturation,
      name: 'Saturation',
      ...{ x: 12, y: 0, w: 12, h: 3 },
      config: { displayType: 'line', sourceId: editorSources.metrics },
      hidden: { promql: 'max(node_load1)' },
      isLeftOut: true,
    },
  ],
};
