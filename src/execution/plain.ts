import { type GraphQLOutputType, getNullableType, isNonNullType, isObjectType } from 'graphql';
import { isPromise } from '../is-promise.ts';
import type { FieldPlan } from './field-plan.ts';
import type { Projection } from './projection.ts';

const projectItems = (
  items: readonly unknown[],
  { project }: Projection,
  nullable: boolean,
): readonly unknown[] | undefined => {
  const results: unknown[] = [];
  for (const item of items) {
    if (item === null || item === undefined) {
      if (!nullable) return undefined;
      results.push(null);
    } else {
      if (typeof item !== 'object' || item instanceof Error || isPromise(item)) return undefined;
      const result = project(item);
      if (!result) return undefined;
      results.push(result);
    }
  }
  return results;
};

/**
 * Completes at once a list of objects of one type whose selection is plain and has been used often enough;
 * undefined for any other value.
 */
export const completePlainList = (
  plan: FieldPlan,
  itemType: GraphQLOutputType,
  value: unknown,
): readonly unknown[] | undefined => {
  const type = getNullableType(itemType);
  if (!isObjectType(type) || !Array.isArray(value)) return undefined;
  const projection = plan.madeSelectionOf(type)?.projection;
  if (!projection || projection.others.length > 0) return undefined;
  return projectItems(value, projection, !isNonNullType(itemType));
};
