import matcher from './generated/possible-types.ts';

/** The types of each interface and union, for Apollo's `InMemoryCache`. */
export const possibleTypes: Record<string, string[]> = matcher.possibleTypes;

export { typePolicies } from './policies.ts';
export type { ReadOptions } from './policy.ts';
