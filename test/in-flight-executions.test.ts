import fc from 'fast-check';
import { type ExecutionResult, parse } from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Context } from '../src/context.ts';
import { createInFlightExecutions, type WantedExecution } from '../src/in-flight-executions.ts';
import { SmallMap } from '../src/small.ts';
import type { Credential } from '../src/upstream/call.ts';
import { createCallBudget } from '../src/upstream/call-budget.ts';
import { noCallLog } from '../src/upstream/call-log.ts';
import { type CancelListener, CancellationSource } from '../src/upstream/cancellation.ts';

const operationOf = (text: string): WantedExecution['operation'] => {
  const [node] = parse(text).definitions;
  if (node?.kind !== 'OperationDefinition') throw new Error('no operation');
  return node;
};

const plain = operationOf('{ alerts { name } }');
const taking = operationOf(
  'query ($a: ID, $b: AlertFilter, $__proto__: ID) { alert(id: $a) { name } }',
);

const given = (value: string): Credential => ({ kind: 'given', value });
const absent: Credential = { kind: 'absent' };
const refused: Credential = { kind: 'refused', detail: 'not of the scheme' };

interface Wish {
  readonly operation?: WantedExecution['operation'];
  readonly variables?: WantedExecution['variables'];
  readonly management?: Credential;
  readonly observability?: Credential;
}

/** Counts how often somebody begins to listen to any of them. */
class CountedSource extends CancellationSource {
  static listened = 0;

  override listen(listener: CancelListener): void {
    CountedSource.listened += 1;
    super.listen(listener);
  }
}

/** Executions that end when they are told to, each with the number of its request. */
const start = () => {
  const log = { writes: 0, executed: [] as number[], givenUp: [] as string[] };
  const inFlight = createInFlightExecutions({
    writes: () => log.writes,
    // What its reads would be told, in place of a real one.
    createContext: (caller, arrived) => {
      const { requestId, cancellation } = caller;
      if (cancellation.reason) log.givenUp.push(`${requestId} alone, ${cancellation.reason}`);
      const cancelled = (reason: string) => log.givenUp.push(`${requestId} ${reason}`);
      cancellation.listen({ cancelled });
      return { upstream: caller, arrived } as unknown as Context;
    },
  });
  let requests = 0;
  const want = ({
    operation = plain,
    variables = null,
    management = given('Basic one'),
    observability = given('Bearer one'),
  }: Wish = {}) => {
    requests += 1;
    const number = requests;
    const cancellation = new CountedSource();
    const arrivals = { any: false };
    let settle = (_: ExecutionResult | Promise<never>): void => undefined;
    const caller = {
      credentials: { management, observability },
      requestId: String(number),
      traceHeaders: [],
      calls: noCallLog,
      secrets: new SmallMap<string, true>(),
      arrivals,
      budget: createCallBudget(10, 10),
      cancellation,
    };
    const execute = (context: Context) => {
      log.executed.push(number);
      // By itself it has an end at once: what has not arrived has failed.
      if ('arrived' in context && context.arrived) return { data: { alone: number } };
      return new Promise<ExecutionResult>((resolve) => {
        settle = resolve;
      });
    };
    const result = inFlight.join({ caller, operation, variables, execute });
    const fail = () => settle(Promise.reject(new Error('no result')));
    return { cancellation, arrivals, result, end: () => settle({ data: { number } }), fail };
  };
  return { log, want };
};

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

describe('queries that share nothing:', () => {
  const basic = { management: given('Basic two') };
  it.each<[string, Wish, Wish]>([
    ['another credential of one upstream', basic, {}],
    ['another credential of the other', { observability: given('Bearer two') }, {}],
    ['no credential of one upstream', { observability: absent }, {}],
    ['a refused one and none', { management: refused }, { management: absent }],
    ['refused ones', { observability: refused }, { observability: refused }],
    ['the same value for another upstream', { management: absent }, { observability: absent }],
    ['another operation', { operation: taking }, {}],
    [
      'the same text made anew',
      { operation: operationOf('{ a }') },
      { operation: operationOf('{ a }') },
    ],
    [
      'null and nothing',
      { operation: taking, variables: { a: null } },
      { operation: taking, variables: {} },
    ],
    [
      'a text and a number',
      { operation: taking, variables: { a: '1' } },
      { operation: taking, variables: { a: 1 } },
    ],
    [
      'a variable of an odd name',
      { operation: taking, variables: JSON.parse('{"__proto__":"1"}') },
      { operation: taking, variables: JSON.parse('{"__proto__":"2"}') },
    ],
  ])('%s', (_, one, other) => {
    const { log, want } = start();
    want(one);
    want(other);
    expect(log.executed).toEqual([1, 2]);
  });
});

it('what nothing is awaited of is given at once, and joined by nobody', () => {
  const context = {} as Context;
  const options = { writes: () => 0, createContext: () => context };
  const inFlight = createInFlightExecutions(options);
  const caller = {
    credentials: { management: given('Basic one'), observability: absent },
    requestId: 'one',
    traceHeaders: [],
    calls: noCallLog,
    secrets: new SmallMap<string, true>(),
    arrivals: { any: false },
    budget: createCallBudget(10, 10),
    cancellation: new CancellationSource(),
  };
  for (const result of [{ data: {} }, { data: {} }]) {
    const execute = () => result;
    expect(inFlight.join({ caller, operation: plain, variables: null, execute })).toBe(result);
  }
});

// Few values each, so that many are equal.
const wishes = fc.record({
  operation: fc.constantFrom(plain, taking),
  management: fc.constantFrom(given('Basic one'), given('Basic two'), absent),
  observability: fc.constantFrom(given('Bearer one'), absent),
  variables: fc.option(
    fc.record(
      {
        a: fc.constantFrom('1', 1, null),
        b: fc.constantFrom({ state: 'OK', name: 'x' }, { name: 'x', state: 'OK' }, { name: 'x' }),
        unused: fc.nat(),
      },
      { requiredKeys: [] },
    ),
  ),
});
type Asked = typeof wishes extends fc.Arbitrary<infer Each> ? Each : never;

/** What tells two apart, written down as text: members in one order, and those alone that the operation takes. */
const identityOf = ({ operation, management, observability, variables }: Asked): string => {
  const { a, b } = (operation === taking && variables) || {};
  const filter = b && ['name' in b && b.name, 'state' in b && b.state];
  const taken = [a === undefined ? [] : [a], b === undefined ? [] : [filter]];
  return JSON.stringify([operation === taking, management, observability, taken]);
};

it('queries share an execution if all is equal that makes a difference, and otherwise never', () => {
  fc.assert(
    fc.property(fc.array(wishes, { maxLength: 40 }), (asked) => {
      const { log, want } = start();
      const first = new Map<string, number>();
      for (const [index, each] of asked.entries()) {
        const number = index + 1;
        want(each);
        const anonymous = each.management.kind === 'absent' && each.observability.kind === 'absent';
        const identity = anonymous ? `${number}` : identityOf(each);
        if (!first.has(identity)) first.set(identity, number);
      }
      expect(log.executed).toEqual([...first.values()]);
    }),
    { numRuns: 500 },
  );
});
