import type { Result } from './result.ts';

/** Where a result still lacks something that it cannot do without. */
export type Lacking = Promise<unknown>[];

/** Lets go of what nobody waits for any longer, but may still reject. */
export const abandon = (lacking: Lacking): void => {
  for (const promise of lacking) promise.catch(() => undefined);
};

/** Puts a member into a result once it has arrived. */
export const putWhenThere = (result: Result, key: string, value: Promise<unknown>): Promise<void> =>
  value.then((arrived) => {
    result[key] = arrived;
  });

/** The result, once nothing of it is lacking. */
export const whenWhole = async (lacking: Lacking, result: Result): Promise<Result> => {
  await Promise.all(lacking);
  return result;
};
