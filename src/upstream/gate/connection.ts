import { type Call, failed, type Step } from '../call.ts';
import { givenUp } from '../sending/abort.ts';
import type { Breaker } from '../sending/breaker.ts';
import { refusedByBreaker } from '../sending/breaker-step.ts';
import type { Release, Turns } from './turns.ts';

interface ConnectionOptions {
  readonly turns: Turns;
  readonly breaker: Breaker;
}

/** Takes one of the upstream's connections, now or later. Nothing waits for one while the breaker is open. */
const take = async (call: Call, { turns, breaker }: ConnectionOptions): Promise<Release> => {
  const free = turns.take(call.holder);
  if (free) return free;
  const turn =
    breaker.state === 'closed' ? await turns.wait(call.holder, call.signal) : 'dismissed';
  if (turn === 'full') throw failed(call, { reason: 'queue-full' });
  if (turn === 'dismissed') throw refusedByBreaker(call, breaker);
  if (turn === 'aborted') throw givenUp(call);
  return turn;
};

/**
 * Gives a call one of the upstream's connections, in turns between credentials. It is given back once the call has its
 * outcome, and whatever keeps the connection is done with it.
 */
export const createConnection =
  (options: ConnectionOptions): Step =>
  async (call, next) => {
    const release = await take(call, options);
    const uses: Promise<void>[] = [];
    try {
      return await next({ ...call, keepConnection: (until) => void uses.push(until) });
    } finally {
      void Promise.all(uses).then(release);
    }
  };
