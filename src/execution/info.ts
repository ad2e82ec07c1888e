import type { GraphQLResolveInfo, ResponsePath } from 'graphql';
import type { FieldPlan } from './field-plan.ts';
import type { Run } from './run.ts';

/** What a resolver is told of the execution beside its parent and arguments. */
export const infoOf = (run: Run, plan: FieldPlan, path: ResponsePath): GraphQLResolveInfo => ({
  fieldName: plan.name,
  fieldNodes: plan.nodes,
  returnType: plan.field.type,
  parentType: plan.parentType,
  path,
  schema: run.schema,
  fragments: run.fragments,
  rootValue: undefined,
  operation: run.plan.operation,
  variableValues: run.variableValues,
});
