import {
  type GraphQLOutputType,
  getNullableType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { isPromise } from '../is-promise.ts';
import type { FieldPlan } from './field-plan.ts';
import { JsonText } from './json-text.ts';
import type { Projection } from './projection.ts';
import type { Run } from './run.ts';
import type { Selection } from './selection.ts';
import { textsOf } from './shared.ts';

const textOf = (result: object): JsonText | undefined => {
  try {
    return new JsonText(JSON.stringify(result));
  } catch {
    // A scalar gave what cannot be printed, which is an error once the whole answer is.
    return undefined;
  }
};

/**
 * What is made of a raw value: a text where the value is shared, so that it is made and printed once. Else
 * the result is printed with all that it stands in, which takes less.
 */
const complete = <Made extends object>(
  run: Run,
  selection: Selection,
  value: object,
  belowList: boolean,
  project: () => Made | undefined,
): Made | JsonText | undefined => {
  const texts = run.holders && !belowList ? textsOf(value) : undefined;
  if (!texts) return project();
  const known = texts.get(selection);
  if (known) {
    run.hasTexts = true;
    return known;
  }
  const result = project();
  const text = result && textOf(result);
  if (!text) return result;
  run.hasTexts = true;
  texts.set(selection, text);
  return text;
};

/** Completes an object whose selection is plain; undefined where something is not as expected. */
export const completePlainObject = (
  run: Run,
  selection: Selection,
  { project }: Projection,
  value: object,
): Record<string, unknown> | JsonText | undefined =>
  complete(run, selection, value, selection.belowList, () => project(value));

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
  run: Run,
  plan: FieldPlan,
  itemType: GraphQLOutputType,
  value: unknown,
): readonly unknown[] | JsonText | undefined => {
  const type = getNullableType(itemType);
  if (!isObjectType(type) || !Array.isArray(value)) return undefined;
  const selection = plan.madeSelectionOf(type);
  const projection = selection?.projection;
  if (!projection || projection.others.length > 0) return undefined;
  // A list in a list stands below one itself.
  const outermost = getNullableType(plan.field.type);
  const belowList = plan.belowList || !isListType(outermost) || outermost.ofType !== itemType;
  return complete(run, selection, value, belowList, () =>
    projectItems(value, projection, !isNonNullType(itemType)),
  );
};
