import type { DocumentNode } from 'graphql';

/** A parsed document, with the types of its answer's data and of its variables; Apollo Client and urql know them by these members. */
export interface TypedDocumentNode<Data, Variables> extends DocumentNode {
  /** Never set. */
  readonly __apiType?: (variables: Variables) => Data;
}
