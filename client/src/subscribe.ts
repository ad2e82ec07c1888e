import type { Answer, Body } from './answer.ts';
import { connect } from './connection.ts';
import { SluiceError, type SluiceProblem } from './error.ts';
import { type Newest, newestOf } from './newest.ts';
import type { ClientOptions, SubscribeOptions } from './options.ts';
import type { Send } from './sender.ts';

/** The waits before subscribing again are chosen at random, up to twice as long each time; in milliseconds. */
const firstWaitMs = 1000;
const longestWaitMs = 30_000;

/** Whether subscribing again may help. */
const mayPass = ({ code, problems, status = 0 }: SluiceError): boolean =>
  code === 'NETWORK_ERROR' ||
  // Of a proxy that has lost the gateway, or is asked too often.
  (code === 'BAD_ANSWER' && (status >= 500 || status === 429 || status === 408)) ||
  problems.some(({ retryable }) => retryable);

const isUnauthenticated = (why: SluiceError | undefined): boolean =>
  why?.problems.some(({ code }) => code === 'UNAUTHENTICATED') === true;

/** A problem without what differs from one failure to the next that is otherwise the same. */
const markOfProblem = (problem: SluiceProblem): unknown => {
  const { message, path, code, upstream, retryAfterSeconds } = problem;
  const { name, operation, status } = upstream ?? {};
  // Such a message tells the seconds too.
  const words = retryAfterSeconds === undefined && message;
  return [words, path, code, name, operation, status];
};

/** Equal for events that show the same, whatever connection they came over. */
const markOf = ({ data, errors }: Body): string =>
  JSON.stringify([data, errors.map(markOfProblem)]);

const waitFor = (why: SluiceError | undefined, tries: number): number => {
  const asked = why?.problems.map(({ retryAfterSeconds = 0 }) => retryAfterSeconds * 1000) ?? [];
  const longest = Math.min(longestWaitMs, firstWaitMs * 2 ** tries);
  return Math.max(Math.round(Math.random() * longest), ...asked);
};

const pause = (milliseconds: number, signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      clearTimeout(timer);
      signal.removeEventListener('abort', done);
      resolve();
    };
    const timer = setTimeout(done, milliseconds);
    signal.addEventListener('abort', done);
  });

/** Makes subscriptions, each over one connection after the other, until one fails for good. */
export const createSubscriber = (send: Send, { management, observability }: ClientOptions) => {
  const canRenew = [management, observability].some((each) => typeof each === 'function');

  return (body: string, { signal, onRetry }: SubscribeOptions): Newest<Answer<object>> =>
    newestOf(async (give, left) => {
      let newest = '';
      for (let tries = 0; !left.aborted; tries += 1) {
        const began = Date.now();
        let events = 0;
        const { why, isFinal } = await connect(send, body, left, (event) => {
          events += 1;
          // The first event of a further connection tells what is known where nothing has changed.
          const mark = markOf(event);
          if (mark !== newest) give(event);
          newest = mark;
        }).catch((error: unknown) => {
          if (error instanceof SluiceError && mayPass(error)) return { why: error, isFinal: false };
          throw error;
        });
        const mayBeRenewed = canRenew && events > 1 && isUnauthenticated(why);
        if (why && (isFinal || !mayPass(why)) && !mayBeRenewed) throw why;
        if (isFinal && !why) return;
        if (Date.now() - began > longestWaitMs) tries = 0;
        const wait = waitFor(why, tries);
        onRetry?.(why, wait);
        await pause(wait, left);
      }
    }, signal);
};
