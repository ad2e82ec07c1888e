/** A document's text, with the types of its answer's data and of its variables. */
export class TypedDocumentString<Data, Variables> extends String {
  /** Never set. Tools that follow typed-document-node read the two types here. */
  declare readonly __apiType?: (variables: Variables) => Data;
}

/** The member that both kinds of documents have: the strings of this file, and the nodes of `@sluice/client/document-nodes`. */
interface Typed<Data, Variables> {
  readonly __apiType?: (variables: Variables) => Data;
}

/** The type of the data for a document. */
export type ResultOf<Document> = Document extends Typed<infer Data, infer _> ? Data : never;

/** The type of the variables of a document. */
export type VariablesOf<Document> =
  Document extends Typed<infer _, infer Variables> ? Variables : never;
