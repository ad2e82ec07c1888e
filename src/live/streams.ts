import type { UpstreamName } from '../upstream/error.ts';
import type { CredentialStatus } from '../upstream/gate/credential-status.ts';
import type { WatchCounts } from '../upstream/reads/watches.ts';
import { createYield } from '../yield.ts';
import { Stream, type StreamEnd, type StreamOptions } from './stream.ts';
import { type AdmitStream, type Admitted, createStreamLimit } from './stream-limit.ts';

interface StreamsOptions {
  /** The most open streams: of all credentials together, and of one credential. */
  readonly maxStreams: number;
  readonly maxStreamsPerCredential: number;
  /** How long a stream may last, in milliseconds. Then its client has to subscribe again. */
  readonly lifetimeMs: number;
  /** Counts the reads that streams watch. */
  readonly watched: () => WatchCounts;
  /** Which credentials each upstream has lately accepted or refused. */
  readonly credentialStatuses: Readonly<Record<UpstreamName, CredentialStatus>>;
  /** Called for each stream that has ended. */
  readonly onEnd?: ((reason: StreamEnd) => void) | undefined;
}

export interface StreamCounts extends WatchCounts {
  readonly streams: number;
}

/** All open streams of events. */
export interface Streams {
  readonly admit: AdmitStream;
  /**
   * @param gone aborted when the client has left
   */
  open(
    admitted: Admitted,
    gone: AbortSignal,
    options: Pick<StreamOptions, 'execute' | 'untilTaken' | 'onEnd'>,
  ): Stream;
  /** Ends all streams, and each later one at once. */
  drain(): void;
  /** A random number of milliseconds before a client subscribes again, so that not all clients come back at once. */
  returnMs(): number;
  counts(): StreamCounts;
}

/** After the gateway has ended all streams: how many come back in a second, and the longest wait, in milliseconds. */
const returningPerSecond = 100;
const longestReturnMs = 30_000;

export const createStreams = (options: StreamsOptions): Streams => {
  const { maxStreams, maxStreamsPerCredential, lifetimeMs, watched, credentialStatuses } = options;
  const open = new Set<Stream>();
  const untilTurn = createYield();
  let isDraining = false;
  /** The time over which the ended streams come back, in milliseconds. */
  let spreadMs = 0;

  return {
    admit: createStreamLimit({
      most: maxStreams,
      mostOfOne: maxStreamsPerCredential,
      credentialStatuses,
    }),
    open: (admitted, gone, { onEnd, ...rest }) => {
      const leave = (): void => stream.end('client left');
      const lifetime = setTimeout(() => stream.end('lifetime over'), lifetimeMs);
      const end = (reason: StreamEnd, events: number): void => {
        clearTimeout(lifetime);
        gone.removeEventListener('abort', leave);
        open.delete(stream);
        admitted.release();
        onEnd(reason, events);
        options.onEnd?.(reason);
      };
      const stream = new Stream({ ...rest, untilTurn, onEnd: end });
      open.add(stream);
      admitted.onGiveWay(() => stream.end('place needed'));
      gone.addEventListener('abort', leave, { once: true });
      if (gone.aborted) leave();
      if (isDraining) stream.end('gateway stops');
      return stream;
    },
    drain: () => {
      isDraining = true;
      spreadMs = Math.min(longestReturnMs, (open.size / returningPerSecond) * 1000);
      for (const stream of open) stream.end('gateway stops');
    },
    returnMs: () => Math.round(Math.random() * spreadMs),
    counts: () => ({ streams: open.size, ...watched() }),
  };
};
