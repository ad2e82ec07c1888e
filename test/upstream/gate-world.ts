import { afterEach, beforeEach, vi } from 'vitest';
import { type Answer, compose } from '../../src/upstream/call.ts';
import { type Failure, UpstreamError } from '../../src/upstream/error.ts';
import { createGate, type GateOptions } from '../../src/upstream/gate/index.ts';
import type { ReadCall } from '../../src/upstream/reads/read-call.ts';
import { type Breaker, createBreaker } from '../../src/upstream/sending/breaker.ts';
import { answerOf, createTestCaller, readOf, settled, writeOf } from '../support/upstream/calls.ts';

/** Makes time stand still in each test until the test advances it. */
export const useGateTime = (): void => {
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'], now: 0 });
  });
  afterEach(() => {
    vi.useRealTimers();
  });
};

/** Advances vitest's clock, and lets all pending promises settle. */
export const pass = async (milliseconds = 0): Promise<void> => {
  await settled();
  await vi.advanceTimersByTimeAsync(milliseconds);
  await settled();
};

/** A call, and its outcome. */
export interface Told {
  readonly name: string;
  readonly call: ReadCall;
  readonly leave: () => void;
  /** The call as it was sent; undefined before. */
  sent: ReadCall | undefined;
  sentAt: number;
  /** The status of its answer, or why there is none. */
  outcome: number | Failure | undefined;
  answer(answer?: Answer): void;
  fail(facts?: Partial<Failure>): void;
}

export interface GateWorldOptions
  extends Partial<Omit<GateOptions, 'credentialStatus' | 'breaker'>> {
  /** Calls in ten seconds. */
  readonly calls?: number;
  /** Credentials that have had a success. */
  readonly proven?: readonly string[];
  readonly breaker?: Breaker;
}

/** The gate of one upstream, with its calls. */
export const startGate = (options: GateWorldOptions = {}) => {
  const { calls = 10, proven = [] } = options;
  const accepted = new Set(proven);
  const listeners: ((holder: string) => void)[] = [];
  const onChange = (state: string): void => {
    if (state === 'open') gate.dismiss();
  };
  const breaker = options.breaker ?? createBreaker({ failures: 1, halfOpenMs: 3000, onChange });
  const gate = createGate({
    ...{ rate: { calls, windowMs: 10_000 }, waitMs: 25_000, connections: 64 },
    ...{ ...options, breaker },
    credentialStatus: {
      isProven: (holder) => accepted.has(holder),
      onChange: (listener) => void listeners.push(listener),
    },
  });
  const all: Told[] = [];
  /** The sent calls, in their order. */
  const sent: Told[] = [];
  const way = compose([gate.step], (call) => {
    const told = all[Number(call.path.slice(1))];
    if (!told) throw new Error('a call that nobody has made');
    Object.assign(told, { sent: call, sentAt: performance.now() });
    sent.push(told);
    return new Promise((resolve, reject) => {
      told.answer = (answer = answerOf()) => resolve(answer);
      told.fail = (facts) => {
        const kind = { upstream: 'observability', operation: 'listAlerts', write: false } as const;
        reject(new UpstreamError({ ...kind, reason: 'cut-off', inFlightMs: 5, ...facts }));
      };
    });
  });
  /** Makes a call, by default of the credential `one` and of a separate operation. */
  const go = (name: string, changes: Partial<ReadCall> = {}): Told => {
    const own = createTestCaller();
    const notYet = (): void => {
      throw new Error(`${name} is not under way`);
    };
    const make = changes.priority === 'write' ? writeOf : readOf;
    const call = make(own, { credential: 'one', ...changes, path: `/${all.length}` });
    const told: Told = {
      ...{ name, call, leave: () => own.leave() },
      ...{ sent: undefined, sentAt: Infinity, outcome: undefined, answer: notYet, fail: notYet },
    };
    all.push(told);
    way(call).then(
      ({ status }) => {
        told.outcome = status;
      },
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error;
        // The remaining wait is computed at each access.
        told.outcome = { ...error.failure };
      },
    );
    return told;
  };
  return {
    ...{ gate, breaker, all, sent, go },
    /** Several calls of one operation. */
    goMany: (name: string, times: number, changes: Partial<ReadCall> = {}): readonly Told[] => {
      const caller = createTestCaller();
      return Array.from({ length: times }, () => go(name, { caller, ...changes }));
    },
    /** Records that the upstream has accepted the credential. */
    prove: (holder: string): void => {
      accepted.add(holder);
      for (const listener of listeners) listener(holder);
    },
    /** Answers all calls under way. */
    answerAll: async (): Promise<void> => {
      for (const { outcome, answer } of sent) if (!outcome) answer();
      await pass();
    },
  };
};

export const reasonOf = ({ outcome }: Pick<Told, 'outcome'>): string =>
  typeof outcome === 'object' ? outcome.reason : String(outcome);

/** The seconds after which a refused call could be sent. */
export const secondsOf = ({ outcome }: Pick<Told, 'outcome'>): number | undefined =>
  typeof outcome === 'object' ? outcome.retryAfterSeconds : undefined;
