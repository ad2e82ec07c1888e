import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { compose } from '../../src/upstream/call.ts';
import { UpstreamError } from '../../src/upstream/error.ts';
import { createShare } from '../../src/upstream/reads/share.ts';
import { budget } from '../../src/upstream/sending/budget-step.ts';
import { createRetry } from '../../src/upstream/sending/retry.ts';
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

const start = (maxRetries = 0) => {
  const { sent, send } = createHeldSend();
  const way = compose(
    [createShare().step, createRetry({ maxRetries, isPaced: false }), budget],
    send,
  );
  return {
    sent,
    read: (caller: TestCaller = createTestCaller(), changes = {}) => way(readOf(caller, changes)),
    write: (credential = 'Bearer one') => way(writeOf(createTestCaller(), { credential })),
  };
};

/** What a call came to: its answer, or why there is none. */
const told = (outcome: Promise<{ readonly body: Buffer }>): Promise<string> =>
  outcome.then(
    ({ body }) => `${body}`,
    (error: unknown) => (error instanceof UpstreamError ? error.failure.reason : String(error)),
  );

const cutOff = () =>
  new UpstreamError({
    upstream: 'observability',
    operation: 'listAlerts',
    reason: 'cut-off',
    write: false,
    inFlightMs: 5,
  });

describe('equal reads under way', () => {
  it('are one call of the very same credential and path', async () => {
    const { sent, read } = start();
    const answers = [read(), read()];
    void read(createTestCaller(), { credential: 'Bearer two' });
    void read(createTestCaller(), { path: '/other' });
    await settled();
    expect(sent).toHaveLength(3);
    sent[0]?.answer(answerOf('shared'));
    expect(await Promise.all(answers.map(told))).toEqual(['shared', 'shared']);
    void read();
    await settled();
    expect(sent).toHaveLength(4);
  });

  it('are not joined by a fresh one, nor is that one', async () => {
    const { sent, read } = start();
    void read(createTestCaller(), { fresh: true });
    void read();
    void read(createTestCaller(), { fresh: true });
    await settled();
    expect(sent).toHaveLength(3);
  });

  it.each(['AbortError', 'TimeoutError'] as const)(
    'go on when one request has left with %s, and each leaves by itself',
    async (reason) => {
      const { sent, read } = start();
      const starter = createTestCaller();
      const left = read(starter);
      const joined = read();
      await settled();
      starter.leave(reason);
      expect(await told(left)).toBe(reason === 'AbortError' ? 'aborted' : 'timeout');
      expect(sent[0]?.call.signal.aborted).toBe(false);
      sent[0]?.answer(answerOf('shared'));
      expect(await told(joined)).toBe('shared');
      expect(sent).toHaveLength(1);
    },
  );

  it('are given up with the last who leaves, and not joined any more', async () => {
    const { sent, read } = start();
    const callers = [createTestCaller(), createTestCaller()];
    const outcomes = callers.map((caller) => read(caller));
    await settled();
    callers[0]?.leave('AbortError');
    expect(sent[0]?.call.signal.aborted).toBe(false);
    callers[1]?.leave('TimeoutError');
    expect(sent[0]?.call.signal.reason).toMatchObject({ name: 'TimeoutError' });
    expect(await Promise.all(outcomes.map(told))).toEqual(['aborted', 'timeout']);
    void read();
    await settled();
    expect(sent).toHaveLength(2);
  });
});

describe('a read that waits to be sent again', () => {
  /** One that has failed, before somebody comes who wants nothing that was sent before. */
  const startFailed = async () => {
    const { sent, read, write } = start(1);
    const first = read();
    await settled();
    sent[0]?.fail(cutOff());
    await settled();
    return { sent, read, write, first };
  };

  it('is joined by who wants nothing that was sent before', async () => {
    const { sent, read, first } = await startFailed();
    const joined = read({ ...createTestCaller(), readAfter: performance.now() });
    await expect.poll(() => sent.length).toBe(2);
    sent[1]?.answer(answerOf('shared'));
    expect(await Promise.all([first, joined].map(told))).toEqual(['shared', 'shared']);
    expect(sent).toHaveLength(2);
  });

  it('is joined after a write', async () => {
    const { sent, read, write, first } = await startFailed();
    const writing = write();
    await settled();
    sent[1]?.answer();
    await writing;
    const joined = read();
    await expect.poll(() => sent.length).toBe(3);
    sent[2]?.answer(answerOf('shared'));
    expect(await Promise.all([first, joined].map(told))).toEqual(['shared', 'shared']);
    expect(sent).toHaveLength(3);
  });

  it('is not joined by them once it has been sent again', async () => {
    const { sent, read } = await startFailed();
    await expect.poll(() => sent.length).toBe(2);
    void read({ ...createTestCaller(), readAfter: performance.now() });
    await settled();
    expect(sent).toHaveLength(3);
  });
});

describe('a write', () => {
  it('ends the sharing of its own credential, and of no other', async () => {
    const { sent, read, write } = start();
    const other = { credential: 'Bearer two' };
    void read();
    void read(createTestCaller(), other);
    await settled();
    const writing = write();
    void read();
    void read(createTestCaller(), other);
    await settled();
    expect(sent.map(({ call }) => call.credential.slice(7))).toEqual(['one', 'two', 'one', 'one']);
    sent[2]?.answer();
    await writing;
    void read();
    await settled();
    expect(sent).toHaveLength(5);
  });

  it('leaves those after it to be joined when those before it have ended', async () => {
    const { sent, read, write } = start();
    const before = read();
    const writing = write();
    await settled();
    sent[1]?.answer();
    await writing;
    const after = read();
    await settled();
    sent[0]?.answer(answerOf('before'));
    expect(await told(before)).toBe('before');
    const joined = read();
    await settled();
    expect(sent).toHaveLength(3);
    sent[2]?.answer(answerOf('after'));
    expect([await told(after), await told(joined)]).toEqual(['after', 'after']);
  });
});

describe('nobody is worse off for sharing:', () => {
  it('a joiner with a call left has the read sent again though its starter has none', async () => {
    const { sent, read } = start(1);
    const starter = createTestCaller({ budget: createTestBudget(1) });
    const joiner = createTestCaller();
    const outcomes = [read(starter), read(joiner)];
    await settled();
    sent[0]?.fail(cutOff());
    await expect.poll(() => sent.length).toBe(2);
    sent[1]?.answer(answerOf('shared'));
    expect(await Promise.all(outcomes.map(told))).toEqual(['shared', 'shared']);
    expect([starter.budget.taken, joiner.budget.taken]).toEqual([1, 1]);
  });

  it('who comes as a read fails for want of budget has one of its own', async () => {
    const { sent, read } = start();
    const refused = told(read(createTestCaller({ budget: createTestBudget(0) })));
    const own = told(read());
    expect(await refused).toBe('over-budget');
    sent[0]?.answer(answerOf('own'));
    expect(await own).toBe('own');
  });

  it('however requests join, leave and end other calls', async () => {
    const command = fc.oneof(
      {
        weight: 3,
        arbitrary: fc.record({ join: fc.nat(3), calls: fc.nat(2) }),
      },
      { weight: 2, arbitrary: fc.record({ leave: fc.nat() }) },
      { weight: 1, arbitrary: fc.record({ answer: fc.nat() }) },
    );
    await fc.assert(
      fc.asyncProperty(fc.array(command, { maxLength: 40 }), async (commands) => {
        const { sent, read } = start();
        interface Request {
          readonly caller: TestCaller;
          readonly path: string;
          readonly calls: number;
          outcome: string | undefined;
        }
        const requests: Request[] = [];
        const waiting = () => requests.filter(({ outcome }) => outcome === undefined);
        const ended = new Set<unknown>();
        for (const each of commands) {
          if ('join' in each) {
            const own = createTestBudget(each.calls);
            const request: Request = {
              caller: createTestCaller({ budget: own }),
              path: `/${each.join}`,
              calls: each.calls,
              outcome: undefined,
            };
            requests.push(request);
            void told(read(request.caller, { path: request.path })).then((outcome) => {
              request.outcome = outcome;
            });
          } else if ('leave' in each) {
            const all = waiting();
            all[each.leave % all.length]?.caller.leave();
          } else {
            const all = sent.filter((call) => !ended.has(call) && !call.call.signal.aborted);
            const call = all[each.answer % all.length];
            call?.answer(answerOf('shared'));
            ended.add(call);
          }
          await settled();

          const underWay = sent.filter((call) => !ended.has(call) && !call.call.signal.aborted);
          const paths = underWay.map(({ call }) => call.path);
          // Equal reads under way are one call.
          expect(new Set(paths).size).toBe(paths.length);
          for (const { path, calls } of waiting()) {
            // Nobody waits for a read that it would have sent at once by itself.
            if (calls > 0) expect(paths).toContain(path);
          }
          // Nobody fails who has not left, but for its own want of calls.
          for (const { outcome, caller, calls } of requests) {
            if (outcome === 'over-budget') expect(calls).toBe(0);
            else if (outcome === 'aborted') expect(caller.signal.aborted).toBe(true);
            else expect([undefined, 'shared']).toContain(outcome);
          }
        }
        for (const call of sent) {
          if (call.call.signal.aborted) call.fail(cutOff());
          else call.answer();
        }
        for (const { caller } of requests) caller.leave();
        await settled();
        // No call is counted that is not under way.
        for (const { caller, calls } of requests) {
          expect(caller.budget.taken).toBeLessThanOrEqual(calls);
        }
      }),
      { numRuns: 300 },
    );
  });
});
