import { type Answer, type Call, failed, type Send } from '../call.ts';
import { type FailureReason, UpstreamError } from '../error.ts';
import type { Watches } from '../watching.ts';
import type { Entries, Entry } from './entries.ts';
import type { Wants } from './wants.ts';

interface RequestsOptions {
  readonly wants: Pick<Wants, 'note'>;
  readonly entries: Pick<Entries, 'find'>;
  /** Whether what gets no slot in time is read in the background. */
  readonly areReadOn: boolean;
  readonly watches: Pick<Watches, 'event'>;
  /** Why the request of a read that got no slot in time is never whole; undefined where it is once that has been read. */
  readonly whyNeverWhole: (call: Call) => FailureReason | undefined;
  /** Answers a read with what counts for it, or has it sent. */
  readonly answer: (call: Call, next: Send) => Promise<Answer>;
}

/** The seconds until a read is sent that got no slot in time, the first time or after a 429; undefined for other errors. */
const secondsUntilRead = (error: unknown): number | undefined => {
  const { reason, isReadOn, retryAfterSeconds } =
    error instanceof UpstreamError ? error.failure : {};
  return reason === 'no-slot' || isReadOn ? retryAfterSeconds : undefined;
};

const isTimeout = (error: unknown): boolean =>
  error instanceof UpstreamError && error.failure.reason === 'timeout';

/** Answers the reads of requests: each is wanted from then on, and counts in the progress of its request. */
export const createRequests = (options: RequestsOptions) => {
  const { wants, watches, entries, areReadOn, whyNeverWhole, answer } = options;

  const entryOf = ({ row, holder, path }: Call): Entry | undefined =>
    entries.find(row.api.name, holder, path);
  const answerWanted = async (call: Call, next: Send): Promise<Answer> => {
    wants.note(call.holder, call.path);
    const known = entryOf(call);
    if (known) known.askedAt = performance.now();
    // How old each answer may be depends on how many are wanted: all that are asked for at a time are counted first.
    await undefined;
    return answer(call, next);
  };

  /** What was sent is finished, and kept, though its request has no time left. */
  const isGoingOn = (call: Call): boolean => (entryOf(call)?.flights.size ?? 0) > 0;

  return async (call: Call, next: Send): Promise<Answer> => {
    const { progress, watcher } = call.caller;
    const end = progress.begin();
    try {
      const answered = await (watcher
        ? watches.event(watcher, call, (read) => answerWanted(read, next))
        : answerWanted(call, next));
      end();
      return answered;
    } catch (error) {
      if (areReadOn && isTimeout(error) && isGoingOn(call)) {
        end(1);
        throw error;
      }
      const seconds = areReadOn ? secondsUntilRead(error) : undefined;
      const reason = seconds === undefined ? undefined : whyNeverWhole(call);
      end(reason ? Infinity : seconds);
      throw reason ? failed(call, { reason }) : error;
    }
  };
};
