import type { Answer, Client, Progress, SluiceProblem, SubscribeOptions } from '@sluice/client';
import { useEffect, useState } from 'react';
import type { Upstream } from './login.ts';
import { problemsIn, readRefusalIn } from './problems.ts';
import { useSession } from './session.ts';
import { useAttended } from './use-attended.ts';

/** The parts of an answer that the page needs. */
export interface Told<Data> extends Pick<Answer<Data>, 'data' | 'errors' | 'extensions'> {
  /** Whether it has nothing of the list that it is about. */
  readonly isUnread?: boolean;
}

/** Yields answers, each of which replaces the one before. Must be the same function at every render. */
export type Follow<Data> = (client: Client, options: SubscribeOptions) => AsyncIterable<Told<Data>>;

/** What is shown after an answer: rows that it could not read stay as they were. Must be the same function at every render. */
export type Keep<Data> = (before: Data | undefined, told: Told<Data>) => Data | undefined;

interface State<Data> {
  /** Before the first answer, after it, while the connection is lost, or after the last try. */
  readonly condition: 'reading' | 'live' | 'lost' | 'failed';
  /** Undefined until data has arrived. It stays while the connection is lost. */
  readonly data?: Data | undefined;
  /** Whether the newest answer had nothing of the list; what is shown is older. */
  readonly isUnread?: boolean | undefined;
  /** Problems of the newest answer, or the reason why there is none. */
  readonly problems: readonly SluiceProblem[];
  /** When the newest answer came. */
  readonly changedAt?: Date | undefined;
  /** When its oldest part was read, if the gateway had no call left to read it again. */
  readonly staleSince?: Date | undefined;
  /** The progress of the newest answer, if a rate limit delays some of its reads. */
  readonly progress?: Progress | undefined;
}

export interface Live<Data> extends State<Data> {
  /** Restarts the stream. */
  readonly again: () => void;
}

/** The gateway sends a comment every 12 seconds if it has nothing else to send. */
const longestSilenceMs = 30_000;

const keepOnly = <Data>(before: Data | undefined, { data }: Told<Data>): Data | undefined =>
  data ?? before;

const isStream = ({ headers }: Response): boolean =>
  /^text\/event-stream\b/i.test(headers.get('content-type') ?? '');

const listening = (heard: () => void) =>
  new TransformStream<Uint8Array<ArrayBuffer>, Uint8Array<ArrayBuffer>>({
    transform: (chunk, controller) => {
      heard();
      controller.enqueue(chunk);
    },
  });

/**
 * Shows the answers of `follow` while the page is visible. The client reconnects automatically if that may help; otherwise
 * the user has to try again. Without a working credential it does nothing.
 */
export const useLive = <Data>(
  upstream: Upstream,
  follow: Follow<Data>,
  keep: Keep<Data> = keepOnly,
): Live<Data> => {
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
    const turn = (from: State<Data>['condition'], condition: State<Data>['condition']): void =>
      change((before) => (before.condition === from ? { ...before, condition } : before));
    // What is shown from before, while the page was hidden, may be old.
    turn('live', 'lost');
    let silence: ReturnType<typeof setTimeout> | undefined;
    const heard = (): void => {
      clearTimeout(silence);
      silence = setTimeout(() => turn('live', 'lost'), longestSilenceMs);
      turn('lost', 'live');
    };
    signal.addEventListener('abort', () => clearTimeout(silence));
    // If nothing has changed, a stream yields no answer: that it is open, and its comments, show that it works.
    const client = clientWith(async (...request) => {
      const response = await fetch(...request);
      if (!response.ok || !isStream(response)) return response;
      heard();
      return new Response(response.body?.pipeThrough(listening(heard)) ?? null, response);
    });
    const onRetry: SubscribeOptions['onRetry'] = (why) => {
      if (why) change((before) => ({ ...before, condition: 'lost' }));
    };
    const run = async (): Promise<void> => {
      for await (const told of follow(client, { signal, onRetry })) {
        const { errors, extensions, isUnread } = told;
        refuseIn(errors);
        const { staleSeconds, progress } = extensions ?? {};
        change((before) => ({
          condition: 'live',
          data: keep(before.data, told),
          isUnread,
          problems: errors,
          changedAt: new Date(),
          staleSince:
            staleSeconds === undefined ? undefined : new Date(Date.now() - staleSeconds * 1000),
          progress,
        }));
      }
    };
    run().catch((thrown: unknown) => {
      const problems = problemsIn(thrown);
      refuseIn(problems);
      change((before) => ({ ...before, condition: 'failed', problems }));
    });
    return () => controller.abort();
  }, [clientWith, refuse, upstream, follow, keep, isWanted, attempt]);

  return {
    ...state,
    again: () => {
      setState((before) => ({ ...before, condition: 'reading', problems: [] }));
      setAttempt((before) => before + 1);
    },
  };
};
