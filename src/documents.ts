import {
  type DocumentNode,
  type GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
} from 'graphql';
import { createDocumentCache } from './document-cache.ts';

/** Texts made into documents, in one way for all requests. */
export interface Documents {
  /** Throws a GraphQLError for what is no GraphQL. */
  parse(text: string): DocumentNode;
  /** What is wrong with a document; nothing for one that may be executed. */
  validate(document: DocumentNode): readonly GraphQLError[];
  /** The document of a text, or undefined where it is none or may not be executed. */
  find(text: string): DocumentNode | undefined;
}

export interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  /** Whether documents may ask about the schema itself. */
  readonly introspection: boolean;
}

export const createDocuments = ({ schema, introspection }: DocumentsOptions): Documents => {
  const rules = introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const parsed = createDocumentCache<DocumentNode>();
  const faults = new WeakMap<DocumentNode, readonly GraphQLError[]>();

  const documents: Documents = {
    parse: (text) => {
      const known = parsed.get(text);
      if (known) return known;
      const document = parse(text);
      parsed.set(text, document);
      return document;
    },
    validate: (document) => {
      const known = faults.get(document);
      if (known) return known;
      const found = validate(schema, document, rules);
      faults.set(document, found);
      return found;
    },
    find: (text) => {
      try {
        const document = documents.parse(text);
        return documents.validate(document).length === 0 ? document : undefined;
      } catch {
        // Whoever answers the request meets the same error again, and words it.
        return undefined;
      }
    },
  };
  return documents;
};
