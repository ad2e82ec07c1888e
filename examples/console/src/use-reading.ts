import type { Client, SluiceProblem } from '@sluice/client';
import { useEffect, useState } from 'react';
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
  readonly readAt?: Date;
  readonly attempt: number;
  readonly ended: number;
}

export interface Reading<Data> extends Pick<State<Data>, 'data' | 'problems' | 'readAt'> {
  readonly loading: boolean;
  readonly refresh: () => void;
  /** Puts what a mutation answered into the data. */
  readonly change: (update: (data: Data) => Data) => void;
}

/** Reads when first shown and at each refresh; a read that is no longer wanted is aborted. */
export const useReading = <Data>(read: Read<Data>): Reading<Data> => {
  const { client, askAgain } = useSession();
  const [state, setState] = useState<State<Data>>({ problems: [], attempt: 1, ended: 0 });
  const { attempt, ended, ...rest } = state;
  const loading = ended < attempt;

  useEffect(() => {
    const controller = new AbortController();
    const end = (problems: readonly SluiceProblem[], data: Data | null): void => {
      if (controller.signal.aborted) return;
      const refusal = readRefusalIn(problems);
      if (refusal) askAgain(refusal);
      const news = { ...(data && { data }), problems, readAt: new Date(), ended: attempt };
      setState((before) => ({ ...before, ...news }));
    };
    read(client, controller.signal).then(
      ({ data, errors }) => end(errors, data),
      (thrown: unknown) => end(problemsIn(thrown), null),
    );
    return () => controller.abort();
  }, [read, client, askAgain, attempt]);

  return {
    ...rest,
    loading,
    refresh: () => setState((before) => ({ ...before, attempt: before.attempt + 1 })),
    change: (update) =>
      setState(({ data, ...before }) => ({
        ...before,
        ...(data && { data: update(data) }),
        // A read on its way may have been answered before the mutation was carried out: it begins anew.
        attempt: before.ended < before.attempt ? before.attempt + 1 : before.attempt,
      })),
  };
};
