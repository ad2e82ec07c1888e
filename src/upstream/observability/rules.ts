import type { Problem } from '../error.ts';
import { filled } from '../filled.ts';
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

/** The rules for changes to an alert. */
export const alertRules = filled<AlertChanges>(
  ['threshold', 'interval', 'thresholdType', 'source'],
  (changes) => [...channelsRule(changes), ...startRule(changes)],
);
