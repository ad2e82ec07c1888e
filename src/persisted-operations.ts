import { readFileSync } from 'node:fs';
import { GraphQLError } from 'graphql';
import { hashOf } from './hash.ts';
import { isObject } from './is-object.ts';

/** The manifest cannot be used; the message completes the sentence "PERSISTED_OPERATIONS_FILE …". */
export class PersistedOperationsError extends Error {
  override readonly name = 'PersistedOperationsError';
}

/** Document texts by their SHA-256, in lower-case hexadecimal. */
export type Manifest = ReadonlyMap<string, string>;

/**
 * Reads a manifest: JSON of hashes and texts, as graphql-codegen writes it.
 * @throws PersistedOperationsError for the first thing that is wrong with it.
 */
export const readManifest = (file: string | undefined): Manifest => {
  const fail = (message: string) => new PersistedOperationsError(message);
  if (file === undefined) throw fail('is required where PERSISTED_OPERATIONS is not off');
  let json: unknown;
  try {
    json = JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    const unreadable = error instanceof Error && 'code' in error;
    throw fail(`${JSON.stringify(file)} ${unreadable ? 'cannot be read' : 'is not JSON'}`);
  }
  if (!isObject(json)) throw fail('must hold an object of hashes and document texts');
  const manifest = new Map<string, string>();
  for (const [hash, text] of Object.entries(json)) {
    if (typeof text !== 'string') throw fail(`has no text for ${JSON.stringify(hash)}`);
    if (hashOf(text) !== hash) {
      throw fail(`has a text that is not that of its SHA-256 ${JSON.stringify(hash)}`);
    }
    manifest.set(hash, text);
  }
  return manifest;
};

/** The text that a request stands for: its own, or the one that it names. */
export type FindText = (request: {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}) => string | GraphQLError | undefined;

const refusal = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code } });

/** The hash by which a request names its operation: `documentId`, or Apollo's `persistedQuery`. */
const namedHash = ({ documentId, extensions }: Parameters<FindText>[0]): unknown => {
  if (documentId !== undefined && documentId !== null) return documentId;
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  return isObject(persisted) ? persisted.sha256Hash : undefined;
};

/**
 * Finds the texts of requests. Where operations must be named, a text of a request's own is refused, even
 * one that the manifest holds: what is allowed shows in the request alone.
 */
export const createFindText = (mode: 'off' | 'allow' | 'only', manifest: Manifest): FindText => {
  if (mode === 'off') {
    return ({ query }) => (typeof query === 'string' ? query : undefined);
  }
  return (request) => {
    const { query } = request;
    const hash = namedHash(request);
    if (hash === undefined || (mode === 'allow' && typeof query === 'string')) {
      if (mode === 'only') {
        return refusal(
          'PERSISTED_OPERATION_REQUIRED',
          'This gateway executes persisted operations alone: name one by its hash.',
        );
      }
      return typeof query === 'string' ? query : undefined;
    }
    if (mode === 'only' && query !== undefined && query !== null) {
      return refusal(
        'PERSISTED_OPERATION_REQUIRED',
        'This gateway executes persisted operations alone: send the hash without a text.',
      );
    }
    const text = typeof hash === 'string' ? manifest.get(hash) : undefined;
    return (
      text ??
      refusal('PERSISTED_OPERATION_NOT_FOUND', 'No persisted operation has the hash that was sent.')
    );
  };
};
