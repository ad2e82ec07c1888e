import type { Problem } from '../error.ts';
import type { AlertChanges } from './requests.ts';

/** Refuses a body with both `channel` and `channels`: `channel` is the first of `channels`. */
const channelsRule = ({ channel, channels }: AlertChanges): readonly Problem[] => {
  if (channel === undefined || channels === undefined) return [];
  const message = 'Give channel or channels, and not both: channel is the first of channels.';
  return [{ field: ['channels'], message }];
};

/** The scalar DateTime takes an empty text, but only `expireAt` of an API key may be empty. */
const startRule = ({ scheduleStartAt }: AlertChanges): readonly Problem[] => {
  if (scheduleStartAt !== '') return [];
  const message = 'scheduleStartAt must be an ISO 8601 date-time, or null, got "".';
  return [{ field: ['scheduleStartAt'], message }];
};

type Intervals = readonly unknown[] | undefined;

const intervalRule = ({ interval }: AlertChanges, intervals: Intervals): readonly Problem[] => {
  if (interval === undefined || !intervals || intervals.includes(interval)) return [];
  const message = `interval must be one of ${intervals.join(', ')}, got ${JSON.stringify(interval)}.`;
  return [{ field: ['interval'], message }];
};

/**
 * The rules for changes to an alert.
 *
 * @param intervals see `Profile.alertIntervals`
 */
export const alertRules = (changes: AlertChanges, intervals: Intervals): readonly Problem[] => [
  ...channelsRule(changes),
  ...startRule(changes),
  ...intervalRule(changes, intervals),
];

/** Every interval of evaluations that HyperDX has, shortest first. */
export const hyperdxIntervals = ['1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d'] as const;

type Members = Readonly<Record<string, unknown>>;

/** What HyperDX requires of an alert on a condition: the member, when it is required, and the condition in words. */
const conditions: readonly (readonly [string, (alert: Members) => boolean, string])[] = [
  ['dashboardId', ({ source }) => source === 'tile', 'for the source TILE'],
  ['tileId', ({ source }) => source === 'tile', 'for the source TILE'],
  ['savedSearchId', ({ source }) => source === 'search', 'for the source SEARCH'],
  ['channel', ({ channels }) => !channels, 'unless channels is given'],
  [
    'thresholdMax',
    ({ thresholdType }) => thresholdType === 'between' || thresholdType === 'not_between',
    'for BETWEEN and NOT_BETWEEN',
  ],
];

/** Names everything that an alert lacks: of a missing link, some servers say only "Invalid input". */
const missingIn = (alert: Members): readonly Problem[] =>
  conditions
    .filter(([name, isRequired]) => (alert[name] ?? null) === null && isRequired(alert))
    .map(([name, , when]) => ({ field: [name], message: `${name} must be given ${when}.` }));

/** The rules for a new alert of HyperDX. */
export const hyperdxNewAlertRules = (alert: AlertChanges): readonly Problem[] => [
  ...missingIn(alert),
  ...alertRules(alert, hyperdxIntervals),
];

/** The rule for a whole alert of HyperDX after its changes. Servers of January 2026 answer with `savedSearch`. */
export const hyperdxWholeAlertRule = ({ savedSearch, ...alert }: Members): readonly Problem[] =>
  missingIn({ savedSearchId: savedSearch, ...alert });
