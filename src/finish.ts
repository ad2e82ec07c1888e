import type { ExecutionResult } from 'graphql';
import { toGraphQLErrors } from './errors.ts';
import { createInfoWriter, errorFacts, type Log } from './log.ts';
import type { Incoming } from './request.ts';

/** Makes the result of an operation ready to leave, whichever way it came in. */
export type Finish = (result: ExecutionResult, incoming: Incoming) => ExecutionResult;

export interface FinishOptions {
  readonly log: Log;
}

/**
 * The line that each operation leaves in the log: these members, and nothing else of the request. Written by
 * hand, since every request pays for it; an id is of letters, digits and a few signs, see `Receive`.
 */
const lineOf = ({ caller, operation, began }: Incoming, codes: readonly unknown[]): string => {
  // V8 remembers the texts of whole numbers.
  const tenths = Math.round((performance.now() - began) * 10);
  const milliseconds = `${Math.floor(tenths / 10)}.${tenths % 10}`;
  const facts = operation === undefined ? '' : `,${operation}`;
  const found = codes.length === 0 ? '[]' : JSON.stringify(codes);
  return `"requestId":"${caller.requestId}"${facts},"milliseconds":${milliseconds},"upstreamCalls":${caller.budget.taken},"codes":${found}`;
};

/**
 * Lets every error leave through `toGraphQLError`, lists the upstream calls where that is asked for, and
 * leaves a line in the log.
 */
export const createFinish = ({ log }: FinishOptions): Finish => {
  const note = createInfoWriter(log, 'operation');
  return (result, incoming) => {
    const { caller, explain } = incoming;
    const { requestId } = caller;
    const onUnexpected = (error: unknown): void =>
      log.error({ requestId, ...errorFacts(error) }, 'unexpected error');
    const errors = result.errors && toGraphQLErrors(result.errors, { requestId, onUnexpected });
    const codes = new Set(errors?.map(({ extensions }) => extensions.code));
    note(lineOf(incoming, [...codes]));
    if (!errors && !explain) return result;
    return {
      ...result,
      ...(errors && { errors }),
      ...(explain && {
        extensions: { ...result.extensions, upstream: caller.calls?.list() ?? [] },
      }),
    };
  };
};
