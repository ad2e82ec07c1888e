import type { Identified, Wire, WithIds } from '../operation.ts';

/** Wire shapes of the observability interface, as the reference's section "Resources and their fields" lists them. */

/** What series of public services have, and the reference lacks. */
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
  /** Of public services, beyond the reference: a condition for all series. */
  where: string;
  whereLanguage: string;
  /** Of public services, beyond the reference: what the tile shows, in a form that may lack some of it. */
  config: unknown;
}>;

export type DashboardRecord = Identified<{
  name: string;
  tiles: readonly WithIds<TileRecord, 'dashboardId'>[];
  tags: readonly string[];
}>;

export type ChannelRecord = Wire<{ type: string; webhookId: string }>;

/** Why an evaluation failed; beyond the reference. */
type ExecutionErrorRecord = Wire<{ timestamp: string; type: string; message: string }>;

/** The member of an alert that a profile alone sets: no answer can have a symbol as a name. */
export const comparison = Symbol('comparison');

/** What alerts of public services have, and the reference lacks. */
interface AlertBeyondReference {
  /** The threshold type of a service that has more of them than the reference. */
  [comparison]: string;
  channels: readonly ChannelRecord[];
  note: string;
  thresholdMax: number;
  numConsecutiveWindows: number;
  scheduleOffsetMinutes: number;
  scheduleStartAt: string;
  executionErrors: readonly ExecutionErrorRecord[];
}

/** `dashboard`, `savedSearch` and `team` are identifiers. A silenced alert may tell who silenced it, and until when. */
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

/** Beyond the reference. Its address is a secret, and is not read. */
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
