import type { Client, SluiceProblem } from '@sluice/client';
import { createContext, use, useEffect, useRef, useState } from 'react';
import { problemsIn, readRefusalIn } from './problems.ts';
import { useSession } from './session.ts';

/** A read whose data may come in part. Has to be the same function at every render. */
export type Read<Data> = (
  client: Client,
  signal: AbortSignal,
) => Promise<{ readonly data: Data | null; readonly errors: readonly SluiceProblem[] }>;

interface State<Data> {
  /** Undefined until something came. */
  readonly data?: Data;
  /** What went wrong in the last read that ended. */
  readonly problems: readonly SluiceProblem[];
  /** When that was. */
  readonly readAt?: Date;
  readonly attempt: number;
  readonly ended: number;
}

export interface Reading<Data> extends Pick<State<Data>, 'data' | 'problems' | 'readAt'> {
  readonly loading: boolean;
  /** Begins a read in the place of one under way. Resolves with the `readAt` of the next that ends. */
  readonly refresh: () => Promise<Date>;
}

/** Reads when first shown and at each refresh; a read that is no longer wanted is aborted. */
export const useReading = <Data>(read: Read<Data>): Reading<Data> => {
  const { client, askAgain } = useSession();
  const [state, setState] = useState<State<Data>>({ problems: [], attempt: 1, ended: 0 });
  const waiting = useRef<((readAt: Date) => void)[]>([]);
  const { attempt, ended, ...rest } = state;

  useEffect(() => {
    const controller = new AbortController();
    const end = (problems: readonly SluiceProblem[], data: Data | null): void => {
      if (controller.signal.aborted) return;
      const refusal = readRefusalIn(problems);
      if (refusal) askAgain(refusal);
      const readAt = new Date();
      const news = { ...(data && { data }), problems, readAt, ended: attempt };
      setState((before) => ({ ...before, ...news }));
      for (const resume of waiting.current.splice(0)) resume(readAt);
    };
    read(client, controller.signal).then(
      ({ data, errors }) => end(errors, data),
      (thrown: unknown) => end(problemsIn(thrown), null),
    );
    return () => controller.abort();
  }, [read, client, askAgain, attempt]);

  return {
    ...rest,
    loading: ended < attempt,
    refresh: () => {
      setState((before) => ({ ...before, attempt: before.attempt + 1 }));
      return new Promise((resolve) => waiting.current.push(resolve));
    },
  };
};

/** The reading that a part of the page was made from. */
export const ReadingContext = createContext<Reading<unknown> | undefined>(undefined);

export const useReadingAbove = (): Reading<unknown> => {
  const reading = use(ReadingContext);
  if (!reading) throw new Error('useReadingAbove is for parts of the page below ReadingContext');
  return reading;
};
