import { type ExecutionResult, GraphQLError, OperationTypeNode } from 'graphql';
import { executeField, executeInto } from './complete.ts';
import { planSelection } from './field-plan.ts';
import type { Result } from './result.ts';
import type { Run } from './run.ts';
import type { Selection } from './selection.ts';

/** Executes fields one after the other (specification, section 6.2.2). */
const executeSerially = async (run: Run, selection: Selection): Promise<Result> => {
  const result = selection.createResult();
  for (const plan of selection.fields) {
    const value = executeField(run, plan, undefined, undefined, result);
    result[plan.key] = value;
    if (value instanceof Promise) result[plan.key] = await value;
    await run.waiting.settled(() => undefined);
  }
  return result;
};

const rootSelection = (run: Run): Selection => {
  const { plan, schema } = run;
  const { operation } = plan;
  const type = schema.getRootType(operation.operation);
  if (!type) {
    const message = `Schema is not configured to execute ${operation.operation} operation.`;
    throw new GraphQLError(message, { nodes: operation });
  }
  plan.root ??= planSelection(type, [plan.operation], run, false);
  return plan.root;
};

const executeRoot = (run: Run): Result | Promise<Result> => {
  const selection = rootSelection(run);
  if (run.plan.operation.operation === OperationTypeNode.MUTATION) {
    return executeSerially(run, selection);
  }
  return executeInto(run, selection.fields, undefined, undefined, selection.createResult());
};

const conclude = (run: Run, data: Result | null): ExecutionResult => {
  run.conclude();
  const { list } = run.errors;
  return list.length > 0 ? { errors: list, data } : { data };
};

const fail = (run: Run, error: unknown): ExecutionResult => {
  run.failWhole(error);
  return conclude(run, null);
};

const concludeSettled = (run: Run, data: Result): ExecutionResult | Promise<ExecutionResult> =>
  run.waiting.settled(() => conclude(run, data));

/**
 * Executes the run's operation: its result, or a promise of it where something is awaited. What fails is
 * in the result; it never throws nor rejects.
 */
export const executeOperation = (run: Run): ExecutionResult | Promise<ExecutionResult> => {
  try {
    const data = executeRoot(run);
    return data instanceof Promise
      ? data.then(
          (arrived) => concludeSettled(run, arrived),
          (error: unknown) => fail(run, error),
        )
      : concludeSettled(run, data);
  } catch (error) {
    return fail(run, error);
  }
};
