import { isDeepStrictEqual } from 'node:util';
import { isObject } from '../../../../is-object.ts';
import type { Members } from '../../../profile.ts';
import { comparison } from '../../rows/alert.ts';
import { withoutNulls } from './without-nulls.ts';

/** The reference's name for each link, and the name that servers have used since August 2026. */
const links = { team: 'teamId', dashboard: 'dashboardId', savedSearch: 'savedSearchId' } as const;

/**
 * Converts an alert to the reference's form, with its comparison, which may be one that the reference lacks. Each record
 * shows whether the server names links as the reference does, or with `Id`.
 */
export const readAlert = (record: Members): Members => {
  const alert = withoutNulls(record);
  return {
    ...alert,
    silenced: alert.silenced ?? false,
    ...Object.fromEntries(
      Object.entries(links).flatMap(([name, laterName]) => {
        const link = alert[name] ?? alert[laterName];
        return link === undefined ? [] : [[name, link]];
      }),
    ),
    ...(alert.source === 'saved_search' && { source: 'search' }),
    ...(alert.thresholdType !== undefined && { [comparison]: alert.thresholdType }),
  };
};

const isSameChannel = (one: Members, other: unknown): boolean =>
  isObject(other) &&
  ['type', 'webhookId', 'emailRecipients'].every((name) =>
    isDeepStrictEqual(one[name], other[name]),
  );

/**
 * The channels with the first one replaced, and without duplicates: the service refuses a body whose `channel` is not
 * the first of `channels`, and one that has a channel twice. A channel that is already there keeps its other members.
 */
const agreeing = (channels: unknown, channel: unknown): Members => {
  if (!Array.isArray(channels) || channels.length === 0 || !isObject(channel)) return {};
  const known: unknown = channels.find((each) => isSameChannel(channel, each));
  const first = isObject(known) ? { ...known, ...channel } : channel;
  const others = channels.slice(1).filter((each) => !isSameChannel(channel, each));
  return { channel: first, channels: [first, ...others] };
};

/**
 * The service's body for an alert. All servers take `savedSearchId`. Servers of January 2026 answer with `savedSearch`
 * instead, which is sent back with the rest of the record.
 */
export const writeAlert = ({ savedSearch, ...body }: Members): Members => ({
  ...body,
  ...(body.source === 'search' && { source: 'saved_search' }),
  ...(body.savedSearchId === undefined &&
    savedSearch !== undefined && { savedSearchId: savedSearch }),
  ...agreeing(body.channels, body.channel),
});
