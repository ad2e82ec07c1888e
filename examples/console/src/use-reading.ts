import type { Answer, Client, SluiceProblem } from '@sluice/client';
import { createContext, use, useEffect, useState } from 'react';
import { nextMoment } from './moment.ts';
import { problemsIn, readRefusalIn, retryAfterSecondsIn } from './problems.ts';
import { useSession } from './session.ts';
import { staleSecondsIn } from './stale.ts';
import { useDue } from './use-due.ts';

/** A read whose data may come in part. Has to be the same function at every render. */
export type Read<Data> = (
  client: Client,
  signal: AbortSignal,
) => Promise<Pick<Answer<Data>, 'data' | 'errors' | 'extensions'>>;

interface State<Data> {
  /** Undefined until something came. */
  readonly data?: Data;
  /** The moment at which the read that brought the data was sent; 0 before there is any. */
  readonly sentAt: number;
  /** What went wrong in the last read that ended. */
  readonly problems: readonly SluiceProblem[];
  /** When that was. */
  readonly readAt?: Date;
  /** How old its oldest part was then, where the gateway had to answer from its memory. */
  readonly staleSeconds?: number | undefined;
  /** When the page reads again by itself, since a limit kept a part back. */
  readonly readsAgainAt?: Date | undefined;
  readonly attempt: number;
  /** Whether the page began that attempt, and not a person. */
  readonly byItself: boolean;
  readonly ended: number;
}

export interface Reading<Data> extends Omit<State<Data>, 'attempt' | 'byItself' | 'ended'> {
  readonly loading: boolean;
  /** Begins a read in the place of one under way. */
  readonly refresh: () => void;
}

// The page does it by itself, and says when.
const withoutAdvice = (problem: SluiceProblem): SluiceProblem => {
  if (problem.code !== 'RATE_LIMITED') return problem;
  const { retryAfterSeconds: _, ...rest } = problem;
  return rest;
};

/**
 * Reads when first shown and at each refresh; a read that is no longer wanted is aborted. What a limit kept back is
 * read again once it may be had, and only once: after that it is for the person to ask.
 */
export const useReading = <Data>(read: Read<Data>): Reading<Data> => {
  const { client, askAgain } = useSession();
  const [state, setState] = useState<State<Data>>({
    sentAt: 0,
    problems: [],
    attempt: 1,
    byItself: false,
    ended: 0,
  });
  const { attempt, byItself, ended, ...rest } = state;

  useEffect(() => {
    const controller = new AbortController();
    const sentAt = nextMoment();
    const end = (errors: readonly SluiceProblem[], data: Data | null, staleSeconds?: number) => {
      if (controller.signal.aborted) return;
      const refusal = readRefusalIn(errors);
      if (refusal) askAgain(refusal);
      const readAt = new Date();
      const wait = byItself ? undefined : retryAfterSecondsIn(errors);
      setState((before) => ({
        ...before,
        // What is stale may have been read before a row was read by itself, and does not count as newer.
        ...(data && {
          data,
          sentAt: staleSeconds === undefined ? sentAt : before.sentAt || sentAt,
        }),
        problems: wait === undefined ? errors : errors.map(withoutAdvice),
        readAt,
        staleSeconds,
        readsAgainAt: wait === undefined ? undefined : new Date(readAt.getTime() + wait * 1000),
        ended: attempt,
      }));
    };
    read(client, controller.signal).then(
      ({ data, errors, extensions }) => end(errors, data, staleSecondsIn(extensions)),
      (thrown: unknown) => end(problemsIn(thrown), null),
    );
    return () => controller.abort();
  }, [read, client, askAgain, attempt, byItself]);

  const begin = (byItself: boolean): void =>
    setState((before) => ({
      ...before,
      attempt: before.attempt + 1,
      byItself,
      readsAgainAt: undefined,
    }));
  useDue(rest.readsAgainAt, () => begin(true));
  return { ...rest, loading: ended < attempt, refresh: () => begin(false) };
};

/** The reading that a part of the page was made from. */
export const ReadingContext = createContext<Reading<unknown> | undefined>(undefined);

export const useReadingAbove = (): Reading<unknown> => {
  const reading = use(ReadingContext);
  if (!reading) throw new Error('useReadingAbove is for parts of the page below ReadingContext');
  return reading;
};
