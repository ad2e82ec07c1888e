const ascending = (values: readonly number[]): number[] => [...values].sort((a, b) => a - b);

/** The smallest value that the given part of all values does not exceed. */
export const quantile = (values: readonly number[], part: number): number =>
  ascending(values)[Math.max(0, Math.ceil(part * values.length) - 1)] ?? Number.NaN;

export const median = (values: readonly number[]): number => {
  const sorted = ascending(values);
  const middle = sorted.length / 2;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return low === undefined || high === undefined ? Number.NaN : (low + high) / 2;
};
