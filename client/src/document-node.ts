import type { DocumentNode } from 'graphql';

/** Data in which each object may have its `__typename`. Clients with a cache select it, and need it in optimistic answers. */
export type Named<Data> = Data extends readonly (infer Item)[]
  ? readonly Named<Item>[]
  : Data extends object
    ? { readonly [Name in keyof Data]: Named<Data[Name]> } & { readonly __typename?: string }
    : Data;

/** A parsed document, with the types of its data and variables; Apollo Client and urql read the types from these members. */
export interface TypedDocumentNode<Data, Variables> extends DocumentNode {
  /** Never set. */
  readonly __apiType?: (variables: Variables) => Named<Data>;
}
