import type { Answer, Call, Send } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { Watches } from '../watching.ts';
import type { Wants } from './wants.ts';

interface RequestsOptions {
  readonly wants: Pick<Wants, 'note'>;
  readonly watches: Pick<Watches, 'event'>;
  /** Whether what gets no slot in time is read in the background. */
  readonly areReadOn: boolean;
  /** Answers a read with what counts for it, or has it sent. */
  readonly answer: (call: Call, next: Send) => Promise<Answer>;
}

/** The seconds until what has failed is read in the background; undefined where it is not. */
const secondsUntilRead = (error: unknown): number | undefined =>
  error instanceof UpstreamError && error.failure.isReadOn
    ? error.failure.retryAfterSeconds
    : undefined;

/** A stream that fills up shows what there is: it is told of the rest as that arrives. */
const withoutWaiting = (call: Call): Call =>
  call.caller.watcher?.isFilling ? { ...call, latest: performance.now() } : call;

/** Answers the reads of requests: each is wanted from then on, and counts in the progress of its request. */
export const createRequests = (options: RequestsOptions) => {
  const { wants, watches, areReadOn, answer } = options;

  const answerWanted = async (call: Call, next: Send): Promise<Answer> => {
    wants.note(call.holder, call.path);
    // How old each answer may be depends on how many are wanted: all that are asked for at a time are counted first.
    await undefined;
    return answer(withoutWaiting(call), next);
  };

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
      end(areReadOn ? secondsUntilRead(error) : undefined);
      throw error;
    }
  };
};
