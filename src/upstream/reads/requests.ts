import { type Answer, failed, type Send } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { Entries, Entry } from './entries.ts';
import type { ReadCall } from './read-call.ts';
import { mostReadsOfRequest, type RecentlyAsked } from './recently-asked.ts';
import type { Watches } from './watches.ts';

interface RequestsOptions {
  readonly recentlyAsked: Pick<RecentlyAsked, 'note'>;
  readonly entries: Pick<Entries, 'find'>;
  /** Whether a read that gets no slot in time goes on in the background. */
  readonly areReadOn: boolean;
  readonly watches: Pick<Watches, 'event'>;
  /** Answers a read with an outcome that counts, or sends it. */
  readonly answer: (call: ReadCall, next: Send<ReadCall>) => Promise<Answer>;
}

/** For a read that got no slot in time, at first or after a 429: the seconds until it is sent. Undefined otherwise. */
const secondsUntilRead = (error: unknown): number | undefined => {
  const { reason, isReadOn, retryAfterSeconds } =
    error instanceof UpstreamError ? error.failure : {};
  return reason === 'no-slot' || isReadOn ? retryAfterSeconds : undefined;
};

const isTimeout = (error: unknown): boolean =>
  error instanceof UpstreamError && error.failure.reason === 'timeout';

/** Answers the reads of requests. Notes each as recently asked, and counts it in the progress of its request. */
export const createRequests = (options: RequestsOptions) => {
  const { recentlyAsked, watches, entries, areReadOn, answer } = options;

  const entryOf = ({ row, holder, path }: ReadCall): Entry | undefined =>
    entries.find(row.api.name, holder, path);
  const noteAndAnswer = async (call: ReadCall, next: Send<ReadCall>): Promise<Answer> => {
    recentlyAsked.note(call.holder, call.path);
    const known = entryOf(call);
    if (known) known.askedAt = performance.now();
    // How old an answer may be depends on the number of recent reads, so all reads of this turn must be noted first.
    await undefined;
    return answer(call, next);
  };

  /** Whether the read goes on after its request has timed out: a read that was sent is finished and kept. */
  const isGoingOn = (call: ReadCall): boolean => (entryOf(call)?.flights.size ?? 0) > 0;

  return async (call: ReadCall, next: Send<ReadCall>): Promise<Answer> => {
    const { progress, watcher } = call.caller;
    if (progress.wanted >= mostReadsOfRequest) throw failed(call, { reason: 'too-many-reads' });
    const end = progress.begin();
    try {
      const answered = await (watcher
        ? watches.event(watcher, call, (read) => noteAndAnswer(read, next))
        : noteAndAnswer(call, next));
      end();
      return answered;
    } catch (error) {
      if (areReadOn && isTimeout(error) && isGoingOn(call)) {
        end(1);
        throw error;
      }
      end(areReadOn ? secondsUntilRead(error) : undefined);
      throw error;
    }
  };
};
