import type { Answer, Body } from './answer.ts';
import { connect, type Ending, noStreams } from './connection.ts';
import { SluiceError, type SluiceProblem } from './error.ts';
import { type Newest, newestOf } from './newest.ts';
import type { ClientOptions, SubscribeOptions } from './options.ts';
import { longestWaitMs, mayPass, pause, waitFor } from './retry.ts';
import type { Send } from './sender.ts';

const isUnauthenticated = (why: SluiceError | undefined): boolean =>
  why?.problems.some(({ code }) => code === 'UNAUTHENTICATED') === true;

/** A problem without the parts that differ each time the same failure occurs. */
const markOfProblem = (problem: SluiceProblem): unknown => {
  const { message, path, code, upstream, retryAfterSeconds } = problem;
  const { name, operation, status } = upstream ?? {};
  // An error with `retryAfterSeconds` has the seconds in its message too.
  const words = retryAfterSeconds === undefined && message;
  return [words, path, code, name, operation, status];
};

/** A text that is equal for events with the same content, also from different connections. */
const markOf = ({ data, errors, extensions }: Body): string =>
  JSON.stringify([data, errors.map(markOfProblem), extensions?.progress]);

/** Makes the function that subscribes. A subscription reconnects until a connection fails permanently. */
export const createSubscriber = (
  send: Send,
  { management, observability, fetch }: ClientOptions,
) => {
  const canRenew = [management, observability].some((each) => typeof each === 'function');

  return (body: string, { signal, onRetry }: SubscribeOptions): Newest<Answer<object>> =>
    newestOf(async (give, left) => {
      // On a platform without streams, `fetch` would wait for the end of the answer.
      if (!fetch && !new Response(' ').body) throw noStreams();
      let newest = '';
      for (let tries = 0; !left.aborted; tries += 1) {
        const began = Date.now();
        let events = 0;
        const ending = await connect(send, body, left, (event) => {
          events += 1;
          // If nothing has changed, the first event after a reconnection repeats known data, and is skipped.
          const mark = markOf(event);
          if (mark !== newest) give(event);
          newest = mark;
        }).catch((error: unknown): Ending => {
          if (error instanceof SluiceError && mayPass(error)) return { why: error, isFinal: false };
          throw error;
        });
        const { why, isFinal, retryMs } = ending;
        const mayBeRenewed = canRenew && events > 1 && isUnauthenticated(why);
        if (why && (isFinal || !mayPass(why)) && !mayBeRenewed) throw why;
        if (isFinal && !why) return;
        if (Date.now() - began > longestWaitMs) tries = 0;
        const wait = waitFor(why, tries, retryMs);
        onRetry?.(why, wait);
        await pause(wait, left);
      }
    }, signal);
};
