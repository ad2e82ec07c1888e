import type { IncomingMessage } from 'node:http';
import { GraphQLError } from 'graphql';
import { hashIn, type Manifest } from '../documents/manifest.ts';
import { isObject } from '../is-object.ts';
import type { GatewayPlugin } from './plugin.ts';

/** Whether requests cannot, may or must name operations by hash. */
type PersistedOperationsMode = 'off' | 'allow' | 'only';

/** The text for a request: its own text, or the text that its hash names. */
type FindText = (request: {
  readonly query?: unknown;
  readonly documentId?: unknown;
  readonly extensions?: unknown;
}) => string | GraphQLError | undefined;

/** Clients such as Apollo Client and urql know some of these codes and messages, and then send the text. */
const refusal = (code: string, message: string): GraphQLError =>
  new GraphQLError(message, { extensions: { code } });

/** The hash by which a request names its operation: `documentId`, or Apollo's `persistedQuery`. */
const namedHash = ({ documentId, extensions }: Parameters<FindText>[0]): unknown => {
  if (documentId !== undefined && documentId !== null) return documentId;
  const persisted = isObject(extensions) ? extensions.persistedQuery : undefined;
  return isObject(persisted) ? (persisted.sha256Hash ?? undefined) : undefined;
};

/**
 * Finds the texts of requests. If requests must name operations, a request with a text is refused even if the manifest
 * has the text, so that the request alone shows whether it is allowed.
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
          'This gateway executes only persisted operations: name one by its hash.',
        );
      }
      if (query !== undefined && query !== null) {
        return refusal(
          'PERSISTED_OPERATION_REQUIRED',
          'This gateway executes only persisted operations: send the hash without a text.',
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

/**
 * Replaces the hash in a request with the text of the operation.
 *
 * @param isOwn whether the operation is one of the gateway's own, which is not looked for in the manifest
 */
export const usePersistedOperations = (
  mode: PersistedOperationsMode,
  manifest: Manifest,
  isOwn: (req: IncomingMessage) => boolean = () => false,
): GatewayPlugin => {
  const findText = createFindText(mode, manifest);
  return {
    onParams: ({ request, params, setParams, context }) => {
      if (isOwn(context.req)) return;
      // From the URL of a GET, Yoga reads only the parameters of the GraphQL over HTTP specification.
      const documentId =
        request.method === 'GET' ? new URL(request.url).searchParams.get('documentId') : undefined;
      const text = findText(documentId ? { ...params, documentId } : params);
      if (text instanceof GraphQLError) throw text;
      if (text !== undefined) setParams({ ...params, query: text });
    },
  };
};
