import type { Call } from '../../../src/upstream/call.ts';
import { type Clock, startClock } from './clock.ts';
import { type Asking, type Request, startSimulated } from './simulated.ts';
import { type Received, receiveWith } from './simulated-transport.ts';

/** How long every call takes, in milliseconds. */
export const latency = 50;

const methodAndPath = ({ row, path }: Call): string => `${row.operation.method} ${path}`;

/** A success, with a record that names the credential and the number of the call. */
export const answerWith = (received: Received, number: number): void => {
  const { credential, row, path } = received.call;
  const id = path.slice(path.lastIndexOf('/') + 1);
  const record = { id, name: `${credential} ${number}` };
  const result = row.operation.shape === 'list' ? [record] : record;
  received.answer({ status: 200, requestId: 'of-the-upstream', result, data: result });
};

type Answering = (received: Received, number: number) => void;

/** The gateway below GraphQL on a clock that moves when told, before upstreams that answer each call after a moment. */
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

  /** What a promise has come to after so many milliseconds. */
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
    /** Names how the next calls are answered. */
    answerNext: (...answerings: readonly Answering[]): void => {
      next = [...answerings];
    },
    /** Names how all calls are answered for which nothing else is said. */
    answerAll: (answering: Answering): void => {
      usual = answering;
    },
    /** `METHOD /path` of the calls that were sent since the last time that this was asked. */
    calls: (): string[] => calls.splice(0),
    /** One request that does one thing. */
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
