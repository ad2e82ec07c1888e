import { createAges } from '../upstream/ages.ts';
import { unbounded } from '../upstream/budget.ts';
import type { Answer, Call, Send } from '../upstream/call/call.ts';
import { createWaits } from '../upstream/waits.ts';
import type { WatchedRead } from './watched-read.ts';

/**
 * Makes the function that sends the read of an event again, for whoever watches it: at the lowest priority, on nobody's
 * budget, and given up when nobody watches it any longer. It holds the credential, and nothing else of the event.
 */
export const resending = (call: Call, read: WatchedRead, next: Send): (() => Promise<Answer>) => {
  const { signal } = read;
  const caller = {
    ...call.caller,
    ...{ arrivedAt: Infinity, deadline: Infinity },
    ...{ signal, calls: undefined, watcher: undefined, ages: createAges() },
    waits: createWaits(),
    reads: new Map<string, never>(),
  };
  const poll = {
    ...call,
    ...{ caller, signal, budget: unbounded, notes: undefined },
    ...({ priority: 'renewal', latest: Infinity } as const),
  };
  return () =>
    next({
      ...poll,
      // What is kept is known here already.
      caller: { ...caller, readAfter: performance.now() },
      shownReadAt: read.readAt,
    });
};
