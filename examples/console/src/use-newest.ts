import type { SluiceProblem } from '@sluice/client';
import { useState } from 'react';
import { useReadingAbove } from './use-reading.ts';

/** A thing as a request brought it, with what could not be read of it. */
export interface Seen<Item> {
  readonly item: Item;
  readonly problems: readonly SluiceProblem[];
}

interface Newest<Item> {
  readonly seen: Seen<Item>;
  /** Takes in what a request for the one thing brought; `sentAt` is the moment at which it was sent. */
  readonly put: (seen: Seen<Item>, sentAt: number) => void;
}

/**
 * A thing of the half's read, or of a request for it alone. The request that was sent last is shown, whichever
 * answer came last: a late answer undoes no newer one.
 */
export const useNewest = <Item>(read: Seen<Item>): Newest<Item> => {
  const { sentAt: readSentAt } = useReadingAbove();
  const [own, setOwn] = useState<{ readonly seen: Seen<Item>; readonly sentAt: number }>();
  return {
    seen: own && own.sentAt > readSentAt ? own.seen : read,
    put: (seen, sentAt) =>
      setOwn((before) => (before && before.sentAt > sentAt ? before : { seen, sentAt })),
  };
};
