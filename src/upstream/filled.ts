import { isObject } from '../is-object.ts';
import type { Problem } from './error.ts';
import type { Rule } from './operation.ts';

/** The paths of the nulls at these names. A name of a list stands for each of its items. */
const nullsAt = (
  value: unknown,
  names: readonly string[],
  path: readonly string[] = [],
): readonly (readonly string[])[] => {
  const [name, ...others] = names;
  if (name === undefined) return value === null ? [path] : [];
  if (Array.isArray(value)) {
    return value.flatMap((item, index) => nullsAt(item, names, [...path, String(index)]));
  }
  return isObject(value) ? nullsAt(value[name], others, [...path, name]) : [];
};

/**
 * Makes a rule for a partial update that refuses null for members that always have a value: null would delete it.
 *
 * @param members by name, with dots between the names of nested members
 * @param rule a further rule for the same body
 */
export const filled =
  <Body>(members: readonly string[], rule?: Rule<Body>): Rule<Body> =>
  (body) => [
    ...members
      .flatMap((member) => nullsAt(body, member.split('.')))
      .map((field): Problem => {
        const message = `${field.join('.')} must not be null. Leave it out to keep its value.`;
        return { field, message };
      }),
    ...(rule?.(body) ?? []),
  ];
