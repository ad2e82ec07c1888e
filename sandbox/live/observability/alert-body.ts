import { Refusal } from '../../refusal.ts';
import { broken } from '../../rules.ts';
import { alertShape, type GivenAlert, type LiveAlert } from './alert-shapes.ts';
import type { LiveDashboard } from './dashboard-shapes.ts';
import type { LiveTeam } from './state.ts';

// For all other members, null means the same as absent.
const neverNull = ['thresholdMax', 'channel', 'channels'];

const refuseNulls = (body: unknown): void => {
  if (typeof body !== 'object' || body === null) return;
  for (const [name, value] of Object.entries(body)) {
    if (value === null && neverNull.includes(name)) throw broken(name, 'must not be null');
  }
};

/** What a channel is known by. */
const targetOf = (channel: {
  readonly webhookId?: string;
  readonly emailRecipients?: readonly string[];
}): string => `${channel.webhookId ?? channel.emailRecipients}`;

/** The channel and the channels of an alert, here and in ClickStack. */
export const readChannels = <Channel extends Parameters<typeof targetOf>[0]>({
  channel: one,
  channels = one ? [one] : [],
}: {
  readonly channel?: Channel;
  readonly channels?: readonly Channel[];
}) => {
  const [channel] = channels;
  if (!channel) throw broken('channel', 'is required, or channels');
  if (one && targetOf(one) !== targetOf(channel)) {
    throw broken('channel', 'must be the first of channels');
  }
  if (new Set(channels.map(targetOf)).size < channels.length) {
    throw broken('channels', 'must not have a channel twice');
  }
  return { channel, channels };
};

type Links = Pick<LiveAlert, 'source' | 'dashboardId' | 'tileId' | 'savedSearchId'>;

/** The objects that a team's alerts can be on. */
export type Linked = {
  readonly dashboards: ReadonlyMap<string, LiveDashboard>;
  readonly savedSearches: ReadonlyMap<string, unknown>;
};

/** What an alert is on, which must exist. */
export const readLinks = (given: Partial<Links>, { dashboards, savedSearches }: Linked): Links => {
  const { source = 'saved_search', dashboardId, tileId, savedSearchId } = given;
  if (source === 'saved_search') {
    if (savedSearchId === undefined) throw broken('savedSearchId', 'is required');
    if (!savedSearches.has(savedSearchId)) throw new Refusal(400, 'Saved search not found');
    return { source, savedSearchId };
  }
  if (dashboardId === undefined) throw broken('dashboardId', 'is required');
  if (tileId === undefined) throw broken('tileId', 'is required');
  const dashboard = dashboards.get(dashboardId);
  if (!dashboard) throw new Refusal(400, 'Dashboard not found');
  if (!dashboard.tiles.some(({ id }) => id === tileId)) throw new Refusal(400, 'Tile not found');
  return { source, dashboardId, tileId };
};

/** The members that need no look at other objects. Omitted members are null, except those that keep their value. */
export const readOwnMembers = (given: Omit<GivenAlert, 'source' | 'channel' | 'channels'>) => {
  const { name = null, message = null, note = null, groupBy = null, ...rest } = given;
  const { threshold, thresholdType, interval, numConsecutiveWindows = null } = rest;
  const { thresholdMax, scheduleOffsetMinutes, scheduleStartAt } = rest;
  if (thresholdMax === undefined && /between$/.test(thresholdType)) {
    throw broken('thresholdMax', `is required for ${thresholdType}`);
  }
  if (scheduleStartAt !== undefined && !scheduleStartAt.endsWith('Z')) {
    throw broken('scheduleStartAt', 'must be a date-time that ends in Z');
  }
  return {
    ...{ name, message, note, threshold, interval, thresholdType, groupBy, numConsecutiveWindows },
    ...(thresholdMax !== undefined && { thresholdMax }),
    ...(scheduleOffsetMinutes !== undefined && { scheduleOffsetMinutes }),
    ...(scheduleStartAt !== undefined && { scheduleStartAt }),
  };
};

/** Reads the alert in the body of POST and PUT. */
export const readAlertBody = (body: unknown, team: LiveTeam) => {
  refuseNulls(body);
  const given = alertShape(body, '');
  const own = readOwnMembers(given);
  const all = readChannels(given);
  if (!all.channels.every(({ webhookId }) => team.webhooks.has(webhookId))) {
    throw new Refusal(400, 'Webhook not found');
  }
  return { ...own, ...readLinks(given, team), ...all };
};
