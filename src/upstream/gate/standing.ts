import { LRUCache } from 'lru-cache';
import type { Call, Step } from '../call.ts';
import { type Given, holderOf } from '../holder.ts';

/** How long a success proves a credential, in milliseconds: reads go on while it is used. */
const provenMs = 600_000;
/** How long a refusal is believed, in milliseconds: it may have been a fault of the upstream. */
const refusedMs = 10_000;
/** How often other replicas are told of the successes of a credential, in milliseconds. */
const tellEveryMs = 60_000;
/** Credentials that are known at a time. Some 300 bytes each. */
const mostKnown = 10_000;

/** Which credentials of one upstream are proven, as replicas know it. Nothing of it rejects. */
export interface SharedProofs {
  tell(credential: string, forMs: number): void;
  forget(credential: string): void;
  has(credential: string): Promise<boolean>;
}

/**
 * What one upstream has lately said of each credential. A credential is proven by a success in the last ten minutes, here or
 * at a replica: invented ones have none. So successes alone are kept for long, and nothing grows with invented credentials.
 */
export interface Standing {
  /** Takes note of answers as they come. */
  readonly step: Step;
  isProven(holder: string): boolean;
  /** A replica has read something with the call's credential. */
  foundAtReplica(call: Pick<Call, 'holder'>): void;
  /**
   * Whether its last answer was 401, less than ten seconds ago. One that was proven has to be refused twice: the first time may
   * have been a fault of the upstream.
   */
  isRefused(holder: string): boolean;
  /** Asks replicas of a credential of which nothing is known here. */
  ask(credential: Given): Promise<void>;
  /** Has a listener told of each credential that is proven or refused anew. */
  onChange(listener: (holder: string) => void): void;
}

/** A 424 of a service that sleeps is for those alone whom the upstream knows. */
const proves = (status: number): boolean => (status >= 200 && status <= 299) || status === 424;

export const createStanding = (shared: SharedProofs | undefined): Standing => {
  /** When replicas were told of it. */
  const proven = new LRUCache<string, { toldAt: number }>({ max: mostKnown, ttl: provenMs });
  const refused = new LRUCache<string, true>({ max: mostKnown, ttl: refusedMs });
  const listeners: ((holder: string) => void)[] = [];
  const tell = (holder: string): void => {
    for (const listener of listeners) listener(holder);
  };

  /** @param toldAt when replicas were told of it, by whomever */
  const prove = (holder: string, toldAt: number): void => {
    const wasProven = proven.has(holder);
    proven.set(holder, { toldAt });
    refused.delete(holder);
    if (!wasProven) tell(holder);
  };

  const succeed = ({ holder, credential }: Call): void => {
    const { toldAt = -Infinity } = proven.get(holder) ?? {};
    const now = performance.now();
    const isTold = now < toldAt + tellEveryMs;
    if (!isTold) shared?.tell(credential, provenMs);
    prove(holder, isTold ? toldAt : now);
  };

  const refuse = ({ holder, credential }: Call): void => {
    // Of invented ones replicas know nothing.
    if (proven.delete(holder)) shared?.forget(credential);
    else refused.set(holder, true);
    tell(holder);
  };

  return {
    step: async (call, next) => {
      const answer = await next(call);
      if (proves(answer.status)) succeed(call);
      else if (answer.status === 401) refuse(call);
      return answer;
    },
    isProven: (holder) => proven.has(holder),
    foundAtReplica: ({ holder }) => prove(holder, performance.now()),
    isRefused: (holder) => refused.has(holder),
    ask: async (credential) => {
      const holder = holderOf(credential);
      if (!shared || proven.has(holder) || refused.has(holder)) return;
      const isProven = await shared.has(credential.value);
      if (isProven && !refused.has(holder)) prove(holder, performance.now());
    },
    onChange: (listener) => void listeners.push(listener),
  };
};
