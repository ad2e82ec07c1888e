import { type Answer, type Call, type CallerIds, failed, type Send } from '../call.ts';
import { decodeFailure, isSuccess } from '../decode.ts';
import { type Failure, UpstreamError } from '../error.ts';
import type { Row } from '../row.ts';
import { firstLine } from '../secrets.ts';

interface FailuresOptions {
  /** The spellings of the upstream's own address. */
  readonly addresses: readonly string[];
  /** Called for every failed call whose failure the caller has not caused. */
  readonly onFailure: (failure: Failure, ids: CallerIds) => void;
}

/** The spellings of an upstream's address. Messages of the upstream may contain them, and callers must not see them. */
export const addressesOf = ({ href, origin, host, hostname, port }: URL): readonly string[] =>
  // A plain word or a small number would be found in many sentences.
  [href, origin, host, hostname, port].filter((address) => /[.:]|\d{4}/.test(address));

/** Whether the caller caused the failure, or the gateway refused the call to spare the upstream. */
const isCallers = ({ reason, status, inFlightMs, cause }: Failure): boolean => {
  if (status !== undefined) return status >= 400 && status < 500;
  // The call's time was up while it waited to be sent.
  const wasWaiting = reason === 'timeout' && inFlightMs === undefined && cause === undefined;
  return wasWaiting || ['aborted', 'circuit-open', 'no-slot', 'stopping'].includes(reason);
};

/** What the profile or the interface says about a failure. */
const adviceFor = (
  { status, reason }: Pick<Failure, 'status' | 'reason'>,
  { api, permission, whenNotRunning }: Row,
): string | undefined => {
  if (status === 403) return permission && `The key needs the permission ${permission}.`;
  if (status === 424) return whenNotRunning;
  return reason === 'no-such-route' ? api.missingRoute?.meaning : undefined;
};

/** The answers that errors came from, apart from the errors: these are logged, and an answer may hold secrets. */
const answers = new WeakMap<UpstreamError, Answer>();

/** The answer that an error came from; undefined if none came, or if the error is from memory. */
export const answerBehind = (error: UpstreamError): Answer | undefined => answers.get(error);

/** Turns an unsuccessful answer into an `UpstreamError`, which quotes the upstream without secrets. */
export const createFailures = ({ addresses, onFailure }: FailuresOptions) => {
  const ownAddresses = addresses.map((text) => ({ text, known: text.length }));
  return async <Each extends Call>(call: Each, next: Send<Each>): Promise<Answer> => {
    try {
      const answer = await next(call);
      if (isSuccess(answer)) return answer;
      const { detail, requestId, ...facts } = decodeFailure(
        call.row.operation,
        call.row.api,
        answer,
      );
      const { secrets } = call.caller;
      const error = failed(call, {
        ...facts,
        advice: adviceFor(facts, call.row),
        detail: detail ? firstLine(detail, [...secrets.all(), ...ownAddresses]) : undefined,
        requestId: requestId && secrets.areMissingIn(requestId) ? requestId : undefined,
      });
      answers.set(error, answer);
      throw error;
    } catch (error) {
      if (error instanceof UpstreamError && !isCallers(error.failure)) {
        onFailure(error.failure, call.caller);
      }
      throw error;
    }
  };
};
