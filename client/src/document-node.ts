import type { DocumentNode } from 'graphql';

/** A parsed document, with the types of its data and variables; Apollo Client and urql read the types from these members. */
export interface TypedDocumentNode<Data, Variables> extends DocumentNode {
  /** Never set. */
  readonly __apiType?: (variables: Variables) => Data;
}
