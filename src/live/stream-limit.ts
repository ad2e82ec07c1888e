import { type Given, holderOf } from '../upstream/credential-identity.ts';
import type { UpstreamName } from '../upstream/error.ts';
import type { CredentialStatus } from '../upstream/gate/credential-status.ts';
import {
  credentialRefused,
  notAcceptedYet,
  type Refusal,
  tooManyInAll,
  tooManyOfOne,
  tooManyUnproven,
} from './refusals.ts';

/** The upstream and the credential of a stream. A subscription has one root field, which reads one upstream. */
export interface StreamUse {
  readonly upstream: UpstreamName;
  readonly credential: Given;
}

/** A stream that may be opened. It counts as open until `release` is called or the request's signal is aborted. */
export interface Admitted {
  release(): void;
  /** `end` is called when a stream of a proven credential is admitted instead of this one. */
  onGiveWay(end: () => void): void;
}

interface StreamLimitOptions {
  /** The most open streams: of all credentials together, and of one credential. */
  readonly most: number;
  readonly mostOfOne: number;
  readonly credentialStatuses: Readonly<Record<UpstreamName, CredentialStatus>>;
}

/**
 * Admits one more stream, or returns why it may not be opened.
 *
 * @param use undefined if the stream has no credential, so that it reads nothing
 * @param signal aborted when the client has left
 */
export type AdmitStream = (use: StreamUse | undefined, signal: AbortSignal) => Admitted | Refusal;

/** The most streams of a credential that the upstream has not accepted yet. */
const mostUnproven = 4;

interface User {
  /** Stands for the upstream and the credential; undefined without a credential. */
  readonly key: string | undefined;
  isProven(): boolean;
}

interface Counted extends User {
  end: () => void;
}

/**
 * Decides which streams may be opened. A credential that the upstream has not accepted yet may be invented, so it may
 * have only four streams. All such credentials together must leave a quarter of the streams to others. If no stream is
 * left, one of theirs is ended for a stream of an accepted credential.
 */
export const createStreamLimit = ({
  most,
  mostOfOne,
  credentialStatuses,
}: StreamLimitOptions): AdmitStream => {
  /** In the order in which they were admitted. */
  const all = new Set<Counted>();
  const allowedUnproven = most - Math.floor(most / 4);
  const countOf = (does: (stream: Counted) => boolean): number => [...all].filter(does).length;
  const isUnproven = (user: User): boolean => !user.isProven();

  const userOf = (use: StreamUse | undefined): User => {
    if (!use) return { key: undefined, isProven: () => false };
    const { upstream, credential } = use;
    const holder = holderOf(credential);
    return {
      key: `${credentialStatuses[upstream].upstream} ${holder}`,
      isProven: () => credentialStatuses[upstream].isProven(holder),
    };
  };

  const refusalOf = (use: StreamUse | undefined, user: User): Refusal | undefined => {
    const isFull = all.size >= most;
    const countOfOne = use ? countOf(({ key }) => key === user.key) : 0;
    if (countOfOne >= mostOfOne) return tooManyOfOne(mostOfOne);
    const countUnproven = countOf(isUnproven);
    if (user.isProven()) {
      return isFull && countUnproven === 0 ? tooManyInAll(most, false) : undefined;
    }
    if (use && countOfOne >= mostUnproven) return notAcceptedYet(use.upstream, mostUnproven);
    if (isFull) return tooManyInAll(most, true);
    return countUnproven >= allowedUnproven ? tooManyUnproven(allowedUnproven) : undefined;
  };

  return (use, signal) => {
    if (use) {
      const { upstream, credential } = use;
      if (credentialStatuses[upstream].isRefused(holderOf(credential)))
        return credentialRefused(upstream);
    }
    const user = userOf(use);
    const refusal = refusalOf(use, user);
    if (refusal) return refusal;
    if (all.size >= most) [...all].find(isUnproven)?.end();
    const release = (): void => {
      signal.removeEventListener('abort', release);
      all.delete(stream);
    };
    const stream: Counted = { ...user, end: release };
    all.add(stream);
    signal.addEventListener('abort', release);
    if (signal.aborted) release();
    return {
      release,
      onGiveWay: (end) => {
        stream.end = end;
      },
    };
  };
};
