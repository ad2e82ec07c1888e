import { useEffect, useState } from 'react';
import type { Upstream } from './session.ts';

/** How many calls each service takes from one credential. The gateway lets a call wait rather than exceed that. */
export const limits: Readonly<Record<Upstream, string>> = {
  management: '10 calls in 10 seconds',
  observability: '100 calls in a minute',
};

/** What to say of something under way. */
interface Words {
  /** At first, such as `Reading the list…`. */
  readonly soon: string;
  /** After a second, such as `Still reading`; the limit follows. */
  readonly late: string;
}

/**
 * What to say while something is under way; undefined where nothing is. After a second that tells the service's
 * limit, but not that this is the reason: the service may as well be slow. A quicker answer needs no further words,
 * which would only flicker.
 */
export const useProgress = (
  underWay: boolean,
  upstream: Upstream,
  { soon, late }: Words,
): string | undefined => {
  const [slow, setSlow] = useState(false);
  useEffect(() => {
    if (!underWay) return;
    const timer = setTimeout(() => setSlow(true), 1000);
    return () => {
      clearTimeout(timer);
      setSlow(false);
    };
  }, [underWay]);
  if (!underWay) return undefined;
  return slow ? `${late}: the limit is ${limits[upstream]}…` : soon;
};
