import { type ExecutionResult, GraphQLError, OperationTypeNode } from 'graphql';
import { noteSize } from '../graphql/json.ts';
import { executeField } from './complete.ts';
import { isIntrospection, planSelection, type Result, type Selection } from './plan.ts';
import type { Run } from './run.ts';

const rootSelection = (run: Run): Selection => {
  const { plan, schema } = run;
  const { operation } = plan;
  const type = schema.getRootType(operation.operation);
  if (!type) {
    const message = `Schema is not configured to execute ${operation.operation} operation.`;
    throw new GraphQLError(message, { nodes: operation });
  }
  plan.root ??= planSelection(type, [operation], run);
  return plan.root;
};

const conclude = ({ errors: { list: errors }, data, size }: Run): ExecutionResult => {
  if (data) noteSize(data, size);
  return errors.length > 0 ? { errors, data } : { data };
};

/** Executes fields one after another (specification, section 6.2.2), until all data is null. */
const executeSerially = async (run: Run, { fields }: Selection): Promise<ExecutionResult> => {
  try {
    for (const plan of fields) {
      if (run.data) executeField(run, plan, run.rootValue, undefined, run.data);
      await run.settled();
    }
  } catch (thrown) {
    run.failWhole(thrown);
  }
  await run.settled();
  return conclude(run);
};

/** Executes the fields of a query in parallel (specification, section 6.2.1). */
const executeTogether = (run: Run, { fields }: Selection, data: Result): void => {
  try {
    for (const plan of fields) {
      run.isIntrospecting = isIntrospection(plan.field);
      executeField(run, plan, run.rootValue, undefined, data);
    }
  } finally {
    run.isIntrospecting = false;
  }
};

/** Executes the operation. Returns a promise only if a value is awaited. Errors are in the result, not thrown. */
export const executeOperation = (run: Run): ExecutionResult | Promise<ExecutionResult> => {
  try {
    const selection = rootSelection(run);
    run.data = selection.createResult();
    if (run.plan.operation.operation === OperationTypeNode.MUTATION) {
      return executeSerially(run, selection);
    }
    executeTogether(run, selection, run.data);
  } catch (thrown) {
    run.failWhole(thrown);
  }
  return run.settled()?.then(() => conclude(run)) ?? conclude(run);
};
