import { type ExecutionResult, parse } from 'graphql';
import type { Context } from '../src/context.ts';
import { createInFlightExecutions, type WantedExecution } from '../src/in-flight-executions.ts';
import type { Credential } from '../src/upstream/call.ts';
import { createCallBudget } from '../src/upstream/call-budget.ts';
import { noCallLog } from '../src/upstream/call-log.ts';
import { type CancelListener, CancellationSource } from '../src/upstream/cancellation.ts';
import type { UpstreamCaller } from '../src/upstream/index.ts';
import { createRequestSecrets } from '../src/upstream/secrets.ts';

export const operationOf = (text: string): WantedExecution['operation'] => {
  const [node] = parse(text).definitions;
  if (node?.kind !== 'OperationDefinition') throw new Error('no operation');
  return node;
};

export const plain = operationOf('{ alerts { name } }');
export const taking = operationOf(
  'query ($a: ID, $b: AlertFilter, $__proto__: ID) { alert(id: $a) { name } }',
);

export const given = (value: string): Credential => ({ kind: 'given', value });
export const absent: Credential = { kind: 'absent' };
export const refused: Credential = { kind: 'refused', detail: 'not of the scheme' };

export interface Wish {
  readonly operation?: WantedExecution['operation'];
  readonly variables?: WantedExecution['variables'];
  readonly management?: Credential;
  readonly observability?: Credential;
}

/** Counts how often somebody begins to listen to any of them. */
export class CountedSource extends CancellationSource {
  static listened = 0;

  override listen(listener: CancelListener): void {
    CountedSource.listened += 1;
    super.listen(listener);
  }
}

export const callerOf = (credentials: UpstreamCaller['credentials'], requestId: string) => ({
  credentials,
  requestId,
  traceHeaders: [],
  calls: noCallLog,
  secrets: createRequestSecrets([]),
  arrivals: { any: false },
  budget: createCallBudget(10, 10, 1_000_000),
  cancellation: new CountedSource(),
});

/** Executions that end when they are told to, each with the number of its request. */
export const start = () => {
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
    let settle = (_: ExecutionResult | Promise<never>): void => undefined;
    const caller = callerOf({ management, observability }, String(number));
    const { cancellation, arrivals } = caller;
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
