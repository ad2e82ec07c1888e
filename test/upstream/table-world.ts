import { type Answer, failed } from '../../src/upstream/call.ts';
import { type Failure, UpstreamError } from '../../src/upstream/error.ts';
import { compilePath } from '../../src/upstream/path.ts';
import { isBackground } from '../../src/upstream/priority.ts';
import { createEntries } from '../../src/upstream/reads/entries.ts';
import type { ReadCall } from '../../src/upstream/reads/read-call.ts';
import { createTable } from '../../src/upstream/reads/table.ts';
import { givenUp } from '../../src/upstream/sending/abort.ts';
import { answerOf, createTestCaller, readOf, writeOf } from '../support/upstream/calls.ts';
import { startClock } from '../support/upstream/clock.ts';

/** A call that the table has passed on. Its answer or failure has its number. */
export interface PassedCall {
  readonly number: number;
  readonly call: ReadCall;
  readonly startedAt: number;
  /** When it was last sent; undefined while it waits to be sent. */
  sentAt: number | undefined;
  firstSentAt: number | undefined;
  /** From when the time counts after which it is cut off; undefined until it is sent, and while it waits in the background. */
  lastsSince: number | undefined;
  endedAt: number | undefined;
  /** Whether the table has aborted it. */
  readonly isCutOff: boolean;
  send(): void;
  /** Marks it as failed and waiting for a retry. */
  sendAgain(): void;
  answer(isUsable?: boolean): void;
  fail(failure: Partial<Failure>): void;
}

/** What a request gets: the number of the call that answered or failed, if any, and when. */
export interface Outcome {
  readonly number: number | undefined;
  readonly failure: Failure | undefined;
  readonly at: number;
}

/** One request with one read. */
export interface Asked {
  readonly holder: string;
  readonly path: string;
  readonly askedAt: number;
  readonly readAfter: number;
  leave(): void;
  /** Undefined while it waits. */
  outcome: Outcome | undefined;
}

interface ReadOptions {
  readonly holder: string;
  readonly path: string;
  readonly isAnew?: boolean;
  /** Whether its result will be changed and written back. */
  readonly isFresh?: boolean;
}

interface WriteOptions {
  readonly holder: string;
  readonly changes: readonly string[];
  /** Whether its success changes the reads of every holder. */
  readonly isForAll?: boolean;
}

/** The greatest age of data in answers, in milliseconds. */
const staleMs = 60_000;

const numberIn = (text: string): number => Number(/\d+/.exec(text)?.[0]);

/** The table of reads on a simulated clock, with the test in place of all later steps. */
export const startTable = () => {
  const clock = startClock();
  const onDrop = (): void => undefined;
  const entries = createEntries({
    ...{ maxBytes: 1_000_000, maxPinnedBytes: 0, maxAgeMs: staleMs, onDrop },
  });
  const calls: PassedCall[] = [];
  const asked: Asked[] = [];
  /** The time of each holder's first answer. */
  const proven = new Map<string, number>();
  const closing = new AbortController();
  let isSentAtOnce = true;

  const table = createTable({
    interfaces: ['management', 'observability'],
    ...{ entries, joins: true, shared: undefined, closing: closing.signal },
    onFound: () => undefined,
    isProven: (holder) => proven.has(holder),
    provenSince: (holder) => proven.get(holder) ?? Infinity,
    ...{ rate: undefined, maxStaleMs: staleMs },
    isUsable: (_, { body }) => !body.includes('unusable'),
    polls: { leastMs: 3000, poll: () => Promise.reject(), resultOf: () => undefined },
  });

  const next = (call: ReadCall): Promise<Answer> =>
    new Promise((resolve, reject) => {
      const number = calls.length + 1;
      const end = (how: () => void): void => {
        passed.endedAt ??= performance.now();
        how();
      };
      const passed: PassedCall = {
        ...{ number, call, startedAt: performance.now() },
        ...{ sentAt: undefined, firstSentAt: undefined, lastsSince: undefined, endedAt: undefined },
        get isCutOff() {
          return call.signal.aborted;
        },
        send: () => {
          passed.sentAt = performance.now();
          passed.firstSentAt ??= passed.sentAt;
          passed.lastsSince ??= passed.sentAt;
          call.onSent?.(passed.sentAt);
        },
        sendAgain: () => {
          passed.sentAt = undefined;
          review();
          call.onSent?.(undefined);
        },
        answer: (isUsable = true) =>
          end(() => {
            if (!proven.has(call.holder)) proven.set(call.holder, performance.now());
            const { sentAt = performance.now() } = passed;
            const body = isUsable ? `{"data":${number}}` : `unusable ${number}`;
            resolve({ ...answerOf(body), sentAt });
          }),
        fail: (failure) =>
          end(() => reject(failed(call, { reason: 'status', cause: `${number}`, ...failure }))),
      };
      calls.push(passed);
      // In the background it may wait long to be sent again, and the time begins anew with that sending.
      const review = (): void => {
        const isPatient = call.claims?.list().some(({ priority }) => isBackground(priority));
        if (isPatient && passed.sentAt === undefined) passed.lastsSince = undefined;
      };
      call.claims?.watch(review);
      const cutOff = (): void =>
        end(() => {
          const { failure } = givenUp(call, 0);
          reject(new UpstreamError({ ...failure, cause: `${number}` }));
        });
      call.signal.addEventListener('abort', cutOff, { once: true });
      if (isSentAtOnce || call.row.operation.method !== 'GET') passed.send();
    });

  return {
    ...{ clock, calls, asked, proven, entries, closing },
    underWay: (): readonly PassedCall[] => calls.filter(({ endedAt }) => endedAt === undefined),
    /** Sets whether passed reads are sent at once. */
    sendAtOnce: (isAtOnce: boolean): void => {
      isSentAtOnce = isAtOnce;
    },
    read: ({ holder, path, isAnew = false, isFresh = false }: ReadOptions): Asked => {
      const caller = createTestCaller();
      const readAfter = isAnew ? performance.now() : -Infinity;
      const one: Asked = {
        ...{ holder, path, readAfter, askedAt: performance.now(), outcome: undefined },
        leave: () => caller.leave(),
      };
      asked.push(one);
      const end = (number: number | undefined, failure?: Failure): void => {
        one.outcome = { number, failure, at: performance.now() };
      };
      const call = readOf(
        { ...caller, readAfter },
        { path, credential: holder, mustBeSent: isFresh },
      );
      table.step(call, next).then(
        ({ body }) => end(numberIn(String(body))),
        (error: unknown) => {
          if (!(error instanceof UpstreamError)) throw error;
          const { cause } = error.failure;
          end(cause === undefined ? undefined : numberIn(cause), error.failure);
        },
      );
      return one;
    },
    write: ({ holder, changes, isForAll = false }: WriteOptions): void => {
      const { row, ...write } = writeOf(createTestCaller(), { credential: holder });
      const api = { ...row.api, pathsNameOwner: isForAll };
      const changed = { ...row, api, changes: changes.map(compilePath) };
      table.step({ ...write, row: changed }, next).catch(() => undefined);
    },
  };
};

export type TableWorld = ReturnType<typeof startTable>;
