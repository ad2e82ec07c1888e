import { randomUUID } from 'node:crypto';
import type { Call, Send } from '../upstream/call.ts';
import { createAges, createProgress, createWaits } from '../upstream/events/request-facts.ts';
import { endless } from '../upstream/operation-time.ts';
import type { Polling } from './sights.ts';
import type { WatchedRead } from './watched-read.ts';

/**
 * Makes the function that polls the read of an event: in the background, on no operation's budget, and only while some
 * stream watches the read. It keeps the credential of the event and nothing else, since a poll serves all streams
 * and belongs to no request's trace.
 *
 * @param ageMs how old an answer of another process may be, in milliseconds
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
      ...{ traceHeaders: [], traceId: undefined },
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
      // A poll wants a newer answer than the one that is kept.
      caller: { ...caller, requestId: randomUUID(), readAfter: performance.now() - ageMs },
      ...(ageMs > 0 && { freshMs: ageMs }),
      shownReadAt: read.readAt,
    };
    return { call: sent, answer: await next(sent) };
  };
};
