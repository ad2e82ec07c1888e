import type { Breaker } from '../breaker.ts';
import { credentialIdentity } from '../credential-identity.ts';
import type { Failure } from '../error.ts';
import type { Release, Turns } from '../turns.ts';
import { givenUp } from './abort.ts';
import { refusedByBreaker } from './breaker.ts';
import { type Call, failed, type Step } from './call.ts';

interface ConnectionOptions {
  readonly turns: Turns;
  readonly breaker: Breaker;
  /** Told of calls that found too many waiting. */
  readonly onFailure: (failure: Failure, requestId: string) => void;
}

/** Takes one of the upstream's connections, now or later. Nothing waits for one while the breaker is open. */
const take = async (
  call: Call,
  { turns, breaker, onFailure }: ConnectionOptions,
): Promise<Release> => {
  const identity = credentialIdentity(call.credential);
  const free = turns.take(identity);
  if (free) return free;
  const turn = breaker.state === 'closed' ? await turns.wait(identity, call.signal) : 'dismissed';
  if (turn === 'full') {
    const error = failed(call, { reason: 'queue-full' });
    onFailure(error.failure, call.caller.requestId);
    throw error;
  }
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
