import { vi } from 'vitest';
import { type Answer, type Call, compose } from '../../../src/upstream/call.ts';
import { type Failure, UpstreamError } from '../../../src/upstream/error.ts';
import { createGate, type GateOptions } from '../../../src/upstream/gate/index.ts';
import { type Breaker, createBreaker } from '../../../src/upstream/sending/breaker.ts';
import { answerOf, createTestCaller, readOf, settled, type TestCaller, writeOf } from './calls.ts';

/** Lets time pass on the clock that vitest moves, and all that was promised happen. */
export const pass = async (milliseconds = 0): Promise<void> => {
  await settled();
  await vi.advanceTimersByTimeAsync(milliseconds);
  await settled();
};

export const failure = (facts: Partial<Failure>): UpstreamError =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'listAlerts',
    reason: 'cut-off',
    write: false,
    ...facts,
  });

/** An answer that asks to be left alone. */
export const limited = (headers: Answer['headers'] = {}, status = 429): Answer => ({
  ...answerOf('slow down', status),
  headers,
});

/** A call, and what becomes of it. */
export interface Told {
  readonly name: string;
  readonly leave: TestCaller['leave'];
  /** The call as it was sent; undefined before. */
  sent: Call | undefined;
  sentAt: number | undefined;
  /** The status of its answer, or why there is none. */
  outcome: number | Failure | undefined;
  answer(answer?: Answer): void;
  fail(facts?: Partial<Failure>): void;
}

interface WorldOptions extends Partial<Omit<GateOptions, 'standing' | 'breaker'>> {
  /** Calls in ten seconds. */
  readonly calls?: number;
  /** Credentials that have had a success. */
  readonly proven?: readonly string[];
  /** Credentials that have had a success at a replica. */
  readonly provenElsewhere?: readonly string[];
  readonly breaker?: Breaker;
}

/** The gate of one upstream, and the calls that have come to it. */
export const startGate = (options: WorldOptions = {}) => {
  const { calls = 10, proven = [], provenElsewhere = [] } = options;
  const asked: string[] = [];
  const accepted = new Set(proven);
  const listeners: ((holder: string) => void)[] = [];
  const breaker =
    options.breaker ??
    createBreaker({
      failures: 1,
      halfOpenMs: 3000,
      onChange: (state) => {
        if (state === 'open') gate.dismiss();
      },
    });
  const gate = createGate({
    ...{ rate: { calls, windowMs: 10_000 }, waitMs: 25_000, connections: 64 },
    ...options,
    breaker,
    standing: {
      isProven: (holder) => accepted.has(holder),
      ask: async ({ value }) => {
        asked.push(value);
        if (provenElsewhere.includes(value)) accepted.add(value);
      },
      onChange: (listener) => void listeners.push(listener),
    },
  });
  /** By path. */
  const all = new Map<string, Told>();
  const order: string[] = [];
  const way = compose([gate.step], (call) => {
    const told = all.get(call.path);
    if (!told) throw new Error('a call that nobody has made');
    told.sent = call;
    told.sentAt = performance.now();
    order.push(told.name);
    return new Promise((resolve, reject) => {
      told.answer = (answer = answerOf()) => resolve(answer);
      told.fail = (facts = {}) => reject(failure({ inFlightMs: 5, ...facts }));
    });
  });
  /** Makes a call of the credential `one`, of an operation of its own, if nothing else is said. */
  const go = (name: string, changes: Partial<Call> = {}): Told => {
    const caller = createTestCaller();
    const path = `/${all.size}`;
    const notYet = (): void => {
      throw new Error(`${name} is not under way`);
    };
    const told: Told = {
      ...{ name, sent: undefined, sentAt: undefined, outcome: undefined },
      ...{ leave: caller.leave, answer: notYet, fail: notYet },
    };
    all.set(path, told);
    const make = changes.priority === 'write' ? writeOf : readOf;
    way(make(caller, { credential: 'one', ...changes, path })).then(
      ({ status }) => {
        told.outcome = status;
      },
      (error: unknown) => {
        if (!(error instanceof UpstreamError)) throw error;
        told.outcome = error.failure;
      },
    );
    return told;
  };
  return {
    gate,
    breaker,
    /** Credentials of which replicas were asked. */
    asked,
    /** The names of the calls in the order in which they were sent. */
    order,
    go,
    /** Several calls of one operation. */
    goMany: (name: string, times: number, changes: Partial<Call> = {}): readonly Told[] => {
      const caller = createTestCaller();
      return Array.from({ length: times }, (_, index) =>
        go(`${name}${index + 1}`, { caller, ...changes }),
      );
    },
    /** The upstream accepts the credential, or no longer. */
    prove: (holder: string, isProven = true): void => {
      if (isProven) accepted.add(holder);
      else accepted.delete(holder);
      for (const listener of listeners) listener(holder);
    },
    /** Uses so many slots of a credential: they are free a window from now. */
    use: async (times: number, credential = 'one'): Promise<void> => {
      const used = Array.from({ length: times }, () => go('used', { credential }));
      await pass();
      for (const { answer } of used) answer();
      await pass();
      order.length = 0;
    },
    /** Answers all calls under way. */
    answerAll: async (): Promise<void> => {
      for (const { sent, outcome, answer } of all.values()) if (sent && !outcome) answer();
      await pass();
    },
  };
};

export const reasonOf = ({ outcome }: Told): string =>
  typeof outcome === 'object' ? outcome.reason : String(outcome);

/** Seconds in which a call that was refused could be sent. */
export const secondsOf = ({ outcome }: Told): number | undefined =>
  typeof outcome === 'object' ? outcome.retryAfterSeconds : undefined;

/** The names of those that are under way, or were. */
export const sentOf = (calls: readonly Told[]): readonly string[] =>
  calls.filter(({ sent }) => sent).map(({ name }) => name);
