import type { Problem } from '../error.ts';
import type { AlertChanges } from './requests.ts';

/** Refuses a body that says twice where notifications go: `channel` is the first of `channels`. */
export const channelsRule = ({
  channel,
  channels,
}: Pick<AlertChanges, 'channel' | 'channels'>): readonly Problem[] => {
  if (channel === undefined || channels === undefined) return [];
  const message = 'Give channel or channels, and not both: channel is the first of channels.';
  return [{ field: ['channels'], message }];
};
