/** An object of the answer. */
export type Result = Record<string, unknown>;

/** To be asked for where `__proto__` may be a key: an object that has no prototype, which that would set. */
export const createBareResult = (): Result => Object.create(null);
