import { parse } from 'graphql';
import type { Context } from '../src/context.ts';
import { printResult } from '../src/execution/print.ts';
import { Transcript } from '../src/execution/transcript.ts';
import { createExecutor } from '../src/executor.ts';
import { createLinks } from '../src/links.ts';
import { createLoaders } from '../src/loaders.ts';
import { createSchema } from '../src/schema.ts';
import { SmallMap } from '../src/small.ts';
import { createBreaker } from '../src/upstream/breaker.ts';
import { createCallBudget } from '../src/upstream/call-budget.ts';
import { createCallLog } from '../src/upstream/call-log.ts';
import { CancellationSource } from '../src/upstream/cancellation.ts';
import { createClientFactory } from '../src/upstream/client.ts';
import { management, observability, type RestInterface } from '../src/upstream/interface.ts';
import { managementOperations } from '../src/upstream/management/operations.ts';
import { observabilityOperations } from '../src/upstream/observability/operations.ts';
import { createTurns } from '../src/upstream/turns.ts';

/** What an upstream answers, by the end of the path; all else is not found. */
export type Bodies = Readonly<Record<string, Buffer | string>>;

export const organizationId = '0a9a0000-0000-4000-8000-000000000001';
export const serviceId = '5e4c0000-0000-4000-8000-000000000001';

const schema = createSchema();

const contextOf = (bodies: Bodies, notes: unknown[]): Context => {
  const options = (api: RestInterface) => ({
    api,
    transport: {
      send: (
        { path }: { readonly path: string },
        _: unknown,
        receiver: { answered(answer: object): void },
      ) => {
        const name = Object.keys(bodies).find((end) => path.endsWith(end));
        receiver.answered({
          status: name === undefined ? 404 : 200,
          headers: { 'content-type': 'application/json' },
          body: Buffer.from(name === undefined ? '{}' : (bodies[name] ?? '')),
        });
      },
      close: async () => undefined,
    },
    turns: createTurns({ places: 100_000, maxWaiting: 0 }),
    breaker: createBreaker({ failures: 1000, halfOpenMs: 1, onChange: () => undefined }),
    maxRetries: 0,
    addresses: [],
    userAgent: 'test',
    extendedReads: true,
    onUnusableRows: (...facts: readonly unknown[]) => notes.push(facts),
    onFailure: (...facts: readonly unknown[]) => notes.push(facts),
  });
  const caller = {
    credential: { kind: 'given', value: 'Bearer one' } as const,
    requestId: 'one',
    traceHeaders: [],
    calls: createCallLog(),
    secrets: new SmallMap<string, true>(),
    arrivals: { any: false },
    budget: createCallBudget(1000, 1000),
    cancellation: new CancellationSource(),
  };
  const upstream = {
    management: createClientFactory(managementOperations('state'), options(management))(caller),
    observability: createClientFactory(observabilityOperations, options(observability))(caller),
  };
  return { upstream, loaders: createLoaders(upstream), links: createLinks() };
};

/** What an execution came to: its text, what it left in the log, and whether a list of it is a transcript. */
export interface Outcome {
  readonly text: string;
  readonly notes: readonly unknown[];
  readonly transcribed: boolean;
}

const holdsTranscript = (value: unknown): boolean =>
  value instanceof Transcript ||
  (typeof value === 'object' && value !== null && Object.values(value).some(holdsTranscript));

/**
 * Prepares a query as one that has been asked often, so that what can be is transcribed.
 *
 * @param usual bodies of which everything can
 */
export const prepare = async (query: string, usual: Bodies, variables: object = {}) => {
  const document = parse(query);
  const execute = createExecutor(schema, { projectAfter: 1 });
  const run = async (bodies: Bodies, toBePrinted: boolean): Promise<Outcome> => {
    const notes: unknown[] = [];
    const result = await execute({
      document,
      variableValues: { organizationId, serviceId, ...variables },
      contextValue: contextOf(bodies, notes),
      toBePrinted,
    });
    const transcribed = holdsTranscript(result.data);
    const { json, bytes } = printResult(result);
    if (Buffer.byteLength(json) !== bytes) throw new Error('The number of bytes is wrong');
    return { text: json, notes, transcribed };
  };
  await run(usual, true);
  return run;
};
