import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type SelectionSetNode,
} from 'graphql';
import type { StreamUse } from '../live/stream-limit.ts';
import { readsOf } from '../schema/reads.ts';
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

/** The credential that a subscription uses; undefined if the request has no such credential. */
export const streamUseOf = (
  { schema, document, operationName }: Pick<ExecutionArgs, 'schema' | 'document' | 'operationName'>,
  { credentials }: Pick<UpstreamCaller, 'credentials'>,
): StreamUse | undefined => {
  const operation = getOperationAST(document, operationName);
  const field = operation && rootFieldOf(document, operation.selectionSet);
  // All that its subfields read is of the same upstream.
  const upstream = readsOf(schema).readOf('Query', field ?? '')?.operation.upstream;
  if (upstream === undefined) return undefined;
  const credential = credentials[upstream];
  return credential.kind === 'given' ? { upstream, credential } : undefined;
};
