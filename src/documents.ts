import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { createDocumentCache } from './document-cache.ts';
import { hashOf } from './hash.ts';
import { checkLimits, type Limits, limitError } from './limits.ts';

/** Texts made into documents, in one way for all requests. */
export interface Documents {
  /** Throws a GraphQLError for what is no GraphQL, or has too many tokens. */
  parse(text: string): DocumentNode;
  /** What is wrong with a document; nothing for one that may be executed. */
  validate(document: DocumentNode): readonly GraphQLError[];
  /** SHA-256 of the text that a document was parsed from, in hexadecimal. */
  hashOf(document: DocumentNode): string;
  /** The document of a text, or undefined where it is none or may not be executed. */
  find(text: string): DocumentNode | undefined;
}

export interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
  /** Whether documents may ask about the schema itself, and errors may name what else it has. */
  readonly introspection: boolean;
}

/**
 * Lets go of the tokens that each node's location refers to, and they to their neighbours: a third of a
 * document's memory, of which errors need the offsets alone.
 */
const dropTokens = (document: DocumentNode): DocumentNode => {
  visit(document, {
    enter: ({ loc }: ASTNode) => {
      if (loc) Object.assign(loc, { startToken: undefined, endToken: undefined });
    },
  });
  return document;
};

/** Some rules suggest all the same, where they are told not to. */
const withoutSuggestion = (error: GraphQLError): GraphQLError => {
  const message = error.message.replace(/ Did you mean .*\?$/s, '');
  return message === error.message
    ? error
    : new GraphQLError(message, {
        nodes: error.nodes ?? null,
      });
};

export const createDocuments = ({ schema, limits, introspection }: DocumentsOptions): Documents => {
  const rules = introspection
    ? specifiedRules
    : [...specifiedRules, NoSchemaIntrospectionCustomRule];
  const parsed = createDocumentCache<DocumentNode>();
  const faults = new WeakMap<DocumentNode, readonly GraphQLError[]>();

  const hashes = new WeakMap<DocumentNode, string>();

  const parseText = (text: string): DocumentNode => {
    try {
      return dropTokens(parse(text, { maxTokens: limits.tokens }));
    } catch (error) {
      // Where the limit allows more levels than the stack does, it is the stack that counts.
      const tooMany =
        error instanceof RangeError ||
        (error instanceof GraphQLError && /more that \d+ tokens/.test(error.message));
      throw tooMany ? limitError('tokens', limits.tokens) : error;
    }
  };

  // What is beyond a limit is not validated: that can take the square of its size.
  const check = (document: DocumentNode): readonly GraphQLError[] => {
    try {
      const beyond = checkLimits(schema, document, limits);
      if (beyond.length > 0) return beyond;
      const found = validate(schema, document, rules, { hideSuggestions: !introspection });
      return introspection ? found : found.map(withoutSuggestion);
    } catch (error) {
      if (error instanceof RangeError) return [limitError('depth', limits.depth)];
      throw error;
    }
  };

  const documents: Documents = {
    parse: (text) => {
      const known = parsed.get(text);
      if (known) return known;
      const document = parseText(text);
      parsed.set(text, document);
      return document;
    },
    validate: (document) => {
      const known = faults.get(document);
      if (known) return known;
      const found = check(document);
      faults.set(document, found);
      return found;
    },
    hashOf: (document) => {
      const known = hashes.get(document);
      if (known !== undefined) return known;
      const hash = hashOf(document.loc?.source.body ?? '');
      hashes.set(document, hash);
      return hash;
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
