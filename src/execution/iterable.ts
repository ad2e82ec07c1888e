import { GraphQLError } from 'graphql';
import type { FieldPlan } from './field-plan.ts';

const isIterable = (value: unknown): value is Iterable<unknown> =>
  typeof value === 'object' &&
  value !== null &&
  typeof (value as Partial<Iterable<unknown>>)[Symbol.iterator] === 'function';

/** The value of a list; throws a GraphQLError for what has no items. */
export const iterableOf = (plan: FieldPlan, value: unknown): Iterable<unknown> => {
  if (isIterable(value)) {
    return value;
  }
  throw new GraphQLError(
    `Expected Iterable, but did not find one for field "${plan.parentType.name}.${plan.name}".`,
  );
};
