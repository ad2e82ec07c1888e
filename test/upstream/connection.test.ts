import { describe, expect, it } from 'vitest';
import { type Answer, type Call, compose } from '../../src/upstream/call.ts';
import { type Failure, UpstreamError } from '../../src/upstream/error.ts';
import { createConnection } from '../../src/upstream/gate/connection.ts';
import { createTurns } from '../../src/upstream/gate/turns.ts';
import { type BreakerState, createBreaker } from '../../src/upstream/sending/breaker.ts';
import { createBreakerStep } from '../../src/upstream/sending/breaker-step.ts';
import { budget, parallel } from '../../src/upstream/sending/budget-step.ts';
import { createFailures } from '../../src/upstream/sending/failures.ts';
import {
  answerOf,
  createHeldSend,
  createTestBudget,
  createTestCaller,
  readOf,
  settled,
  type TestCaller,
  writeOf,
} from '../support/upstream/calls.ts';

interface Options {
  readonly places?: number;
  readonly maxWaiting?: number;
  readonly failures?: number;
  readonly onBreaker?: (state: BreakerState) => void;
  readonly onFailure?: () => void;
}

/** The way of a call from its budget on, to one upstream with a single connection where nothing else is said. */
const start = (options: Options = {}) => {
  const told: string[] = [];
  let time = 0;
  const { sent, send } = createHeldSend();
  const turns = createTurns({ places: options.places ?? 1, maxWaiting: options.maxWaiting ?? 100 });
  const breaker = createBreaker({
    failures: options.failures ?? 1,
    halfOpenMs: 1000,
    now: () => time,
    onChange: (state) => {
      options.onBreaker?.(state);
      if (state === 'open') turns.dismiss();
    },
  });
  const onFailure = ({ reason }: Failure): void => {
    told.push(reason);
    options.onFailure?.();
  };
  const way = compose(
    [
      budget,
      createFailures({ addresses: [], onFailure }),
      parallel,
      createConnection({ turns, breaker }),
      createBreakerStep(breaker),
    ],
    send,
  );
  const go = (call: Call) => {
    const outcome = way(call);
    const reason = outcome.then(
      ({ body }: Answer) => `${body}`,
      (error: unknown) => (error instanceof UpstreamError ? error.failure.reason : String(error)),
    );
    return { outcome, reason };
  };
  return {
    sent,
    told,
    breaker,
    wait: (milliseconds: number) => {
      time += milliseconds;
    },
    read: (caller: TestCaller = createTestCaller(), changes: Partial<Call> = {}) =>
      go(readOf(caller, changes)),
    write: (caller: TestCaller = createTestCaller(), changes: Partial<Call> = {}) =>
      go(writeOf(caller, changes)),
    /** Whether the only connection is free. */
    isFree: async (): Promise<boolean> => {
      await settled();
      const place = turns.take('nobody');
      place?.();
      return place !== undefined;
    },
  };
};

const failed = (facts: Partial<Failure>) =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'listAlerts',
    reason: 'unreachable',
    write: false,
    ...facts,
  });

const cannotConnect = () => failed({ cause: 'ECONNREFUSED' });

/** Whether a caller’s budget has all its calls, and no call under way. */
const isWhole = ({ budget: own }: TestCaller): boolean => own.taken === 0;

describe('a call gives its connection back', () => {
  it.each<readonly [title: string, end: (call: ReturnType<typeof start>['sent'][number]) => void]>([
    ['it is answered', ({ answer }) => answer()],
    ['it is answered with a failure', ({ answer }) => answer(answerOf('{}', 502))],
    ['it cannot connect', ({ fail }) => fail(cannotConnect())],
    ['it fails in another way', ({ fail }) => fail(new Error('unexpected'))],
  ])('when %s', async (_, end) => {
    const { sent, read, isFree } = start({ failures: 9 });
    const { reason } = read();
    expect(await isFree()).toBe(false);
    for (const call of sent) end(call);
    await reason;
    expect(await isFree()).toBe(true);
  });

  it('when what keeps it longer is done', async () => {
    const { sent, write, isFree } = start();
    const done = Promise.withResolvers<void>();
    const { reason } = write();
    await settled();
    sent[0]?.call.keepConnection?.(done.promise);
    sent[0]?.fail(failed({ reason: 'aborted', write: true, inFlightMs: 5 }));
    expect(await reason).toBe('aborted');
    expect(await isFree()).toBe(false);
    done.resolve();
    expect(await isFree()).toBe(true);
  });

  it('when the breaker refuses it', async () => {
    const { sent, read, isFree } = start();
    void read();
    await settled();
    sent[0]?.fail(cannotConnect());
    await settled();
    expect(await read().reason).toBe('circuit-open');
    expect(await isFree()).toBe(true);
  });

  it.each(['onFailure', 'onBreaker'] as const)('though %s throws', async (throwing) => {
    const { sent, read, isFree } = start({
      [throwing]: () => {
        throw new Error('unexpected');
      },
    });
    const caller = createTestCaller({ budget: createTestBudget(9, 1) });
    const { reason } = read(caller);
    await settled();
    sent[0]?.fail(cannotConnect());
    expect(await reason).toBe('Error: unexpected');
    expect(await isFree()).toBe(true);
    expect(caller.budget.tryBegin()).toBe(true);
  });
});

describe('a call that waits for a connection', () => {
  it.each(['read', 'write'] as const)(
    'is not sent once its caller has left, counts for nobody, and is no fault of the upstream: a %s',
    async (kind) => {
      const started = start();
      void started.read();
      await settled();
      for (const reason of ['AbortError', 'TimeoutError'] as const) {
        const caller = createTestCaller();
        const waiting = started[kind](caller);
        await settled();
        caller.leave(reason);
        expect(await waiting.reason).toBe(reason === 'AbortError' ? 'aborted' : 'timeout');
        expect(isWhole(caller)).toBe(true);
      }
      started.sent[0]?.answer();
      expect(await started.isFree()).toBe(true);
      expect(started.sent).toHaveLength(1);
      expect(started.told).toEqual([]);
    },
  );

  it('is not sent once its caller has left for want of calls at a time', async () => {
    const { sent, read, told } = start({ places: 8 });
    const own = createTestBudget(9, 1);
    void read(createTestCaller({ budget: own }));
    const caller = createTestCaller({ budget: own });
    const waiting = read(caller);
    await settled();
    caller.leave('TimeoutError');
    expect(await waiting.reason).toBe('timeout');
    expect(own.taken).toBe(1);
    sent[0]?.answer();
    await settled();
    expect(own.tryBegin()).toBe(true);
    expect(told).toEqual([]);
  });

  it('is refused when too many wait, and that is told', async () => {
    const { read, told } = start({ maxWaiting: 1 });
    void read();
    void read();
    const caller = createTestCaller();
    expect(await read(caller).reason).toBe('queue-full');
    expect(isWhole(caller)).toBe(true);
    expect(told).toEqual(['queue-full']);
  });

  it('is refused as the breaker opens, before it could be sent, and counts for nobody', async () => {
    const { sent, read, breaker } = start();
    const first = read();
    const callers = [createTestCaller(), createTestCaller()];
    const others = callers.map((caller, index) => read(caller, { credential: `Bearer ${index}` }));
    await settled();
    sent[0]?.fail(cannotConnect());
    expect(await first.reason).toBe('unreachable');
    expect(await Promise.all(others.map(({ reason }) => reason))).toEqual([
      'circuit-open',
      'circuit-open',
    ]);
    expect(callers.map(isWhole)).toEqual([true, true]);
    expect(breaker.state).toBe('open');
    expect(sent).toHaveLength(1);
  });

  it('is refused while the one that has it tries', async () => {
    const { sent, read, wait, breaker } = start();
    void read();
    await settled();
    sent[0]?.fail(cannotConnect());
    await settled();
    wait(1000);
    const trying = read();
    expect(await read().reason).toBe('circuit-open');
    sent[1]?.answer(answerOf('well'));
    expect(await trying.reason).toBe('well');
    expect(breaker.state).toBe('closed');
  });
});

it('a try whose caller leaves lets the next call try', async () => {
  const { sent, read, wait, breaker, isFree } = start();
  void read();
  await settled();
  sent[0]?.fail(cannotConnect());
  await settled();
  wait(1000);
  const trying = read();
  await settled();
  expect(breaker.state).toBe('half-open');
  sent[1]?.fail(failed({ reason: 'aborted', inFlightMs: 5 }));
  expect(await trying.reason).toBe('aborted');
  expect(breaker.state).toBe('open');
  expect(await isFree()).toBe(true);
  const next = read();
  await settled();
  sent[2]?.answer(answerOf('well'));
  expect(await next.reason).toBe('well');
});
