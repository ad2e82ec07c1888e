import { isObject } from '../../../../is-object.ts';
import type { Members } from '../../../profile.ts';
import { comparison } from '../../records.ts';
import { withoutNulls } from './without-nulls.ts';

/** The reference's name for each link, and the name that servers use since August 2026. */
const links = { team: 'teamId', dashboard: 'dashboardId', savedSearch: 'savedSearchId' } as const;

/** The reference's alert, and how it compares, also in ways that the reference does not know. Servers name links as the reference does, or by their identifiers; which is seen by the record. */
export const readAlert = (record: Members): Members => {
  const alert = withoutNulls(record);
  return {
    ...alert,
    ...Object.fromEntries(
      Object.entries(links).flatMap(([name, laterName]) => {
        const link = alert[name] ?? alert[laterName];
        return link === undefined ? [] : [[name, link]];
      }),
    ),
    ...(alert.source === 'saved_search' && { source: 'search' }),
    [comparison]: alert.thresholdType,
  };
};

const isSameChannel = (one: Members, other: unknown): boolean =>
  isObject(other) && other.type === one.type && other.webhookId === one.webhookId;

/**
 * The channels with the first one replaced, and each of them once: the service refuses a body whose two say different
 * things, and one that has a channel twice.
 */
const agreeing = (channels: unknown, channel: unknown): Members =>
  Array.isArray(channels) && channels.length > 0 && isObject(channel)
    ? { channels: [channel, ...channels.slice(1).filter((each) => !isSameChannel(channel, each))] }
    : {};

/**
 * The service's body for an alert. Servers of either time take `savedSearchId`; those of January 2026 read it as
 * `savedSearch`, which comes back with the rest of the record.
 */
export const writeAlert = ({ savedSearch, ...body }: Members): Members => ({
  ...body,
  ...(body.source === 'search' && { source: 'saved_search' }),
  ...(body.savedSearchId === undefined &&
    savedSearch !== undefined && { savedSearchId: savedSearch }),
  ...agreeing(body.channels, body.channel),
});
