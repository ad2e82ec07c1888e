import { LRUCache } from 'lru-cache';
import type { Call, Step } from '../call.ts';
import type { UpstreamName } from '../error.ts';

/** How long a success proves a credential, in milliseconds. A credential in use has another success before that. */
const provenMs = 600_000;
/** How long a refusal counts, in milliseconds: it may have been a fault of the upstream. */
const refusedMs = 10_000;
/** The most credentials that are remembered, at some 300 bytes each. */
const mostKnown = 10_000;

/**
 * Which credentials an upstream has lately accepted or refused. A success in the last ten minutes proves a credential.
 * Only successes are kept for long: invented credentials have none, so the memory does not grow with them.
 */
export interface CredentialStatus {
  readonly upstream: UpstreamName;
  /** Notes the answers of calls. */
  readonly step: Step;
  isProven(holder: string): boolean;
  /** Since when it has been proven without a break, in milliseconds of `performance.now()`; `Infinity` if it is not. */
  provenSince(holder: string): number;
  /** Notes that a replica has read something with the call's credential. */
  foundAtReplica(call: Pick<Call, 'holder'>): void;
  /**
   * Whether its last answer was 401, less than ten seconds ago. A proven credential has to be refused twice, since the
   * first refusal may have been a fault of the upstream.
   */
  isRefused(holder: string): boolean;
  /** Calls the listener for each credential that becomes proven or is refused. */
  onChange(listener: (holder: string) => void): void;
}

/** A 424, of a sleeping service, proves a credential too: the upstream sends it only to credentials that it knows. */
const proves = (status: number): boolean => (status >= 200 && status <= 299) || status === 424;

export const createCredentialStatus = (upstream: UpstreamName): CredentialStatus => {
  /** Proven credentials, with the times at which they became proven. */
  const proven = new LRUCache<string, { since: number }>({ max: mostKnown, ttl: provenMs });
  const refused = new LRUCache<string, true>({ max: mostKnown, ttl: refusedMs });
  const listeners: ((holder: string) => void)[] = [];
  const tell = (holder: string): void => {
    for (const listener of listeners) listener(holder);
  };

  const prove = ({ holder }: Pick<Call, 'holder'>): void => {
    const known = proven.get(holder);
    proven.set(holder, { since: known?.since ?? performance.now() });
    refused.delete(holder);
    if (!known) tell(holder);
  };

  const refuse = ({ holder }: Call): void => {
    if (!proven.delete(holder)) refused.set(holder, true);
    tell(holder);
  };

  return {
    upstream,
    step: async (call, next) => {
      const answer = await next(call);
      if (proves(answer.status)) prove(call);
      else if (answer.status === 401) refuse(call);
      return answer;
    },
    isProven: (holder) => proven.has(holder),
    provenSince: (holder) => proven.peek(holder)?.since ?? Infinity,
    foundAtReplica: prove,
    isRefused: (holder) => refused.has(holder),
    onChange: (listener) => void listeners.push(listener),
  };
};
