import {
  type ASTNode,
  type DocumentNode,
  GraphQLError,
  type GraphQLSchema,
  NoSchemaIntrospectionCustomRule,
  OverlappingFieldsCanBeMergedRule,
  parse,
  specifiedRules,
  validate,
  visit,
} from 'graphql';
import { LRUCache } from 'lru-cache';
import { checkLiteralSizes } from './argument-sizes.ts';
import { deferLabelRule, deferRootRule } from './defer-rules.ts';
import { floatRule } from './float-rule.ts';
import { checkLimits, type Limits, limitError } from './limits.ts';
import { mayHoldSecrets } from './literals.ts';
import { noMutationRule } from './mutation-rule.ts';
import { subscriptionRootRule } from './subscription-rule.ts';

/**
 * A cache with documents' texts as keys. A parsed document takes some forty times the memory of its text, and anyone
 * may send one. So all texts together are limited to 2.5 million UTF-16 units, about 100 MB of documents, and a long
 * text is not cached.
 */
export const createDocumentCache = <Value extends object>(): LRUCache<string, Value> =>
  new LRUCache({
    max: 20_000,
    maxSize: 2.5 * 1024 * 1024,
    maxEntrySize: 16 * 1024,
    sizeCalculation: (_, text) => text.length + 1,
  });

/** Parses and validates documents for all requests, with one cache. */
export interface Documents {
  /** Throws a GraphQLError for a text that is not GraphQL or has too many tokens. */
  parse(text: string): DocumentNode;
  /** The errors of a document; none if it may be executed. */
  validate(document: DocumentNode): readonly GraphQLError[];
  /** The document of a text; undefined if the text is invalid or may not be executed. */
  find(text: string): DocumentNode | undefined;
  /** Whether the text and its document are cached. Excludes documents that may not be executed or may hold a secret. */
  keeps(text: string): boolean;
}

/** A document with its errors; `faults` is undefined until it has been validated. */
interface Known {
  readonly document: DocumentNode;
  faults: readonly GraphQLError[] | undefined;
}

interface DocumentsOptions {
  readonly schema: GraphQLSchema;
  readonly limits: Limits;
  /** Whether operations may query the schema itself, and errors may suggest other names of the schema. */
  readonly introspection: boolean;
  readonly mutations: boolean;
}

/**
 * Removes the tokens from each node's location. Tokens link to their neighbours and take a third of a document's
 * memory, and errors need only the offsets. For each error, graphql-js counts the lines before it, so in a text with
 * too many lines all errors point to the start.
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

/** The most lines for which errors still get their real place. */
const maxLines = 5000;

const hasTooManyLines = (text: string): boolean => {
  let lines = 0;
  for (let at = 0; at < text.length && lines <= maxLines; at += 1) {
    const character = text[at];
    if (character === '\n' || character === '\r') lines += 1;
  }
  return lines > maxLines;
};

/** Some rules of graphql-js suggest names even if told not to. */
const withoutSuggestion = (error: GraphQLError): GraphQLError => {
  const { message, nodes = null } = error;
  const start = message.endsWith('?') ? message.lastIndexOf(' Did you mean ') : -1;
  return start < 0 ? error : new GraphQLError(message.slice(0, start), { nodes });
};

/** graphql-js ends a validation with this message after this number of comparisons of fields with equal names. */
const maxComparisons = 500_000;
const abortedMessage = 'Validation aborted.';

/** Rules in whose place stand the gateway's own. Only graphql 17 has those of `@defer`. */
const replaced = /^(?:SingleFieldSubscriptions|DeferStream\w+)Rule$/;

export const createDocuments = ({
  schema,
  limits,
  introspection,
  mutations,
}: DocumentsOptions): Documents => {
  const specified = specifiedRules.filter(({ name }) => !replaced.test(name));
  const known = [...specified, floatRule, subscriptionRootRule, deferLabelRule, deferRootRule];
  const rules = [
    ...known,
    ...(introspection ? [] : [NoSchemaIntrospectionCustomRule]),
    ...(mutations ? [] : [noMutationRule]),
  ];
  const others = rules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule);
  const texts = createDocumentCache<Known>();
  const documents = new WeakMap<DocumentNode, Known>();

  const parseText = (text: string): DocumentNode => {
    try {
      return slimLocations(parse(text, { maxTokens: limits.tokens }), text);
    } catch (error) {
      // Deep documents can exhaust the stack before they reach the token limit.
      const tooMany =
        error instanceof RangeError ||
        (error instanceof GraphQLError && /more tha[nt] \d+ tokens/.test(error.message));
      throw tooMany ? limitError('tokens', limits.tokens) : error;
    }
  };

  // The time of some rules grows with the square of the size, so documents beyond a limit are not validated.
  const check = (document: DocumentNode): readonly GraphQLError[] => {
    try {
      const beyond = checkLimits(schema, document, limits);
      if (beyond.length > 0) return beyond;
      const hideSuggestions = !introspection;
      const all = validate(schema, document, rules, { hideSuggestions });
      const isAborted = all.some(({ message }) => message === abortedMessage);
      // The other rules still tell what they find.
      const found = isAborted ? validate(schema, document, others, { hideSuggestions }) : all;
      if (found.length > 0) return introspection ? found : found.map(withoutSuggestion);
      if (isAborted) return [limitError('comparisons', maxComparisons)];
      const tooLarge = checkLiteralSizes(document);
      return tooLarge ? [tooLarge] : [];
    } catch (error) {
      if (error instanceof RangeError) return [limitError('tokens', limits.tokens)];
      throw error;
    }
  };

  /** The last document, held weakly: a refused document is parsed again to report its errors. */
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

  /** An invalid text may have a secret anywhere, so it is not cached. */
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
    // A document that was not parsed here is validated each time.
    validate: (document) => faultsOf(documents.get(document) ?? { document, faults: undefined }),
    find: (text) => {
      try {
        const known = knownOf(text);
        return faultsOf(known).length === 0 ? known.document : undefined;
      } catch {
        // The code that answers the request meets the same error again, and reports it.
        return undefined;
      }
    },
    keeps: (text) => texts.has(text),
  };
};
