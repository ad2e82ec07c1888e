import { type Answer, failed, type Send } from '../call.ts';
import type { ReadCall } from './read-call.ts';

/** How long an event of a filling stream waits for a new read, in milliseconds. */
const soonMs = 500;

/** A filling stream (see `isFilling`) shows what there is, and gets the rest in later events. */
export const answerSoon = (call: ReadCall, send: Send<ReadCall>): Promise<Answer> =>
  new Promise((resolve, reject) => {
    const refuse = (): void => reject(failed(call, { reason: 'no-slot', retryAfterSeconds: 1 }));
    const timer = setTimeout(refuse, soonMs);
    send({ ...call, latest: performance.now() })
      .finally(() => clearTimeout(timer))
      .then(resolve, reject);
  });
