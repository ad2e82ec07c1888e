import type { Answer, Client, Progress, SluiceProblem, SubscribeOptions } from '@sluice/client';
import { useEffect, useState } from 'react';
import type { Upstream } from './login.ts';
import { problemsIn, readRefusalIn } from './problems.ts';
import { useSession } from './session.ts';
import { useAttended } from './use-attended.ts';

/** The parts of an answer that the page needs. */
export type Told<Data> = Pick<Answer<Data>, 'data' | 'errors' | 'extensions'>;

/** Yields answers, each of which replaces the one before. Must be the same function at every render. */
export type Follow<Data> = (client: Client, options: SubscribeOptions) => AsyncIterable<Told<Data>>;

interface State<Data> {
  /** Before the first answer, after it, while the connection is lost, or after the last try. */
  readonly condition: 'reading' | 'live' | 'lost' | 'failed';
  /** Undefined until data has arrived. It stays while the connection is lost. */
  readonly data?: Data | undefined;
  /** Problems of the newest answer, or the reason why there is none. */
  readonly problems: readonly SluiceProblem[];
  /** When the newest answer came. */
  readonly changedAt?: Date | undefined;
  /** The age in seconds of its oldest part at that time, if the gateway answered from its memory. */
  readonly staleSeconds?: number | undefined;
  /** The progress of the newest answer, if a rate limit delays some of its reads. */
  readonly progress?: Progress | undefined;
}

export interface Live<Data> extends State<Data> {
  /** Restarts the stream. */
  readonly again: () => void;
}

/**
 * Shows the answers of `follow` while the page is visible. The client reconnects automatically if that may help; otherwise
 * the user has to try again. Without a working credential it does nothing.
 */
export const useLive = <Data>(upstream: Upstream, follow: Follow<Data>): Live<Data> => {
  const { access, clientWith, refuse } = useSession();
  const isWanted = useAttended() && access[upstream] === 'given';
  const [state, setState] = useState<State<Data>>({ condition: 'reading', problems: [] });
  const [attempt, setAttempt] = useState(1);

  // biome-ignore lint/correctness/useExhaustiveDependencies: another attempt begins anew
  useEffect(() => {
    if (!isWanted) return;
    const controller = new AbortController();
    const { signal } = controller;
    const change = (next: (before: State<Data>) => State<Data>): void => {
      if (!signal.aborted) setState(next);
    };
    const refuseIn = (problems: readonly SluiceProblem[]): void => {
      const refusal = signal.aborted ? undefined : readRefusalIn(problems);
      if (refusal) refuse(upstream, refusal);
    };
    // If nothing has changed, a new connection yields no answer: its response shows that it works.
    const client = clientWith(async (...request) => {
      const response = await fetch(...request);
      const isBack = (before: State<Data>) => response.ok && before.condition === 'lost';
      change((before) => (isBack(before) ? { ...before, condition: 'live' } : before));
      return response;
    });
    const onRetry: SubscribeOptions['onRetry'] = (why) => {
      if (why) change((before) => ({ ...before, condition: 'lost' }));
    };
    const run = async (): Promise<void> => {
      for await (const { data, errors, extensions } of follow(client, { signal, onRetry })) {
        refuseIn(errors);
        change((before) => ({
          condition: 'live',
          data: data ?? before.data,
          problems: errors,
          changedAt: new Date(),
          staleSeconds: extensions?.staleSeconds,
          progress: extensions?.progress,
        }));
      }
    };
    run().catch((thrown: unknown) => {
      const problems = problemsIn(thrown);
      refuseIn(problems);
      change((before) => ({ ...before, condition: 'failed', problems }));
    });
    return () => controller.abort();
  }, [clientWith, refuse, upstream, follow, isWanted, attempt]);

  return {
    ...state,
    again: () => {
      setState((before) => ({ ...before, condition: 'reading', problems: [] }));
      setAttempt((before) => before + 1);
    },
  };
};
