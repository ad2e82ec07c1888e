import type { Wire } from '../operation.ts';
import type { ChannelRecord, TileRecord } from './records.ts';

/** Bodies of the observability interface. An absent member is not sent; null is sent as null. */

export type CreateDashboardRequest = Wire<{
  name: string;
  tiles: readonly Omit<TileRecord, 'id' | 'where' | 'whereLanguage' | 'config'>[];
  tags: readonly string[];
}>;

/** Members of an alert that public services take, and the reference lacks. */
type AlertBodyBeyondReference = Wire<{
  savedSearchId: string;
  groupBy: string;
  channels: readonly ChannelRecord[];
  thresholdMax: number;
  note: string;
  numConsecutiveWindows: number;
  scheduleOffsetMinutes: number;
  scheduleStartAt: string;
}>;

/** Changes to an alert. */
export type AlertChanges = AlertBody & AlertBodyBeyondReference;

/** The members of an alert that the reference lists for its update. */
export type AlertBody = Wire<{
  threshold: number;
  interval: string;
  thresholdType: string;
  source: string;
  dashboardId: string;
  tileId: string;
  channel: ChannelRecord;
  name: string;
  message: string;
}>;

/** The whole alert, with all members that an upstream has: PUT replaces it, so an omitted member may be lost. */
export type ReplaceAlertRequest = AlertBody & Readonly<Record<string, unknown>>;

/** A tile in a change of a dashboard. A tile with an identifier exists already. */
export type TileChanges = Omit<TileRecord, 'id'> & { readonly id?: string | null | undefined };

/** The whole dashboard. */
export type ReplaceDashboardRequest = Wire<{
  name: string;
  tiles: readonly TileChanges[];
  tags: readonly string[];
}>;

/** Changes to a dashboard, and whether they may reset hidden parts of its tiles. */
export type DashboardChanges = ReplaceDashboardRequest & Wire<{ mayResetTiles: boolean }>;
