import type { Call } from '../../../src/upstream/call.ts';
import { type Clock, startClock } from './clock.ts';
import { type Asking, type Request, startSimulated } from './simulated.ts';
import { type Received, receiveWith } from './simulated-transport.ts';

/** The duration of every call, in milliseconds. */
export const latency = 50;

const methodAndPath = ({ row, path }: Call): string => `${row.operation.method} ${path}`;

/** A success, with a record that has the credential and the number of the call. */
export const answerWith = (received: Received, number: number): void => {
  const { credential, row, path } = received.call;
  const id = path.slice(path.lastIndexOf('/') + 1);
  const record = { id, name: `${credential} ${number}` };
  const result = row.operation.shape === 'list' ? [record] : record;
  received.answer({ status: 200, requestId: 'of-the-upstream', result, data: result });
};

type Answering = (received: Received, number: number) => void;

/** The layers below GraphQL on a simulated clock, in front of upstreams that answer each call after a moment. */
export const startWorld = (options: Parameters<typeof startSimulated>[0] = {}) => {
  const clock: Clock = startClock();
  const { ask, upstreams } = startSimulated(options);
  const calls: string[] = [];
  let number = 0;
  let next: Answering[] = [];
  let usual = answerWith;
  receiveWith((received) => {
    calls.push(methodAndPath(received.call));
    const answering = next.shift() ?? usual;
    number += 1;
    const of = number;
    setTimeout(() => answering(received, of), latency);
  });

  /** The outcome of a promise after this number of milliseconds. */
  const until = async <Value>(
    promise: Promise<Value>,
    milliseconds = latency + 1,
  ): Promise<Value> => {
    let isSettled = false;
    const settle = (): void => {
      isSettled = true;
    };
    promise.then(settle, settle);
    await clock.advance(milliseconds);
    if (!isSettled) throw new Error(`Nothing has come of it after ${milliseconds} ms`);
    return promise;
  };

  return {
    clock,
    upstreams,
    ask,
    until,
    /** Sets the answers to the next calls. */
    answerNext: (...answerings: readonly Answering[]): void => {
      next = [...answerings];
    },
    /** Sets the answer to all other calls. */
    answerAll: (answering: Answering): void => {
      usual = answering;
    },
    /** `METHOD /path` of the calls since the last use of this function. */
    calls: (): string[] => calls.splice(0),
    /** One request with one action. */
    once: <Value>(
      asking: Asking,
      does: (request: Request) => Promise<Value>,
      milliseconds?: number,
    ): Promise<Value> => until(does(ask(asking)), milliseconds),
    close: async (): Promise<void> => {
      await upstreams.close(new AbortController().signal);
      clock.restore();
    },
  };
};

export type World = ReturnType<typeof startWorld>;
