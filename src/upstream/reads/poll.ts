import { randomUUID } from 'node:crypto';
import { unbounded } from '../budget.ts';
import type { Caller } from '../call.ts';
import { endless } from '../operation-time.ts';
import { createAges, createProgress, createWaits } from '../request-facts.ts';
import { createRequestSecrets } from '../secrets.ts';
import type { ReadCall } from './read-call.ts';

/** What a poll takes over from the call of an event. */
export type PolledCall = Pick<ReadCall, 'row' | 'ids' | 'path' | 'credential' | 'holder'> & {
  readonly caller: Pick<Caller, 'tell'>;
};

interface PollOptions {
  /** Aborted once no stream watches the read. */
  readonly signal: AbortSignal;
  /** The poll may be replaced by the answer of another process that is at most this old, in milliseconds. */
  readonly ageMs: number;
  /** When the answer that streams show was read. */
  readonly shownReadAt: number;
}

/**
 * Makes the call of a poll. A poll serves all streams that watch its read and belongs to no request: it has a
 * credential, but no budget, no time limit and no trace.
 */
export const pollOf = (
  { row, ids, path, credential, holder, caller: { tell } }: PolledCall,
  { signal, ageMs, shownReadAt }: PollOptions,
): ReadCall => {
  const caller: Caller = {
    credential: { kind: 'given', value: credential },
    ...{ requestId: randomUUID(), traceId: undefined, traceHeaders: [], calls: undefined },
    ...{ secrets: createRequestSecrets([credential]), budget: unbounded, signal },
    ...{ arrivedAt: Infinity, time: endless, later: () => ({ deadline: Infinity, signal }) },
    // A poll wants a newer answer than the kept one.
    readAfter: performance.now() - ageMs,
    ...{ ages: createAges(), waits: createWaits(), progress: createProgress(), tell },
    reads: new Map(),
  };
  return {
    ...{ id: {}, row, ids, path, body: undefined, credential, holder, caller, signal },
    ...{ mustBeSent: false, priority: 'poll', latest: Infinity, shownReadAt },
    ...(ageMs > 0 && { freshMs: ageMs }),
  };
};
