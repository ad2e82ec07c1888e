import { isObject } from '../../is-object.ts';
import { UpstreamError } from '../error.ts';
import type { ProfileFacts } from '../profile.ts';
import type {
  AlertBody,
  AlertChanges,
  AlertRecord,
  ChannelRecord,
  ReplaceAlertRequest,
} from './rows/alert.ts';
import { alertRules } from './rows/alert.ts';

type BodyName = keyof AlertBody;

/**
 * The members of the body in the reference's order, each with its names in a record. The reference reads the dashboard
 * as `dashboard`, but some servers answer with `dashboardId`.
 */
const readNames: Readonly<Record<BodyName, readonly string[]>> = {
  threshold: ['threshold'],
  interval: ['interval'],
  thresholdType: ['thresholdType'],
  source: ['source'],
  dashboardId: ['dashboard', 'dashboardId'],
  tileId: ['tileId'],
  channel: ['channel'],
  name: ['name'],
  message: ['message'],
};

const bodyNames = Object.keys(readNames) as readonly BodyName[];

/**
 * Members that only an upstream sets: identifiers, the owner, the result of the evaluation, times. They are not sent
 * back. All others are, since a member that a replacement lacks is lost. So a name belongs here only if no caller can
 * ever write it.
 */
const ofTheUpstream = [
  'id',
  '_id',
  'team',
  'teamId',
  'state',
  'silenced',
  'createdAt',
  'updatedAt',
] as const;

const notCarried: ReadonlySet<string> = new Set([
  ...ofTheUpstream,
  ...Object.values(readNames).flat(),
]);

const isThere = (value: unknown): boolean => value !== null && value !== undefined;

/** The error for an alert that cannot be sent back as it is: an update would change more than the caller asked for. */
const misfit = (member: string): UpstreamError =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'getAlert',
    reason: 'bad-response',
    write: false,
    detail: `the alert's ${member} has a form that cannot be sent back`,
  });

/** Under which of its names the record has a member of the body. */
const readNameOf = (record: Readonly<Record<string, unknown>>, name: BodyName): string => {
  const [first = name, ...others] = readNames[name];
  return [first, ...others].find((each) => isThere(record[each])) ?? first;
};

/** The record's value for a member of the body. */
const present = (record: Readonly<Record<string, unknown>>, name: BodyName): unknown => {
  const readName = readNameOf(record, name);
  const value = record[readName];
  const fits = name === 'channel' ? isObject(value) : typeof value !== 'object';
  if (isThere(value) && !fits) throw misfit(readName);
  return value;
};

/** What a replacement carries over that the reference does not list. */
const carriedOf = (alert: AlertRecord): readonly (readonly [name: string, value: unknown])[] =>
  Object.entries(alert).filter(([name]) => !notCarried.has(name));

/** An alert in the form of the body that replaces it, for a comparison. */
export const replaceableOf = (alert: AlertRecord): object => {
  const record: Readonly<Record<string, unknown>> = alert;
  return Object.fromEntries([
    ...bodyNames.map((name) => [name, record[readNameOf(record, name)]] as const),
    ...carriedOf(alert),
  ]);
};

/** What an alert watches if it is neither a tile nor a saved search. */
const ofSource = 'chartConfig';

/** Whether a given channel lacks a member, which then has to come from the alert's own channel. */
const isPart = ({ type, webhookId }: ChannelRecord): boolean =>
  type === undefined || webhookId === undefined;

/**
 * The given channel, with the other members of the alert's channel, which would be lost without this. A channel of another
 * type takes over none of them, and one with another webhook only the type: they belong to the old target.
 */
const mergedChannel = (alert: AlertRecord, given: ChannelRecord): ChannelRecord => {
  const read: unknown = alert.channel;
  if (isThere(read) && !isObject(read) && isPart(given)) throw misfit('channel');
  if (!isObject(read)) return given;
  const { type, webhookId }: Readonly<Record<string, unknown>> = { ...read, ...given };
  if (type !== read.type) return given;
  return { ...(webhookId === read.webhookId ? read : { type }), ...given };
};

const isGiven = (value: unknown): boolean => value !== undefined;

const isOtherSource = (alert: AlertRecord, { source }: AlertChanges): boolean =>
  isGiven(source) && source !== alert.source;

/**
 * Throws if the changes break a rule: before the alert is read, or a rule that needs the alert.
 *
 * @param alert the alert, once it is read
 */
export const checkChanges = (
  changes: AlertChanges,
  { alertRule }: ProfileFacts,
  alert?: AlertRecord,
): void => {
  const problems = [...(alert ? [] : alertRules(changes)), ...(alertRule?.(changes, alert) ?? [])];
  if (problems.length === 0) return;
  throw new UpstreamError({
    upstream: 'observability',
    operation: 'replaceAlert',
    reason: 'invalid-request',
    write: true,
    problems,
  });
};

const listedNames: ReadonlySet<string> = new Set(bodyNames);

/** The changes to members that the reference does not list. */
const changesBeyondReference = (changes: AlertChanges): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => !listedNames.has(name) && isGiven(value)),
  );

/**
 * The body that changes only the given members of an alert. PUT replaces the alert, so the body holds all members as
 * they were read, also those that the reference does not list. Throws an `UpstreamError` if a member that the reference
 * lists has an impossible form, unless the changes replace it.
 */
export const replacementOf = (alert: AlertRecord, changes: AlertChanges): ReplaceAlertRequest => ({
  ...Object.fromEntries(
    bodyNames.map((name) => [
      name,
      changes[name] === undefined ? present(alert, name) : changes[name],
    ]),
  ),
  ...(changes.channel && { channel: mergedChannel(alert, changes.channel) }),
  // The service takes the first of `channels` as `channel`.
  ...(isGiven(changes.channels) && { channel: undefined }),
  ...Object.fromEntries(
    carriedOf(alert).filter(([name]) => !(name === ofSource && isOtherSource(alert, changes))),
  ),
  ...changesBeyondReference(changes),
});
