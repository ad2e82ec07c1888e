import type { DocumentNode, GraphQLSchema } from 'graphql';
import { createDocumentCache } from './document-cache.ts';

/** Parsing and validating with all of Yoga's plugins. */
interface PluggedIn {
  readonly schema: GraphQLSchema;
  parse(query: string): DocumentNode;
  validate(schema: GraphQLSchema, document: DocumentNode): readonly unknown[];
}

/** A document by its text, or undefined where it cannot be parsed or is not valid. */
export type FindDocument = (query: string) => DocumentNode | undefined;

/** Valid documents by their text: parsed and validated by Yoga, with all its plugins, when first seen. */
export const createOperations = (pluggedIn: () => PluggedIn): FindDocument => {
  const documents = createDocumentCache<DocumentNode>();

  const prepare = (query: string): DocumentNode | undefined => {
    const { parse, validate, schema } = pluggedIn();
    try {
      const document: DocumentNode = parse(query);
      return validate(schema, document).length === 0 ? document : undefined;
    } catch {
      // Yoga meets the same error again when it answers this request, and words it.
      return undefined;
    }
  };

  return (query) => {
    const known = documents.get(query);
    if (known) return known;
    const document = prepare(query);
    if (document) documents.set(query, document);
    return document;
  };
};
