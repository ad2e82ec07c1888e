import type { Dashboard, Tile } from '../observability/shapes.ts';
import { world } from './ids.ts';

const { main, second } = world.observability;

type Series = NonNullable<Tile['series']>[number];

const series = (
  type: string,
  dataSource: string,
  aggFn: string,
  where: string,
  groupBy: readonly string[] = [],
): Series => ({ type, dataSource, aggFn, where, groupBy });

const grid = (x: number, y: number, w: number, h: number) => ({ x, y, w, h });

/** The main team's dashboards. */
export const mainDashboards: readonly Dashboard[] = [
  {
    id: main.dashboards.api,
    name: 'API health',
    tags: ['api', 'on-call'],
    tiles: [
      {
        id: main.tiles.apiRequests,
        name: 'Requests by route',
        ...grid(0, 0, 8, 3),
        asRatio: false,
        series: [series('time', 'events', 'count', 'span.kind:server', ['http.route'])],
      },
      {
        id: main.tiles.apiErrors,
        name: 'Error rate',
        ...grid(8, 0, 4, 3),
        asRatio: true,
        series: [
          series('time', 'events', 'count', 'http.status_code:>=500'),
          series('time', 'events', 'count', 'span.kind:server'),
        ],
      },
      {
        id: main.tiles.apiLatency,
        name: 'Latency, 95th percentile',
        ...grid(0, 3, 6, 3),
        asRatio: false,
        series: [series('time', 'events', 'p95', 'span.kind:server', ['service'])],
      },
      {
        id: main.tiles.apiSlowest,
        name: 'Slowest routes',
        ...grid(6, 3, 6, 3),
        asRatio: false,
        series: [series('table', 'events', 'max', 'span.kind:server', ['http.route'])],
      },
    ],
  },
  {
    id: main.dashboards.ingestion,
    name: 'Ingestion',
    tags: ['pipes'],
    tiles: [
      {
        id: main.tiles.ingestionRows,
        name: 'Rows per minute',
        ...grid(0, 0, 12, 3),
        asRatio: false,
        series: [series('time', 'metrics', 'sum', 'name:pipe.rows', ['pipe'])],
      },
      {
        id: main.tiles.ingestionLag,
        name: 'Consumer lag',
        ...grid(0, 3, 6, 3),
        asRatio: false,
        series: [series('time', 'metrics', 'max', 'name:kafka.lag', ['topic'])],
      },
      {
        id: main.tiles.ingestionFailures,
        name: 'Failed inserts',
        ...grid(6, 3, 6, 3),
        asRatio: false,
        series: [series('number', 'events', 'count', 'level:error pipe:*')],
      },
    ],
  },
  {
    id: main.dashboards.checkout,
    name: 'Checkout',
    tags: ['shop', 'business'],
    tiles: [
      {
        id: main.tiles.checkoutOrders,
        name: 'Orders',
        ...grid(0, 0, 4, 2),
        asRatio: false,
        series: [series('number', 'events', 'count', 'event:order_placed')],
      },
      {
        id: main.tiles.checkoutFailures,
        name: 'Failed payments',
        ...grid(4, 0, 4, 2),
        asRatio: true,
        series: [
          series('time', 'events', 'count', 'event:payment_failed', ['provider']),
          series('time', 'events', 'count', 'event:payment'),
        ],
      },
      {
        id: main.tiles.checkoutDuration,
        name: 'Time to pay',
        ...grid(8, 0, 4, 2),
        asRatio: false,
        series: [series('time', 'events', 'p50', 'event:payment')],
      },
      {
        id: main.tiles.checkoutRevenue,
        name: 'Revenue by country',
        ...grid(0, 2, 8, 4),
        asRatio: false,
        series: [series('table', 'events', 'sum', 'event:order_placed', ['country'])],
      },
      {
        id: main.tiles.checkoutNotes,
        name: 'What to do when payments fail',
        ...grid(8, 2, 4, 4),
        asRatio: false,
        series: [],
      },
    ],
  },
];

/** The second team's dashboard. */
export const secondDashboards: readonly Dashboard[] = [
  {
    id: second.dashboards.meters,
    name: 'Meters',
    tags: [],
    tiles: [
      {
        id: second.tiles.metersReadings,
        name: 'Readings',
        ...grid(0, 0, 6, 3),
        asRatio: false,
        series: [series('time', 'metrics', 'count', 'name:meter.reading', ['region'])],
      },
      {
        id: second.tiles.metersSilent,
        name: 'Silent meters',
        ...grid(6, 0, 6, 3),
        asRatio: false,
        series: [series('number', 'metrics', 'count', 'name:meter.silent')],
      },
    ],
  },
];
