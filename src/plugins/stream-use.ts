import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { StreamUse } from '../live/stream-limit.ts';
import { upstreamOf } from '../resolvers/subscription.ts';
import type { UpstreamName } from '../upstream/error.ts';
import type { UpstreamCaller } from '../upstream/index.ts';

/** The only root field of a subscription whose document is valid. */
const rootFieldOf = (
  document: DocumentNode,
  { selections }: SelectionSetNode,
): string | undefined => {
  for (const node of selections) {
    if (node.kind === Kind.FIELD) return node.name.value;
    const fragment =
      node.kind === Kind.INLINE_FRAGMENT
        ? node
        : document.definitions.find(
            (each) => each.kind === Kind.FRAGMENT_DEFINITION && each.name.value === node.name.value,
          );
    const found =
      fragment && 'selectionSet' in fragment
        ? rootFieldOf(document, fragment.selectionSet)
        : undefined;
    if (found !== undefined) return found;
  }
  return undefined;
};

const upstreams: ReadonlyMap<string, UpstreamName> = new Map(Object.entries(upstreamOf));

/** The credential that a subscription uses; undefined if the request has no such credential. */
export const streamUseOf = (
  { document, operationName }: Pick<ExecutionArgs, 'document' | 'operationName'>,
  { credentials }: Pick<UpstreamCaller, 'credentials'>,
): StreamUse | undefined => {
  const operation = getOperationAST(document, operationName);
  const field = operation && rootFieldOf(document, operation.selectionSet);
  const upstream = upstreams.get(field ?? '');
  if (upstream === undefined) return undefined;
  const credential = credentials[upstream];
  return credential.kind === 'given' ? { upstream, credential } : undefined;
};
