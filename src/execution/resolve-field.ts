import type { ResponsePath } from 'graphql';
import type { FieldPlan } from './field-plan.ts';
import { infoOf } from './info.ts';
import type { Run } from './run.ts';

/** The field's place in the answer, below its parent's. */
export const pathOf = (plan: FieldPlan, parent: ResponsePath | undefined): ResponsePath => ({
  prev: parent,
  key: plan.key,
  typename: plan.parentType.name,
});

/** What a parent has for a field without a resolver: a member, or what a method gives. */
const readMember = (run: Run, plan: FieldPlan, source: unknown, path: ResponsePath): unknown => {
  const args = plan.readArguments(run.variableValues);
  if (source === null || (typeof source !== 'object' && typeof source !== 'function')) {
    return undefined;
  }
  const value = (source as Readonly<Record<string, unknown>>)[plan.name];
  return typeof value === 'function'
    ? value.call(source, args, run.contextValue, infoOf(run, plan, path))
    : value;
};

/** What the resolver gives, or the parent has. */
export const resolveField = (
  run: Run,
  plan: FieldPlan,
  source: unknown,
  path: ResponsePath,
): unknown => {
  const { resolve, resolveOfParent } = plan;
  if (resolveOfParent) return resolveOfParent(source);
  if (!resolve) return readMember(run, plan, source, path);
  const args = plan.readArguments(run.variableValues);
  return resolve(source, args, run.contextValue, infoOf(run, plan, path));
};
