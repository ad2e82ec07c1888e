import type { Identified, Wire, WithIds } from '../operation.ts';

/** Wire shapes of the observability interface, as the reference's section "Resources and their fields" lists them. */

/** Members of a series that public services have, and the reference lacks. */
interface SeriesBeyondReference {
  alias: string;
  displayType: string;
  sourceId: string;
  field: string;
  level: number;
  whereLanguage: string;
  metricName: string;
  metricDataType: string;
  fields: readonly string[];
  content: string;
  connectionId: string;
  sqlTemplate: string;
}

type SeriesRecord = Wire<{
  type: string;
  dataSource: string;
  aggFn: string;
  where: string;
  groupBy: readonly string[];
}> &
  Wire<SeriesBeyondReference>;

export type TileRecord = Identified<{
  name: string;
  x: number;
  y: number;
  w: number;
  h: number;
  asRatio: boolean;
  series: readonly SeriesRecord[];
  /** Only public services: a condition for all series. */
  where: string;
  whereLanguage: string;
  /** Only public services: the content of the tile, which may be incomplete. */
  config: unknown;
}>;

export type DashboardRecord = Identified<{
  name: string;
  tiles: readonly WithIds<TileRecord, 'dashboardId'>[];
  tags: readonly string[];
}>;

export type ChannelRecord = Wire<{ type: string; webhookId: string }>;

/** Beyond the reference: why an evaluation failed. */
type ExecutionErrorRecord = Wire<{ timestamp: string; type: string; message: string }>;

/** A member that only a profile sets: it is a symbol, since no answer can have a member named by a symbol. */
export const comparison = Symbol('comparison');

/** Members of an alert that public services have, and the reference lacks. */
interface AlertBeyondReference {
  /** The threshold type of a service that has more types than the reference. */
  [comparison]: string;
  channels: readonly ChannelRecord[];
  note: string;
  thresholdMax: number;
  numConsecutiveWindows: number;
  scheduleOffsetMinutes: number;
  scheduleStartAt: string;
  executionErrors: readonly ExecutionErrorRecord[];
}

/** `dashboard`, `savedSearch` and `team` are identifiers. `silenced` may tell who silenced the alert, and until when. */
export type AlertRecord = Identified<{
  name: string;
  message: string;
  threshold: number;
  interval: string;
  thresholdType: string;
  source: string;
  state: string;
  channel: ChannelRecord;
  team: string;
  tileId: string;
  dashboard: string;
  savedSearch: string;
  groupBy: string;
  silenced: boolean | Wire<{ by: string; at: string; until: string }>;
  createdAt: string;
  updatedAt: string;
}> &
  Wire<AlertBeyondReference>;

/** Beyond the reference. */
export type DataSourceRecord = Identified<{
  name: string;
  kind: string;
  connection: string;
  from: Wire<{ databaseName: string; tableName: string }>;
}>;

/** Beyond the reference. The webhook's address is a secret, and is not read. */
export type WebhookRecord = Identified<{
  name: string;
  service: string;
  description: string;
  createdAt: string;
  updatedAt: string;
}>;

/** Beyond the reference. */
export type SavedSearchRecord = Identified<{
  name: string;
  sourceId: string;
  select: string;
  where: string;
  whereLanguage: string;
  orderBy: string;
  tags: readonly string[];
  createdAt: string;
  updatedAt: string;
}>;
