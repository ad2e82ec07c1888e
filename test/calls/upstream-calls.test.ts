import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Answering, result, type Stack, startStack, wide } from '../support/harness.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';
import { cases, type OperationCase, sizes } from './upstream-calls/cases.ts';
import { createRounds } from './upstream-calls/rounds.ts';

/** `service-2` before `service-10`. */
const inOrder = new Intl.Collator('en', { numeric: true });

/** The paths of ClickHouse Cloud in front of the backend of the reference. */
const asCloud =
  (management: Answering): Answering =>
  (call) =>
    call.path.endsWith('/settings')
      ? result({})
      : management({ ...call, path: call.path.replace('/clickpipes', '/pipes') });

interface GraphQLFault {
  readonly path?: readonly (string | number)[];
  readonly extensions: { readonly code: string };
}

interface Run {
  readonly calls: readonly { readonly round: number; readonly call: string }[];
  readonly rounds: number;
  readonly errors: readonly (readonly [string, string])[];
}

describe('an operation makes these upstream calls, in so many rounds:', () => {
  let stack: Stack;
  let cloud: Stack;
  const rounds = createRounds();
  const runs = new Map<OperationCase, Run>();

  const run = async ({ document, variables, profile }: OperationCase): Promise<Run> => {
    const { calls: made, query } = profile === undefined ? stack : cloud;
    made.length = 0;
    rounds.restart();
    const { body } = await query(withIds(document), { variables });
    const errors: readonly GraphQLFault[] = body.errors ?? [];
    const calls = rounds
      .of(made)
      .map(({ call: { method, path }, round }) => ({ round, call: `${method} ${withNames(path)}` }))
      .sort((a, b) => a.round - b.round || inOrder.compare(a.call, b.call));
    return {
      calls,
      rounds: Math.max(0, ...calls.map(({ round }) => round)),
      errors: errors.map(({ path, extensions }) => [path?.join('.') ?? '', extensions.code]),
    };
  };

  const runOf = (operationCase: OperationCase): Run => {
    const found = runs.get(operationCase);
    if (found) return found;
    throw new Error(`${operationCase.title} was not run`);
  };

  beforeAll(async () => {
    const backend = createBackend(worldOf(sizes));
    stack = await startStack({
      config: wide,
      management: rounds.hold(backend.management),
      observability: rounds.hold(backend.observability),
    });
    cloud = await startStack({
      config: { ...wide, managementProfile: 'clickhouse-cloud' },
      management: rounds.hold(asCloud(backend.management)),
      observability: rounds.hold(backend.observability),
    });
    // One after the other: rounds are those of the one operation under way.
    for (const operationCase of cases) runs.set(operationCase, await run(operationCase));
  }, 120_000);
  afterAll(async () => {
    await stack.close();
    await cloud.close();
  });

  it.each(cases)('$title', (operationCase) => {
    const { calls, rounds: taken, errors } = runOf(operationCase);
    expect(calls.map(({ call }) => call).sort()).toEqual([...operationCase.calls].sort());
    expect(taken).toBe(operationCase.rounds);
    expect(errors).toEqual(operationCase.errors ?? []);
  });
});
