import type { Answer, Call } from '../harness.ts';

/** A call that waits for its answer. */
export interface Waiting {
  readonly call: Call;
  answer(answer: Answer): void;
}

export interface Gate {
  /** Every call so far, answered or not, in the order of arrival. */
  readonly calls: readonly Waiting[];
  /** The most calls that ever waited at a time, answered or given up ones left out. */
  readonly most: () => number;
  answering(call: Call): Promise<Answer>;
  /** Resolves with that call, once it has arrived; 1 is the first. */
  arrived(count: number): Promise<Waiting>;
}

/** A backend that answers a call only when it is told to, and how. */
export const createGate = (): Gate => {
  const calls: Waiting[] = [];
  const watchers = new Set<() => void>();
  let waiting = 0;
  let most = 0;
  return {
    calls,
    most: () => most,
    answering: (call) =>
      new Promise<Answer>((resolve) => {
        waiting += 1;
        most = Math.max(most, waiting);
        let left = false;
        const leave = () => {
          waiting -= left ? 0 : 1;
          left = true;
        };
        call.onClose(leave);
        calls.push({
          call,
          answer: (answer) => {
            leave();
            resolve(answer);
          },
        });
        for (const watcher of watchers) watcher();
      }),
    arrived: (count) =>
      new Promise((resolve) => {
        const look = () => {
          const found = calls[count - 1];
          if (!found) return;
          watchers.delete(look);
          resolve(found);
        };
        watchers.add(look);
        look();
      }),
  };
};

/** Sends a request that its caller can give up; `ended` tells whether it was answered. */
export const leavable = (
  url: string,
  document: string,
  headers: Readonly<Record<string, string>>,
) => {
  const controller = new AbortController();
  const ended = fetch(url, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query: document }),
    signal: controller.signal,
  }).then(
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
