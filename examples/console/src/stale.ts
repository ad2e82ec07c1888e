import type { Answer } from '@sluice/client';

/**
 * How many seconds ago the oldest part of an answer was read, where the limit left no call for it and the gateway
 * answered from its memory. Undefined where all of it is fresh, or the gateway is an older one.
 */
export const staleSecondsIn = (extensions: Answer<unknown>['extensions']): number | undefined => {
  const seconds = extensions?.staleSeconds;
  return typeof seconds === 'number' ? seconds : undefined;
};
