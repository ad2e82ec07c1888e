import { isObject } from '../../../../is-object.ts';
import type { Members } from '../../../profile.ts';
import { comparison } from '../../records.ts';

/** Without the members that are null: to the service, null is no value for some of them, and for the others it is the same as none. */
const withoutNulls = (record: Members): Members =>
  Object.fromEntries(Object.entries(record).filter(([, value]) => value !== null));

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

/** The channels with the first one replaced: the service refuses a body whose two say different things. */
const agreeing = (channels: unknown, channel: unknown): Members =>
  Array.isArray(channels) && channels.length > 0 && isObject(channel)
    ? { channels: [channel, ...channels.slice(1)] }
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
