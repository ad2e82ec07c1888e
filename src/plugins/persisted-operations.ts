import { GraphQLError } from 'graphql';
import { hashIn, type Manifest } from '../documents/manifest.ts';
import { isObject } from '../is-object.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Whether operations are named by hash, may be, or must be. */
type PersistedOperationsMode = 'off' | 'allow' | 'only';

/** The text that a request stands for: its own, or the one that it names. */
type FindText = (request: {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}) => string | GraphQLError | undefined;

/** Clients of Apollo and urql know some of these by the very code or message, and then send the text. */
const refusal = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code } });

/** The hash by which a request names its operation: `documentId`, or Apollo's `persistedQuery`. */
const namedHash = ({ documentId, extensions }: Parameters<FindText>[0]): unknown => {
  if (documentId !== undefined && documentId !== null) return documentId;
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  return isObject(persisted) ? (persisted.sha256Hash ?? undefined) : undefined;
};

/**
 * Finds the texts of requests. Where operations must be named, a text of a request's own is refused, even
 * one that the manifest holds: what is allowed shows in the request alone.
 */
const createFindText =
  (mode: PersistedOperationsMode, manifest: Manifest): FindText =>
  (request) => {
    const { query } = request;
    const hash = namedHash(request);
    if (mode === 'only') {
      if (hash === undefined) {
        return refusal(
          'PERSISTED_OPERATION_REQUIRED',
          'This gateway executes persisted operations alone: name one by its hash.',
        );
      }
      if (query !== undefined && query !== null) {
        return refusal(
          'PERSISTED_OPERATION_REQUIRED',
          'This gateway executes persisted operations alone: send the hash without a text.',
        );
      }
    } else if (hash === undefined || typeof query === 'string') {
      return typeof query === 'string' ? query : undefined;
    }
    if (mode === 'off') {
      return refusal('PERSISTED_QUERY_NOT_SUPPORTED', 'PersistedQueryNotSupported');
    }
    const text = typeof hash === 'string' ? manifest.get(hashIn(hash)) : undefined;
    return text ?? refusal('PERSISTED_QUERY_NOT_FOUND', 'PersistedQueryNotFound');
  };

/** Puts the text of the operation in place of the hash by which a request names it. */
export const usePersistedOperations = (
  mode: PersistedOperationsMode,
  manifest: Manifest,
): GatewayPlugin => {
  const findText = createFindText(mode, manifest);
  return {
    onParams: ({ request, params, setParams }) => {
      // Yoga reads no parameter of a GET but those that GraphQL knows.
      const documentId =
        request.method === 'GET' ? new URL(request.url).searchParams.get('documentId') : undefined;
      const text = findText(documentId ? { ...params, documentId } : params);
      if (text instanceof GraphQLError) throw text;
      if (text !== undefined) setParams({ ...params, query: text });
    },
  };
};
