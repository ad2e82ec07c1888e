import { type ExecutionResult, OperationTypeNode } from 'graphql';
import { executeField, executeFields, Result } from './complete.ts';
import { type FieldPlan, planFields } from './field-plan.ts';
import type { Run } from './run.ts';

/** Executes fields one after the other (specification, section 6.2.2). */
const executeSerially = async (run: Run, fields: readonly FieldPlan[]): Promise<Result> => {
  const result = new Result();
  for (const plan of fields) result[plan.key] = await executeField(run, plan, undefined, undefined);
  return result;
};

const rootFields = (run: Run): readonly FieldPlan[] => {
  const { plan, schema } = run;
  const type = schema.getRootType(plan.operation.operation);
  if (!type) throw new TypeError(`The schema has no ${plan.operation.operation}`);
  plan.root ??= planFields(type, [plan.operation], run, false);
  return plan.root;
};

/** Executes the run's operation. What fails is in the result; it never rejects. */
export const executeOperation = async (run: Run): Promise<ExecutionResult> => {
  let data: ExecutionResult['data'];
  try {
    const fields = rootFields(run);
    const serial = run.plan.operation.operation === OperationTypeNode.MUTATION;
    data = await (serial
      ? executeSerially(run, fields)
      : executeFields(run, fields, undefined, undefined));
  } catch (error) {
    run.failWhole(error);
    data = null;
  }
  const { list } = run.errors;
  return list.length > 0 ? { errors: list, data } : { data };
};
