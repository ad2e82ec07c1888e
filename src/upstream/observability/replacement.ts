import { isObject } from '../../is-object.ts';
import { UpstreamError } from '../error.ts';
import type { AlertRecord, ChannelRecord } from './records.ts';
import type { AlertBody, AlertChanges, ReplaceAlertRequest } from './requests.ts';
import { alertRules } from './rules.ts';

type BodyName = keyof AlertBody;

/**
 * The members of the body that the reference lists, in its order, and where a record has them. The
 * dashboard is read as `dashboard`, and a record with `dashboardId` has been seen.
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
 * Members that an upstream sets by itself: identifiers, the owner, what the evaluation found, times.
 * They are not sent back. All others are, since what a replacement lacks is lost: a name belongs in
 * here only if no caller could ever write it.
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

/** The alert does not fit the body that would replace it: sending it would change more than was asked. */
const misfit = (member: string): UpstreamError =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'getAlert',
    reason: 'bad-response',
    write: false,
    detail: `the alert's ${member} has a form that cannot be sent back`,
  });

/** What the record has for a member of the body. */
const present = (record: Readonly<Record<string, unknown>>, name: BodyName): unknown => {
  const [first = name, ...others] = readNames[name];
  const readName = [first, ...others].find((each) => isThere(record[each])) ?? first;
  const value = record[readName];
  const fits = name === 'channel' ? isObject(value) : typeof value !== 'object';
  if (isThere(value) && !fits) throw misfit(readName);
  return value;
};

/** A channel without one of the members that the reference lists: the alert's own has to fill it up. */
const isPart = ({ type, webhookId }: ChannelRecord): boolean =>
  type === undefined || webhookId === undefined;

/** Lays a given channel over the alert's, whose other members would be lost. */
const mergedChannel = (alert: AlertRecord, given: ChannelRecord): ChannelRecord => {
  const read: unknown = alert.channel;
  if (isThere(read) && !isObject(read) && isPart(given)) throw misfit('channel');
  return isObject(read) ? { ...read, ...given } : given;
};

const isGiven = (value: unknown): boolean => value !== undefined;

/** Throws the error for changes that break a rule, before the alert is read. */
export const checkChanges = (changes: AlertChanges): void => {
  const problems = alertRules(changes);
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

/** The changes that the reference does not list, and so does not have in the body by itself. */
const changesBeyondReference = (changes: AlertChanges): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(changes).filter(([name, value]) => !listedNames.has(name) && isGiven(value)),
  );

/**
 * The body that changes an alert in those members alone that are given. PUT replaces, so it holds all
 * that was read, members that the reference does not know included, just as they came. Throws an
 * `UpstreamError` where a member that the reference lists has a form that it cannot have, unless the
 * changes replace it.
 */
export const replacementOf = (alert: AlertRecord, changes: AlertChanges): ReplaceAlertRequest => ({
  ...Object.fromEntries(
    bodyNames.map((name) => [
      name,
      changes[name] === undefined ? present(alert, name) : changes[name],
    ]),
  ),
  ...(changes.channel && { channel: mergedChannel(alert, changes.channel) }),
  // The first of them takes its place.
  ...(isGiven(changes.channels) && { channel: undefined }),
  ...Object.fromEntries(Object.entries(alert).filter(([name]) => !notCarried.has(name))),
  ...changesBeyondReference(changes),
});
