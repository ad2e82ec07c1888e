import type { ExecutionResult } from 'graphql';
import { toGraphQLError } from './errors.ts';
import { errorFacts, type Log } from './log.ts';
import type { Incoming } from './request.ts';

/** Makes the result of an operation ready to leave, whichever way it came in. */
export type Finish = (result: ExecutionResult, incoming: Incoming) => ExecutionResult;

export interface FinishOptions {
  readonly log: Log;
  /** Whether a request may ask for its upstream calls with `Sluice-Explain: 1`. */
  readonly explain: boolean;
}

/** Lets every error leave through `toGraphQLError`, and lists the upstream calls where that is asked for. */
export const createFinish =
  ({ log, explain }: FinishOptions): Finish =>
  (result, { caller, explain: asked }) => {
    const explained = explain && asked;
    if (!result.errors && !explained) return result;
    const { requestId } = caller;
    const onUnexpected = (error: unknown): void =>
      log.error({ requestId, ...errorFacts(error) }, 'unexpected error');
    return {
      ...result,
      ...(result.errors && {
        errors: result.errors.map((error) => toGraphQLError(error, { requestId, onUnexpected })),
      }),
      ...(explained && { extensions: { ...result.extensions, upstream: caller.calls.list() } }),
    };
  };
