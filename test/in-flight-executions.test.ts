import type { ExecutionResult } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Context } from '../src/context.ts';
import { createInFlightExecutions } from '../src/in-flight-executions.ts';
import {
  absent,
  CountedSource,
  callerOf,
  given,
  plain,
  start,
  taking,
} from './waiting-executions.ts';

const dataOf = async ({ result }: { readonly result: unknown }) =>
  ((await result) as ExecutionResult).data;

describe('an equal query', () => {
  it('takes part in the execution under way, and in its result', async () => {
    const { log, want } = start();
    const [first, second] = [want(), want()];
    first.end();
    expect(await second.result).toBe(await first.result);
    expect(log.executed).toEqual([1]);
  });

  it('fails with it', async () => {
    const { want } = start();
    const [first, second] = [want(), want()];
    first.fail();
    for (const { result } of [first, second]) await expect(result).rejects.toThrow('no result');
  });

  it('is executed once what it would take part in has ended', async () => {
    const { log, want } = start();
    const first = want();
    first.end();
    await first.result;
    want();
    expect(log.executed).toEqual([1, 2]);
  });

  it('is executed where anything has arrived for the one under way', () => {
    const { log, want } = start();
    want().arrivals.any = true;
    want();
    // That one is new enough for a third.
    want();
    expect(log.executed).toEqual([1, 2]);
  });

  it('is executed where a write has begun or ended since', () => {
    const { log, want } = start();
    want();
    log.writes += 1;
    want();
    want();
    expect(log.executed).toEqual([1, 2]);
  });

  it('finds the one under way among as many others of the credential as are looked through', () => {
    const { log, want } = start();
    const ask = (a: number) => want({ operation: taking, variables: { a: String(a) } });
    for (let a = 0; a < 64; a += 1) ask(a);
    ask(0);
    expect(log.executed).toHaveLength(64);
    ask(64);
    ask(0);
    expect(log.executed).toHaveLength(66);
  });
});

describe.each(['gone', 'late'] as const)('whoever waits no longer (%s)', (reason) => {
  it('leaves the execution to the others, be it the one that began it', async () => {
    const { log, want } = start();
    const [first, second, third] = [want(), want(), want()];
    first.cancellation.cancel(reason);
    expect(await dataOf(first)).toEqual({ alone: 1 });
    second.cancellation.cancel(reason);
    expect(await dataOf(second)).toEqual({ alone: 2 });
    expect(log.givenUp).toEqual([
      `1 alone, ${reason}`,
      `1 ${reason}`,
      `2 alone, ${reason}`,
      `2 ${reason}`,
    ]);
    first.end();
    expect(await dataOf(third)).toEqual({ number: 1 });
    expect(log.executed).toEqual([1, 1, 2]);
  });

  it('has it given up with the last, who is told how it ends', async () => {
    const { log, want } = start();
    const [first, second] = [want(), want()];
    first.cancellation.cancel('gone');
    log.givenUp.length = 0;
    second.cancellation.cancel(reason);
    expect(log.givenUp).toEqual([`1 ${reason}`]);
    first.end();
    expect(await dataOf(second)).toEqual({ number: 1 });
    expect(log.executed).toEqual([1, 1]);
  });

  it('is joined by nobody', () => {
    const { log, want } = start();
    want().cancellation.cancel(reason);
    want();
    expect(log.executed).toEqual([1, 2]);
  });

  it('is not executed once more after its result', async () => {
    const { log, want } = start();
    const both = [want(), want()];
    both[0]?.end();
    for (const { result, cancellation } of both) {
      await result;
      cancellation.cancel(reason);
    }
    expect(log.executed).toEqual([1]);
  });
});

it('whoever waits is told nothing of the others who leave, so that many cost no more each', async () => {
  const { log, want } = start();
  CountedSource.listened = 0;
  const all = Array.from({ length: 500 }, () => want());
  for (const { cancellation } of all.slice(0, -1)) cancellation.cancel('late');
  all[0]?.end();
  expect(await Promise.all(all.map(dataOf))).toHaveLength(500);
  expect(log.executed).toHaveLength(500);
  // Once to wait, and once more to be executed alone.
  expect(CountedSource.listened).toBeLessThan(1000);
});

it('what nothing is awaited of is given at once, and joined by nobody', () => {
  const context = {} as Context;
  const options = { writes: () => 0, createContext: () => context };
  const inFlight = createInFlightExecutions(options);
  const caller = callerOf({ management: given('Basic one'), observability: absent }, 'one');
  for (const result of [{ data: {} }, { data: {} }]) {
    const execute = () => result;
    expect(inFlight.join({ caller, operation: plain, variables: null, execute })).toBe(result);
  }
});
