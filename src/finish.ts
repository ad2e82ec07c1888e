import type { ExecutionResult } from 'graphql';
import { toGraphQLError } from './errors.ts';
import { createInfoWriter, errorFacts, type LineMembers, type Log } from './log.ts';
import type { Incoming } from './request.ts';

/** Makes the result of an operation ready to leave, whichever way it came in. */
export type Finish = (result: ExecutionResult, incoming: Incoming) => ExecutionResult;

export interface FinishOptions {
  readonly log: Log;
  /** Whether a request may ask for its upstream calls with `Sluice-Explain: 1`. */
  readonly explain: boolean;
}

/** The line that each operation leaves in the log: these members, and nothing else of the request. */
const lineOf = (
  { caller, operation, began }: Incoming,
  codes: readonly unknown[],
): LineMembers => ({
  requestId: caller.requestId,
  operationName: operation?.name,
  operationType: operation?.type,
  operationHash: operation?.hash,
  milliseconds: Math.round((performance.now() - began) * 10) / 10,
  upstreamCalls: caller.budget.taken,
  codes,
});

/**
 * Lets every error leave through `toGraphQLError`, lists the upstream calls where that is asked for, and
 * leaves a line in the log.
 */
export const createFinish = ({ log, explain }: FinishOptions): Finish => {
  const note = createInfoWriter(log, 'operation');
  return (result, incoming) => {
    const { caller } = incoming;
    const explained = explain && incoming.explain;
    const { requestId } = caller;
    const onUnexpected = (error: unknown): void =>
      log.error({ requestId, ...errorFacts(error) }, 'unexpected error');
    const errors = result.errors?.map((error) =>
      toGraphQLError(error, { requestId, onUnexpected }),
    );
    note(lineOf(incoming, errors?.map(({ extensions }) => extensions.code) ?? []));
    if (!errors && !explained) return result;
    return {
      ...result,
      ...(errors && { errors }),
      ...(explained && { extensions: { ...result.extensions, upstream: caller.calls.list() } }),
    };
  };
};
