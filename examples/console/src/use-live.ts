import type { Answer, Client, Progress, SluiceProblem, SubscribeOptions } from '@sluice/client';
import { useEffect, useState } from 'react';
import { problemsIn, readRefusalIn } from './problems.ts';
import { type Upstream, useSession } from './session.ts';
import { useAttended } from './use-attended.ts';

/** An answer, of which the page needs so much. */
export type Told<Data> = Pick<Answer<Data>, 'data' | 'errors' | 'extensions'>;

/** Gives answers, each of which replaces the one before. Has to be the same function at every render. */
export type Follow<Data> = (client: Client, options: SubscribeOptions) => AsyncIterable<Told<Data>>;

interface State<Data> {
  /** Before the first answer, after it, while the connection is lost, or after it was given up. */
  readonly condition: 'reading' | 'live' | 'lost' | 'failed';
  /** Undefined until something came. It stays while the connection is lost. */
  readonly data?: Data | undefined;
  /** What is missing in the newest answer, or why there is none. */
  readonly problems: readonly SluiceProblem[];
  /** When the newest answer came. */
  readonly changedAt?: Date | undefined;
  /** How many seconds before that its oldest part was read, where the gateway answered from its memory. */
  readonly staleSeconds?: number | undefined;
  /** How far the newest answer is, where a limit kept something of it back. */
  readonly progress?: Progress | undefined;
}

export interface Live<Data> extends State<Data> {
  /** Begins anew. */
  readonly again: () => void;
}

/**
 * Shows what `follow` gives while somebody looks at the page. The client connects again by itself where that may help;
 * where it does not, it is for the person to try again. With a credential that is missing or refused it does nothing.
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
    // A new connection gives no answer where nothing has changed: its response says that it stands.
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
