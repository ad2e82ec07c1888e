import type { Answer, Call } from '../harness.ts';
import { post } from '../http/requests.ts';

/** A call that waits for its answer. */
interface Waiting {
  readonly call: Call;
  answer(answer: Answer): void;
}

export interface Gate {
  /** Every call so far, answered or not, in the order of arrival. */
  readonly calls: readonly Waiting[];
  answering(call: Call): Promise<Answer>;
  /** Resolves with the call of this number once it has arrived; 1 is the first. */
  arrived(count: number): Promise<Waiting>;
}

/** A backend that answers each call only when the test decides, and how. */
export const createGate = (): Gate => {
  const calls: Waiting[] = [];
  let next = Promise.withResolvers<void>();
  return {
    calls,
    answering: (call) =>
      new Promise<Answer>((answer) => {
        calls.push({ call, answer });
        next.resolve();
        next = Promise.withResolvers();
      }),
    arrived: async (count) => {
      for (;;) {
        const found = calls[count - 1];
        if (found) return found;
        await next.promise;
      }
    },
  };
};

/** Sends a request that can be cancelled; `ended` says whether it was answered. */
export const leavable = (
  url: string,
  document: string,
  headers: Readonly<Record<string, string>>,
) => {
  const controller = new AbortController();
  const ended = post(url, document, headers, { signal: controller.signal }).then(
    async (response) => {
      await response.text();
      return 'answered' as const;
    },
    () => 'gone' as const,
  );
  return {
    ended,
    leave: async (): Promise<void> => {
      controller.abort();
      if ((await ended) !== 'gone') throw new Error('it was answered before');
    },
  };
};
