import { type ExecutionResult, GraphQLError, OperationTypeNode } from 'graphql';
import { executeField, executeFields, Result } from './complete.ts';
import { type FieldPlan, planSelection } from './field-plan.ts';
import type { Run } from './run.ts';
import type { Selection } from './selection.ts';

/** Executes fields one after the other (specification, section 6.2.2). */
const executeSerially = async (run: Run, fields: readonly FieldPlan[]): Promise<Result> => {
  const result = new Result();
  for (const plan of fields) {
    const value = executeField(run, plan, undefined, undefined, result);
    result[plan.key] = value;
    if (value instanceof Promise) result[plan.key] = await value;
    await run.waiting.settled();
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

/** Executes the run's operation. What fails is in the result; it never rejects. */
export const executeOperation = async (run: Run): Promise<ExecutionResult> => {
  let data: ExecutionResult['data'];
  try {
    const selection = rootSelection(run);
    const serial = run.plan.operation.operation === OperationTypeNode.MUTATION;
    data = await (serial
      ? executeSerially(run, selection.fields)
      : executeFields(run, selection, undefined, undefined));
    await run.waiting.settled();
  } catch (error) {
    run.failWhole(error);
    data = null;
  }
  const { list } = run.errors;
  return list.length > 0 ? { errors: list, data } : { data };
};
