/** A document's text, with the types of its answer's data and of its variables. */
export class TypedDocumentString<Data, Variables> extends String {
  /** Never set: it is where tools, as those of typed-document-node, look for the two types. */
  declare readonly __apiType?: (variables: Variables) => Data;
}

/** What both kinds of documents have: texts, and those of `@sluice/client/document-nodes`. */
interface Typed<Data, Variables> {
  readonly __apiType?: (variables: Variables) => Data;
}

/** The data that a document's answer holds. */
export type ResultOf<Document> = Document extends Typed<infer Data, infer _> ? Data : never;

/** The variables that a document takes. */
export type VariablesOf<Document> =
  Document extends Typed<infer _, infer Variables> ? Variables : never;
