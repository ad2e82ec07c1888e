import { setTimeout } from 'node:timers/promises';
import { vi } from 'vitest';
import { type Answer, type Call, compose } from '../../../src/upstream/call.ts';
import { type Failure, UpstreamError } from '../../../src/upstream/error.ts';
import { createPace } from '../../../src/upstream/gate/pace.ts';
import { createEntries } from '../../../src/upstream/reads/entries.ts';
import { staleMs } from '../../../src/upstream/reads/outcomes.ts';
import { createTable } from '../../../src/upstream/reads/table.ts';
import type { BreakerState } from '../../../src/upstream/sending/breaker.ts';
import { budget, parallel } from '../../../src/upstream/sending/budget-step.ts';
import { createFailures } from '../../../src/upstream/sending/failures.ts';
import { createRetry } from '../../../src/upstream/sending/retry.ts';
import { answerOf, createHeldSend, createTestCaller, readOf, settled } from './calls.ts';

/** Lets all happen that is to happen now. The pause before a second try is not on the clock that vitest moves. */
const now = async (): Promise<void> => {
  await setTimeout(3);
  await settled();
};

/** Lets time pass, and all that was promised happen. */
export const pass = async (milliseconds: number): Promise<void> => {
  await now();
  await vi.advanceTimersByTimeAsync(milliseconds);
  await now();
};

/** What became of a call: the status of its answer, or why there was none. */
interface Told {
  outcome: number | Failure | undefined;
}

/** The way of calls through share, retry and pacing, on a clock that vitest moves. */
export const startPace = ({
  calls = 2,
  windowMs = 10_000,
  waitMs = 25_000,
  isCached = false,
} = {}) => {
  const breaker: { state: BreakerState; retryAfterSeconds: number } = {
    state: 'closed',
    retryAfterSeconds: 3,
  };
  const pace = createPace({ rate: { calls, windowMs }, waitMs, breaker });
  const { sent, send } = createHeldSend();
  const complaints: string[] = [];
  const onFailure = ({ reason }: Failure): void => void complaints.push(reason);
  const maxBytes = isCached ? 1_000_000 : 0;
  const table = createTable({
    entries: createEntries({ maxBytes, maxAgeMs: staleMs, onDrop: () => undefined }),
    ...{ shared: undefined, joins: true, closing: new AbortController().signal },
    ...{ onFound: () => undefined, isProven: () => true, isUsable: () => true },
  });
  const way = compose(
    [
      table.step,
      createRetry({ maxRetries: 2, isPaced: true }),
      budget,
      createFailures({ addresses: [], onFailure }),
      pace.step,
      parallel,
      pace.recheck,
    ],
    send,
  );
  let paths = 0;
  return {
    pace,
    breaker,
    sent,
    complaints,
    go: (call: Call): Told => {
      const told: Told = { outcome: undefined };
      way(call).then(
        ({ status }) => {
          told.outcome = status;
        },
        (error: unknown) => {
          if (!(error instanceof UpstreamError)) throw error;
          told.outcome = error.failure;
        },
      );
      return told;
    },
    /** A read that is not equal to another. */
    another: (changes: Partial<Call> = {}): Call => {
      paths += 1;
      return readOf(createTestCaller(), { path: `/${paths}`, ...changes });
    },
    /** Uses so many slots: they are free a window from now. */
    use: async (count: number): Promise<void> => {
      for (let slot = 0; slot < count; slot += 1) {
        await Promise.all([pace.step(readOf(), async () => answerOf())]);
      }
    },
    left: () => pace.left('Bearer one'),
  };
};

/** An answer that asks to be left alone. */
export const limited = (headers: Answer['headers'] = {}, status = 429): Answer => ({
  ...answerOf('slow down', status),
  headers,
});

export const failure = (facts: Partial<Failure>): UpstreamError =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'listAlerts',
    reason: 'cut-off',
    write: false,
    ...facts,
  });
