const holders = Symbol('results in which texts stand');

/** An object of the answer. */
export interface Result {
  [key: string]: unknown;
  [holders]?: readonly Result[];
}

/** To be asked for where `__proto__` may be a key: an object that has no prototype, which that would set. */
export const createBareResult = (): Result => Object.create(null);

/** Notes with the data in which of its results, itself among them, texts may stand; it is no member of it. */
export const noteHolders = (data: Result, results: readonly Result[]): void => {
  data[holders] = results;
};

/** What was noted, if anything. */
export const holdersIn = (data: Result): readonly Result[] | undefined => data[holders];
