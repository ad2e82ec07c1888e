import { GraphQLError } from 'graphql';
import { Stream, type StreamEnd, type StreamOptions } from './stream.ts';
import { createTurnstile } from './turnstile.ts';
import type { WatchCounts, Watching } from './watching.ts';

interface StreamsOptions {
  /** In all, and of one credential. */
  readonly maxStreams: number;
  readonly maxStreamsPerCredential: number;
  /** How long a stream may take, in milliseconds: clients subscribe again. */
  readonly lifetimeMs: number;
  readonly watching: Watching;
  /** Told of each that has ended. */
  readonly onEnd?: ((reason: StreamEnd) => void) | undefined;
}

export interface StreamCounts extends WatchCounts {
  readonly streams: number;
}

/** All streams of events that are open. */
export interface Streams {
  /** Why no further one may be opened for those who hold these credentials. */
  refusal(holders: readonly string[]): GraphQLError | undefined;
  /**
   * @param gone aborted when the client has left
   */
  open(
    holders: readonly string[],
    gone: AbortSignal,
    options: Pick<StreamOptions, 'execute' | 'untilTaken' | 'onEnd'>,
  ): Stream;
  /** Ends all, and each further one at once. */
  drain(): void;
  counts(): StreamCounts;
}

const tooMany = (words: string, allowed: number): GraphQLError =>
  new GraphQLError(`${words}: at most ${allowed} may be open at a time.`, {
    extensions: { code: 'LIMIT_EXCEEDED', limit: 'streams', allowed },
  });

export const createStreams = (options: StreamsOptions): Streams => {
  const { maxStreams, maxStreamsPerCredential, lifetimeMs, watching } = options;
  const open = new Set<Stream>();
  const ofHolder = new Map<string, number>();
  const untilTurn = createTurnstile();
  let isDraining = false;

  const count = (holders: readonly string[], change: 1 | -1): void => {
    for (const holder of holders) {
      const left = (ofHolder.get(holder) ?? 0) + change;
      if (left > 0) ofHolder.set(holder, left);
      else ofHolder.delete(holder);
    }
  };

  return {
    refusal: (holders) => {
      if (open.size >= maxStreams) return tooMany('Too many subscriptions are open', maxStreams);
      const isFull = holders.some((each) => (ofHolder.get(each) ?? 0) >= maxStreamsPerCredential);
      return isFull
        ? tooMany('Too many subscriptions use this credential', maxStreamsPerCredential)
        : undefined;
    },
    open: (holders, gone, { onEnd, ...rest }) => {
      const leave = (): void => stream.end('client left');
      const lifetime = setTimeout(() => stream.end('lifetime over'), lifetimeMs);
      const end = (reason: StreamEnd, events: number): void => {
        clearTimeout(lifetime);
        gone.removeEventListener('abort', leave);
        open.delete(stream);
        count(holders, -1);
        onEnd(reason, events);
        options.onEnd?.(reason);
      };
      const stream = new Stream({ ...rest, watching, untilTurn, onEnd: end });
      open.add(stream);
      count(holders, 1);
      gone.addEventListener('abort', leave, { once: true });
      if (gone.aborted) leave();
      if (isDraining) stream.end('gateway stops');
      return stream;
    },
    drain: () => {
      isDraining = true;
      for (const stream of open) stream.end('gateway stops');
    },
    counts: () => ({ streams: open.size, ...watching.counts() }),
  };
};
