import { type Answer, errorOf } from './answer.ts';
import { SluiceError } from './error.ts';
import { type Newest, newestOf } from './newest.ts';
import type { SubscribeOptions } from './options.ts';
import { mayPass, pause, waitFor } from './retry.ts';

/** Well below the minute for which the gateway continues to read. */
const longestPauseMs = 10_000;

/** Sends the query again until the answer is complete, and yields each answer. */
export const untilWhole = <Data>(
  ask: (signal: AbortSignal) => Promise<Answer<Data>>,
  { signal, onRetry }: SubscribeOptions,
): Newest<Answer<Data>> =>
  newestOf(async (give, left) => {
    /** Like `ask`, but rejects if the answer has nothing to show. */
    const askForData = async (): Promise<Answer<Data>> => {
      const answer = await ask(left);
      const why = answer.data === null ? errorOf(answer) : undefined;
      if (why) throw why;
      return answer;
    };

    for (let failures = 0; !left.aborted; ) {
      const answer = await askForData().catch((error: unknown) => {
        if (error instanceof SluiceError && mayPass(error)) return error;
        throw error;
      });
      if (answer instanceof SluiceError) {
        const wait = waitFor(answer, failures);
        failures += 1;
        onRetry?.(answer, wait);
        await pause(wait, left);
        continue;
      }
      failures = 0;
      give(answer);
      const { progress } = answer.extensions ?? {};
      if (!progress) return;
      const wait = Math.min(longestPauseMs, Math.max(1, progress.completeInSeconds) * 1000);
      await pause(wait, left);
    }
  }, signal);
