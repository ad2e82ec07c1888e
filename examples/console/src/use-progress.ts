import { useEffect, useState } from 'react';

/** Messages for an action under way. */
interface Words {
  /** The first message, such as `Reading the list…`. */
  readonly soon: string;
  /** The message after a second, such as `Still reading…`. */
  readonly late: string;
}

/**
 * The message while an action is under way; undefined otherwise. It names no reason: the service may be slow, or the gateway may
 * wait for a rate limit. A quick answer needs no second message, which would only flicker.
 */
export const useProgress = (underWay: boolean, { soon, late }: Words): string | undefined => {
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
  return slow ? late : soon;
};
