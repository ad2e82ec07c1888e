import { useEffect, useState } from 'react';
import type { Upstream } from './login.ts';

/** The rate limit of each service for one credential. The gateway delays calls beyond it. */
export const limits: Readonly<Record<Upstream, string>> = {
  management: '10 calls in 10 seconds',
  observability: '100 calls in a minute',
};

/** Messages for an action under way. */
interface Words {
  /** The first message, such as `Reading the list…`. */
  readonly soon: string;
  /** The message after a second, such as `Still reading`; the limit follows. */
  readonly late: string;
}

/**
 * The message while an action is under way; undefined otherwise. After a second it also has the service's limit, but does
 * not call it the reason, since the service may be slow. A quicker answer needs no second message, which would only flicker.
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
