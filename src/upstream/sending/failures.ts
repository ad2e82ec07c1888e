import { failed, type Step } from '../call.ts';
import { decodeFailure, isSuccess } from '../decode.ts';
import { type Failure, UpstreamError } from '../error.ts';
import { firstLine } from '../secrets.ts';

interface FailuresOptions {
  /** The forms in which the upstream's own address could be named. */
  readonly addresses: readonly string[];
  /** Told of every call that failed and that the caller is not to blame for. */
  readonly onFailure: (failure: Failure, requestId: string) => void;
}

/** The forms in which an upstream may name itself to those who need not know where it is. */
export const addressesOf = ({ href, origin, host, hostname, port }: URL): readonly string[] =>
  // A word or a small number would be found in sentences about anything.
  [href, origin, host, hostname, port].filter((address) => /[.:]|\d{4}/.test(address));

/** Whether the caller brought it about, or the gateway refused it for the upstream's sake. */
const isCallers = ({ reason, status, inFlightMs, cause }: Failure): boolean => {
  if (status !== undefined) return status >= 400 && status < 500;
  // One whose time was up while it waited to be sent.
  const wasWaiting = reason === 'timeout' && inFlightMs === undefined && cause === undefined;
  return wasWaiting || reason === 'aborted' || reason === 'circuit-open' || reason === 'no-slot';
};

/** Turns an answer that is no success into an `UpstreamError`, with the upstream's own words where they are safe to show. */
export const createFailures = ({ addresses, onFailure }: FailuresOptions): Step => {
  const ownAddresses = addresses.map((text) => ({ text, known: text.length }));
  return async (call, next) => {
    try {
      const answer = await next(call);
      if (isSuccess(answer)) return answer;
      const { detail, requestId, ...facts } = decodeFailure(
        call.row.operation,
        call.row.api,
        answer,
      );
      const { secrets } = call.caller;
      throw failed(call, {
        ...facts,
        advice: answer.status === 424 ? call.row.whenNotRunning : undefined,
        detail: detail ? firstLine(detail, [...secrets.all(), ...ownAddresses]) : undefined,
        requestId: requestId && secrets.areMissingIn(requestId) ? requestId : undefined,
      });
    } catch (error) {
      if (error instanceof UpstreamError && !isCallers(error.failure)) {
        onFailure(error.failure, call.caller.requestId);
      }
      throw error;
    }
  };
};
