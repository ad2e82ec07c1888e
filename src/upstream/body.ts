import { failed } from './call.ts';
import type { Row } from './row.ts';

/** The path to the first number that JSON does not have; undefined if there is none. */
const pathToInfinite = (value: unknown, path: readonly string[]): readonly string[] | undefined => {
  if (typeof value === 'number') return Number.isFinite(value) ? undefined : path;
  if (typeof value !== 'object' || value === null) return undefined;
  for (const [name, member] of Object.entries(value)) {
    const found = pathToInfinite(member, [...path, name]);
    if (found) return found;
  }
  return undefined;
};

/**
 * The JSON of a request's body. Throws for a number that JSON would write as null, whether the caller gave it or it was
 * read and is being sent back.
 */
export const bodyOf = (row: Row, body: unknown): string => {
  const field = pathToInfinite(body, []);
  if (!field) return JSON.stringify(body);
  const message = `${field.join('.')} must be a number between -1.8e308 and 1.8e308, got a larger one.`;
  throw failed({ row }, { reason: 'invalid-request', problems: [{ field, message }] });
};
