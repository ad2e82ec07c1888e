import type { Answer, Body } from './answer.ts';
import { connect, type Ending, noStreams } from './connection.ts';
import { SluiceError, type SluiceProblem } from './error.ts';
import { type Newest, newestOf } from './newest.ts';
import type { ClientOptions, SubscribeOptions } from './options.ts';
import { longestWaitMs, mayPass, pause, waitFor } from './retry.ts';
import type { Send } from './sender.ts';

const isUnauthenticated = (why: SluiceError | undefined): boolean =>
  why?.problems.some(({ code }) => code === 'UNAUTHENTICATED') === true;

/** A problem without the parts that change between repetitions of the same failure. */
const markOfProblem = (problem: SluiceProblem): unknown => {
  const { message, path, code, upstream, retryAfterSeconds } = problem;
  const { name, operation, status } = upstream ?? {};
  // The message of such an error also has the seconds.
  const words = retryAfterSeconds === undefined && message;
  return [words, path, code, name, operation, status];
};

/** Equal for events with the same content, also from different connections. */
const markOf = ({ data, errors, extensions }: Body): string =>
  JSON.stringify([data, errors.map(markOfProblem), extensions?.progress]);

/** Makes subscriptions, each with successive connections until one fails permanently. */
export const createSubscriber = (
  send: Send,
  { management, observability, fetch }: ClientOptions,
) => {
  const canRenew = [management, observability].some((each) => typeof each === 'function');

  return (body: string, { signal, onRetry }: SubscribeOptions): Newest<Answer<object>> =>
    newestOf(async (give, left) => {
      // Where the platform has none, its fetch would wait for the end of the stream.
      if (!fetch && !new Response(' ').body) throw noStreams();
      let newest = '';
      for (let tries = 0; !left.aborted; tries += 1) {
        const began = Date.now();
        let events = 0;
        const ending = await connect(send, body, left, (event) => {
          events += 1;
          // After a reconnection, the first event repeats known data if nothing has changed.
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
