import type { Problem } from '../error.ts';

export const integer = (
  field: string,
  value: number | null | undefined,
  holds: (value: number) => boolean,
  expected: string,
): Problem[] =>
  value === null || value === undefined || (Number.isInteger(value) && holds(value))
    ? []
    : [{ field: [field], message: `${field} must be ${expected}, got ${value}.` }];

/** Refuses what no bounds can allow. */
export const notNegative = (field: string, value: number | null | undefined): Problem[] =>
  integer(field, value, (n) => n >= 0, 'an integer of at least 0');
