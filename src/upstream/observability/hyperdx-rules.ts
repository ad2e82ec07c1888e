import type { Problem } from '../error.ts';
import { filled } from '../filled.ts';
import type { AlertChanges } from './rows/alert.ts';
import { alertRules, newChannelRule } from './rows/alert.ts';

/** The intervals of evaluations that HyperDX has had so far, shortest first. */
export const hyperdxIntervals = ['1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d'] as const;

type Members = Readonly<Record<string, unknown>>;

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

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
    .filter(([name, isRequired]) => !isThere(alert[name]) && isRequired(alert))
    .map(([name, , when]) => ({ field: [name], message: `${name} must be given ${when}.` }));

/** Only HyperDX knows which intervals it has: the list grows. */
const intervalRule = ({ interval }: Members): readonly Problem[] => {
  if (typeof interval !== 'string' || /^\d+(?:\.\d+)?[a-z]+$/i.test(interval)) return [];
  const message = `interval must be a number with a unit, such as 5m, got ${JSON.stringify(interval.slice(0, 64))}.`;
  return [{ field: ['interval'], message }];
};

/** HyperDX ignores the grouping of an alert on a tile, which has the grouping of its tile. */
const groupingRule = ({ groupBy }: Members, source: unknown): readonly Problem[] => {
  if (!groupBy || source !== 'tile') return [];
  const message =
    'groupBy must not be given for the source TILE: HyperDX groups such an alert as its tile.';
  return [{ field: ['groupBy'], message }];
};

const laterLinks = ['teamId', 'dashboardId', 'savedSearchId'];
const earlierLinks = ['team', 'dashboard', 'savedSearch'];

/** Whether a server of January 2026 has sent the alert: only later ones name links with `Id`. */
const isEarlier = (alert: Members): boolean =>
  !laterLinks.some((name) => isThere(alert[name])) &&
  earlierLinks.some((name) => isThere(alert[name]));

const earlierTypes: readonly unknown[] = ['above', 'below'];

/** What HyperDX 2.13 ignores without a word. */
const laterMembers = [
  'thresholdMax',
  'channels',
  'note',
  'tags',
  'numConsecutiveWindows',
  'scheduleOffsetMinutes',
  'scheduleStartAt',
];

/** HyperDX 2.13 fails with a 500 for a comparison that it does not have. */
const earlierRule = (changes: Members): readonly Problem[] => {
  const { thresholdType } = changes;
  const isKnown = !isThere(thresholdType) || earlierTypes.includes(thresholdType);
  const message = `thresholdType must be ABOVE or BELOW on HyperDX 2.13, got ${String(thresholdType).toUpperCase()}.`;
  return [
    ...(isKnown ? [] : [{ field: ['thresholdType'], message }]),
    ...laterMembers
      .filter((name) => isThere(changes[name]))
      .map((name) => ({
        field: [name],
        message: `${name} must not be given: HyperDX 2.13 does not have it.`,
      })),
  ];
};

const filledRule = filled<Members>([
  ...[
    'thresholdMax',
    'channel',
    'channel.type',
    'channel.webhookId',
    'channel.emailRecipients',
    'channels',
  ],
]);

/** The rule for changes to an alert of HyperDX; see `Profile.alertRule`. */
export const hyperdxAlertRule = (changes: Members, alert?: Members): readonly Problem[] =>
  alert
    ? [
        ...groupingRule(changes, changes.source ?? alert.source),
        ...(isEarlier(alert) ? earlierRule(changes) : []),
      ]
    : [...filledRule(changes), ...intervalRule(changes), ...groupingRule(changes, changes.source)];

/** The rules for a new alert of HyperDX. */
export const hyperdxNewAlertRules = (alert: AlertChanges): readonly Problem[] => [
  ...missingIn(alert),
  ...alertRules(alert),
  ...newChannelRule(alert.channel, 'channel'),
  ...intervalRule(alert),
  ...groupingRule(alert, alert.source),
];

/** The rule for a whole alert of HyperDX after its changes. Servers of January 2026 answer with `savedSearch`. */
export const hyperdxWholeAlertRule = ({ savedSearch, ...alert }: Members): readonly Problem[] =>
  missingIn({ savedSearchId: savedSearch, ...alert });
