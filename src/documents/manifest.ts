import { readFileSync } from 'node:fs';
import { isObject } from '../is-object.ts';
import { hashOf } from './literals.ts';

/** The manifest cannot be used; the message completes the sentence "PERSISTED_OPERATIONS_FILE …". */
export class PersistedOperationsError extends Error {
  override readonly name = 'PersistedOperationsError';
}

/** Document texts by their SHA-256, in lower-case hexadecimal. */
export type Manifest = ReadonlyMap<string, string>;

/**
 * The hash in a document identifier. Appendix A of GraphQL over HTTP puts the name of the algorithm before the hash.
 */
export const hashIn = (identifier: string): string => identifier.replace(/^sha256:/, '');

/**
 * Reads a manifest: a JSON object of hashes and texts, as graphql-codegen writes it. The hashes may begin with
 * `sha256:`.
 * @throws PersistedOperationsError for the first error in the manifest.
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
  for (const [identifier, text] of Object.entries(json)) {
    if (typeof text !== 'string') throw fail(`has no text for ${JSON.stringify(identifier)}`);
    const hash = hashOf(text);
    if (hashIn(identifier) !== hash) {
      throw fail(`has ${JSON.stringify(identifier)} for a text whose SHA-256 is "${hash}"`);
    }
    manifest.set(hash, text);
  }
  return manifest;
};
