import type { UpstreamName } from './error.ts';
import { managementOperations } from './management/operations.ts';
import { observabilityOperations } from './observability/operations.ts';
import type { AnyOperation } from './operation.ts';
import { compilePath } from './path.ts';

/** A row, as the schema sees it. */
export interface OperationFacts {
  readonly name: string;
  readonly upstream: UpstreamName;
  readonly kind: 'read' | 'write';
  readonly isList: boolean;
  /** The identifiers of its path. */
  readonly parameters: readonly string[];
  /** The members of its query. */
  readonly query: readonly string[];
  /** The profiles that have it; none if all have it. */
  readonly profiles: readonly string[];
}

const factsOf =
  (upstream: UpstreamName) =>
  ([name, row]: readonly [string, AnyOperation]): readonly [string, OperationFacts] => [
    name,
    {
      name,
      upstream,
      kind: row.method === 'GET' ? 'read' : 'write',
      isList: row.shape === 'list',
      parameters: compilePath(row.path).parameters,
      query: Object.keys(row.names ?? {}),
      profiles: row.onlyIn ?? [],
    },
  ];

/** The rows of both interfaces, by their names. */
export const operationFacts: ReadonlyMap<string, OperationFacts> = new Map([
  ...Object.entries(managementOperations('')).map(factsOf('management')),
  ...Object.entries(observabilityOperations).map(factsOf('observability')),
]);
