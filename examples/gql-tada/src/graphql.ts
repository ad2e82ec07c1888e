import { initGraphQLTada } from 'gql.tada';
import type { ExactlyOne } from './exactly-one.ts';
import type { introspection } from './generated/introspection.d.ts';

/** The JavaScript types of the schema's scalars, including the built-in ones. */
export type Scalars = {
  ID: string;
  String: string;
  Int: number;
  Float: number;
  Boolean: boolean;
  /** Texts in ISO 8601 format, not JavaScript's Date. */
  Date: string;
  DateTime: string;
  /** Whole number of up to 53 bits. */
  SafeInt: number;
};

type Types = introspection['types'];

type OneOf = {
  [Name in keyof Types]: Types[Name] extends { isOneOf: true } ? Name : never;
}[keyof Types];

declare const asShipped: initGraphQLTada<{ introspection: introspection; scalars: Scalars }>;

// gql.tada types a @oneOf input as a union, which allows two members at once. Its inputs cannot be replaced, but its scalars
// can.
type OneOfInputs = {
  [Name in OneOf]: ExactlyOne<ReturnType<typeof asShipped.scalar<Name>>>;
};

/** Parses a document, and types its result and variables. */
export const graphql = initGraphQLTada<{
  introspection: Omit<introspection, 'types'> & { types: Omit<Types, OneOf> };
  scalars: Scalars & OneOfInputs;
}>();

export { type FragmentOf, type ResultOf, readFragment, type VariablesOf } from 'gql.tada';
