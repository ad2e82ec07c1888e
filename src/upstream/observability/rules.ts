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

export const alertRules = (changes: AlertChanges): readonly Problem[] => [
  ...channelsRule(changes),
  ...startRule(changes),
];

/** Every interval of evaluations that HyperDX has, shortest first. */
export const hyperdxIntervals = ['1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d'] as const;

const intervals: readonly unknown[] = hyperdxIntervals;

const intervalRule = ({ interval }: AlertChanges): readonly Problem[] => {
  if (interval === undefined || intervals.includes(interval)) return [];
  const message = `interval must be one of ${intervals.join(', ')}, got ${JSON.stringify(interval)}.`;
  return [{ field: ['interval'], message }];
};

/** The rules for changes to an alert of HyperDX. */
export const hyperdxAlertRules = (changes: AlertChanges): readonly Problem[] => [
  ...alertRules(changes),
  ...intervalRule(changes),
];

/** What HyperDX requires of a new alert besides the members that the schema requires, each with the condition. */
const requiredOf = ({ channels, source, thresholdType }: AlertChanges) => {
  const watched: readonly (readonly [keyof AlertChanges, string])[] =
    source === 'tile'
      ? [
          ['dashboardId', 'for the source TILE'],
          ['tileId', 'for the source TILE'],
        ]
      : [['savedSearchId', 'unless the source is TILE']];
  return [
    ...watched,
    ...(channels ? [] : [['channel', 'unless channels is given'] as const]),
    ...(thresholdType === 'between' || thresholdType === 'not_between'
      ? [['thresholdMax', 'for BETWEEN and NOT_BETWEEN'] as const]
      : []),
  ];
};

/** The rules for a new alert of HyperDX. They name everything that is missing. */
export const hyperdxNewAlertRules = (alert: AlertChanges): readonly Problem[] => [
  ...requiredOf(alert)
    .filter(([name]) => alert[name] === undefined || alert[name] === null)
    .map(([name, when]) => ({ field: [name], message: `${name} must be given ${when}.` })),
  ...hyperdxAlertRules(alert),
];
