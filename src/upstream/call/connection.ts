import type { Breaker } from '../breaker.ts';
import { wasNeverSent } from '../carried-out.ts';
import { UpstreamError } from '../error.ts';
import type { Turns } from '../turns.ts';
import { givenUp, untilAborted } from './abort.ts';
import { refusedByBreaker } from './breaker.ts';
import { failed, type Step } from './call.ts';

/**
 * Gives a call one of the upstream's connections, in turns between credentials, and gives it up unsent when its caller
 * leaves. Nothing waits for a connection to an upstream whose breaker is open.
 */
export const createConnection =
  (turns: Turns, breaker: Breaker): Step =>
  async (call, next) => {
    const granted = Promise.withResolvers<void>();
    const turn = turns.take(call.credential, {
      granted: granted.resolve,
      dismissed: () => granted.reject(refusedByBreaker(call, breaker)),
    });
    if (!turn) throw failed(call, { reason: 'queue-full' });
    try {
      if (turn.waits) {
        if (breaker.state !== 'closed') throw refusedByBreaker(call, breaker);
        await untilAborted(granted.promise, call.signal, () => givenUp(call));
      }
      return await next({ ...call, connection: turn });
    } catch (error) {
      // A call that was sent holds its connection until the upstream is done with it.
      if (error instanceof UpstreamError && !wasNeverSent(error.failure)) throw error;
      turn.end();
      throw error;
    }
  };
