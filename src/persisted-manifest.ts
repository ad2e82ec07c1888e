import { readFileSync } from 'node:fs';
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
