import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  parse,
  SingleFieldSubscriptionsRule,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { deferLabelRule, deferRootRule } from './defer-rules.ts';
import { checkLimits, type Limits, limitError } from './limits.ts';
import { mayHoldSecrets } from './literals.ts';
import { subscriptionRootRule } from './subscription-rule.ts';

/**
 * A cache by a document's text. What is made of a text takes some forty times its room, and anybody may
 * send one: the texts together are bounded to 2.5 million UTF-16 units, which is a hundred megabytes, and a
 * long one is not kept at all.
 */
export const createDocumentCache = <Value extends object>(): LRUCache<string, Value> =>
  new LRUCache({
    max: 20_000,
    maxSize: 2.5 * 1024 * 1024,
    maxEntrySize: 16 * 1024,
    sizeCalculation: (_, text) => text.length + 1,
  });

/** Texts made into documents, in one way for all requests. */
export interface Documents {
  /** Throws a GraphQLError for what is no GraphQL, or has too many tokens. */
  parse(text: string): DocumentNode;
  /** What is wrong with a document; nothing for one that may be executed. */
  validate(document: DocumentNode): readonly GraphQLError[];
  /** The document of a text, or undefined where it is none or may not be executed. */
  find(text: string): DocumentNode | undefined;
  /** Whether the text is kept, with its document: what may not be executed is not, nor what may hold a secret. */
  keeps(text: string): boolean;
}

/** A document with what is wrong with it, once that is known. */
interface Known {
  readonly document: DocumentNode;
  faults: readonly GraphQLError[] | undefined;
}

interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
  /** Whether documents may ask about the schema itself, and errors may name what else it has. */
  readonly introspection: boolean;
}

/**
 * Lets go of the tokens that each node's location refers to, and they to their neighbours: a third of a
 * document's memory, of which errors need the offsets alone. For each error graphql-js counts the lines before it:
 * in a text of very many lines all errors point to the start.
 */
const slimLocations = (document: DocumentNode, text: string): DocumentNode => {
  const atStart = hasTooManyLines(text);
  visit(document, {
    enter: ({ loc }: ASTNode) => {
      if (!loc) return;
      Object.assign(loc, { startToken: undefined, endToken: undefined });
      if (atStart) Object.assign(loc, { start: 0, end: 0 });
    },
  });
  return document;
};

/** Lines of a document beyond which nobody looks for the place of an error. */
const maxLines = 5000;

const hasTooManyLines = (text: string): boolean => {
  let lines = 0;
  for (let at = 0; at < text.length && lines <= maxLines; at += 1) {
    const character = text[at];
    if (character === '\n' || character === '\r') lines += 1;
  }
  return lines > maxLines;
};

/** Some rules suggest all the same, where they are told not to. */
const withoutSuggestion = (error: GraphQLError): GraphQLError => {
  const { message, nodes = null } = error;
  const start = message.endsWith('?') ? message.lastIndexOf(' Did you mean ') : -1;
  return start < 0 ? error : new GraphQLError(message.slice(0, start), { nodes });
};

export const createDocuments = ({ schema, limits, introspection }: DocumentsOptions): Documents => {
  const specified = specifiedRules.filter((rule) => rule !== SingleFieldSubscriptionsRule);
  const known = [...specified, subscriptionRootRule, deferLabelRule, deferRootRule];
  const rules = introspection ? known : [...known, NoSchemaIntrospectionCustomRule];
  const texts = createDocumentCache<Known>();
  const documents = new WeakMap<DocumentNode, Known>();

  const parseText = (text: string): DocumentNode => {
    try {
      return slimLocations(parse(text, { maxTokens: limits.tokens }), text);
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
      if (error instanceof RangeError) return [limitError('tokens', limits.tokens)];
      throw error;
    }
  };

  /** The last one that was made, as long as no collection has taken it: what is refused is parsed again to be told why. */
  let recent: WeakRef<Known> | undefined;

  const knownOf = (text: string): Known => {
    const kept = texts.get(text);
    if (kept) return kept;
    const last = recent?.deref();
    if (last?.document.loc?.source.body === text) return last;
    const made: Known = { document: parseText(text), faults: undefined };
    documents.set(made.document, made);
    recent = new WeakRef(made);
    return made;
  };

  /** Where something is wrong with a text, a secret may stand in the place of anything: it is not kept. */
  const faultsOf = (known: Known): readonly GraphQLError[] => {
    if (known.faults) return known.faults;
    const { document } = known;
    known.faults = check(document);
    const text = document.loc?.source.body;
    const isOwn = text !== undefined && documents.get(document) === known;
    if (isOwn && known.faults.length === 0 && !mayHoldSecrets(document)) texts.set(text, known);
    return known.faults;
  };

  return {
    parse: (text) => knownOf(text).document,
    // One that was parsed elsewhere is checked each time.
    validate: (document) => faultsOf(documents.get(document) ?? { document, faults: undefined }),
    find: (text) => {
      try {
        const known = knownOf(text);
        return faultsOf(known).length === 0 ? known.document : undefined;
      } catch {
        // Whoever answers the request meets the same error again, and words it.
        return undefined;
      }
    },
    keeps: (text) => texts.has(text),
  };
};
