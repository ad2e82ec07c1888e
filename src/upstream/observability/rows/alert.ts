import type { Problem } from '../../error.ts';
import { filled } from '../../filled.ts';
import { del, get, type Identified, put, type Wire } from '../../operation.ts';
import { type InStack, inStack } from '../clickstack.ts';
import { inHyperdx } from '../row-parts.ts';

/** `emailRecipients` is not in the documented interface. */
export type ChannelRecord = Wire<{
  type: string;
  webhookId: string;
  emailRecipients: readonly string[];
}> &
  InStack;

/** Not in the documented interface: why an evaluation failed. */
export type AlertExecutionErrorRecord = Wire<{ timestamp: string; type: string; message: string }>;

/** A member that only a profile sets: it is a symbol, since no answer can have a member named by a symbol. */
export const comparison = Symbol('comparison');

/** Members of an alert that are not in the documented interface. */
interface AlertBeyondReference {
  /** The threshold type of a service with undocumented types. */
  [comparison]: string;
  channels: readonly ChannelRecord[];
  /** The chart of an alert with the source `inline`. Lists of alerts leave it out. */
  chartConfig: unknown;
  tags: readonly string[];
  note: string;
  thresholdMax: number;
  numConsecutiveWindows: number;
  scheduleOffsetMinutes: number;
  scheduleStartAt: string;
  executionErrors: readonly AlertExecutionErrorRecord[];
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
  Wire<AlertBeyondReference> &
  InStack;

/** The documented members of an alert's update. */
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

/** Members of an alert's update that are not in the documented interface. */
type AlertBodyBeyondReference = Wire<{
  savedSearchId: string;
  groupBy: string;
  channels: readonly ChannelRecord[];
  thresholdMax: number;
  tags: readonly string[];
  note: string;
  numConsecutiveWindows: number;
  scheduleOffsetMinutes: number;
  scheduleStartAt: string;
}>;

/** Changes to an alert. */
export type AlertChanges = AlertBody & AlertBodyBeyondReference;

/** The whole alert, with every member that the upstream sent: PUT replaces the alert, so an omitted member may be lost. */
export type ReplaceAlertRequest = AlertBody & Readonly<Record<string, unknown>>;

/** Refuses a body with both `channel` and `channels`: `channel` is the first of `channels`. */
const channelsRule = ({ channel, channels }: AlertChanges): readonly Problem[] => {
  if (channel === undefined || channels === undefined) return [];
  const message = 'Give channel or channels, and not both: channel is the first of channels.';
  return [{ field: ['channels'], message }];
};

/** What a channel of each type notifies. */
const targets: Readonly<Record<string, 'webhookId' | 'emailRecipients'>> = {
  webhook: 'webhookId',
  email: 'emailRecipients',
};

/** Refuses a new channel that notifies nobody. */
export const newChannelRule = (
  channel: ChannelRecord | null | undefined,
  ...field: readonly string[]
): readonly Problem[] => {
  if (!channel) return [];
  const { type } = channel;
  const missing = type ? targets[type] : 'type';
  const value = missing && channel[missing];
  if (!missing || (Array.isArray(value) ? value.length > 0 : typeof value === 'string')) return [];
  const of = type ? `a channel of the type ${type}` : 'a new channel';
  const path = [...field, missing];
  return [{ field: path, message: `${path.join('.')} must be given for ${of}.` }];
};

/** The scalar DateTime takes an empty text, but only `expiresAt` of an API key may be empty. */
const startRule = ({ scheduleStartAt }: AlertChanges): readonly Problem[] => {
  if (scheduleStartAt !== '') return [];
  const message = 'scheduleStartAt must be an ISO 8601 date-time, or null, got "".';
  return [{ field: ['scheduleStartAt'], message }];
};

/** The rules for changes to an alert. */
export const alertRules = filled<AlertChanges>(
  ['threshold', 'interval', 'thresholdType', 'source'],
  (changes) => [
    ...channelsRule(changes),
    ...(changes.channels ?? []).flatMap((each, index) =>
      newChannelRule(each, 'channels', String(index)),
    ),
    ...startRule(changes),
  ],
);

const withChannels = inStack('channel', 'channels');

export const rows = {
  getAlert: get('/api/v2/alerts/{alertId}', { freshSeconds: 3 }).one<AlertRecord>(withChannels),

  listAlerts: get('/api/v2/alerts', { freshSeconds: 3 }).list<AlertRecord>(withChannels),

  replaceAlert: put('/api/v2/alerts/{alertId}', { changes: ['getAlert', 'listAlerts'] })
    .body<ReplaceAlertRequest>()
    .oneOrNone<AlertRecord>(withChannels),

  deleteAlert: inHyperdx(
    del('/api/v2/alerts/{alertId}', { changes: ['getAlert', 'listAlerts'] }).nothing(),
  ),
};
