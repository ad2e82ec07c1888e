import { randomUUID } from 'node:crypto';
import type { Call, Send } from '../upstream/call.ts';
import { createAges, createProgress, createWaits } from '../upstream/events/request-facts.ts';
import { endless } from '../upstream/operation-time.ts';
import type { Polling } from './sights.ts';
import type { WatchedRead } from './watched-read.ts';

/**
 * Makes the function that sends the read of an event again, for whoever watches it: in the background, on nobody's
 * budget, and given up when nobody watches it any longer. It holds the credential, and nothing else of the event: a poll is
 * for all who watch, and belongs to no request's trace.
 *
 * @param ageMs how old an answer may be that another process has read, in milliseconds
 */
export const resending = (
  call: Call,
  read: WatchedRead,
  next: Send,
  ageMs: number,
): (() => Promise<Polling>) => {
  const { signal } = read;
  const caller = {
    ...call.caller,
    ...{ arrivedAt: Infinity, time: endless },
    ...{ signal, calls: undefined, watcher: undefined, ages: createAges() },
    ...{
      reads: new Map<string, never>(),
      waits: createWaits(),
      progress: createProgress(),
      traceHeaders: [],
    },
  };
  const poll = {
    ...call,
    ...{ caller, signal },
    ...({ priority: 'poll', latest: Infinity } as const),
  };
  return async () => {
    const sent: Call = {
      ...poll,
      // What is kept is known here already.
      caller: { ...caller, requestId: randomUUID(), readAfter: performance.now() - ageMs },
      ...(ageMs > 0 && { freshMs: ageMs }),
      shownReadAt: read.readAt,
    };
    return { call: sent, answer: await next(sent) };
  };
};
