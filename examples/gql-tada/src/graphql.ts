import { initGraphQLTada } from 'gql.tada';
import type { ExactlyOne } from './exactly-one.ts';
import type { introspection } from './generated/introspection.d.ts';

/** What the schema's scalars are in JavaScript; the built-in ones stand here for completeness. */
export type Scalars = {
  ID: string;
  String: string;
  Int: number;
  Float: number;
  Boolean: boolean;
  /** Text as ISO 8601 writes it, not a Date. */
  DateTime: string;
  /** Whole number within 53 bits. */
  SafeInt: number;
};

type Types = introspection['types'];

type OneOf = {
  [Name in keyof Types]: Types[Name] extends { isOneOf: true } ? Name : never;
}[keyof Types];

declare const asShipped: initGraphQLTada<{ introspection: introspection; scalars: Scalars }>;

// gql.tada types a @oneOf input as a union, in which two members at once would compile. Its inputs
// cannot be replaced, but its scalars can.
type OneOfInputs = {
  [Name in OneOf]: ExactlyOne<ReturnType<typeof asShipped.scalar<Name>>>;
};

/** Parses a document, and gives it the types of its result and its variables. */
export const graphql = initGraphQLTada<{
  introspection: Omit<introspection, 'types'> & { types: Omit<Types, OneOf> };
  scalars: Scalars & OneOfInputs;
}>();

export { type FragmentOf, type ResultOf, readFragment, type VariablesOf } from 'gql.tada';
