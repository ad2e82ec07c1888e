import type { Breaker, CallOutcome } from './breaker.ts';
import type { CallBudget } from './call-budget.ts';
import type { CallLog } from './call-log.ts';
import { type Cancellation, type CancelReason, pause } from './cancellation.ts';
import { decode } from './decode.ts';
import { type Failure, type Problem, UpstreamError } from './error.ts';
import type { InFlight } from './in-flight.ts';
import type { RestInterface } from './interface.ts';
import type { AnyOperation, Rule } from './operation.ts';
import { checkIdentifier, type PathTemplate } from './path.ts';
import { retryDelay } from './retries.ts';
import { redact, secretsIn, secretsOfCredential } from './secrets.ts';
import {
  causeOf,
  reasonOf,
  reasonOfCancel,
  type Transport,
  type UpstreamAnswer,
} from './transport.ts';

/** What a caller brought for one upstream. */
export type Credential =
  | { readonly kind: 'given'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly detail: string };

/** One request to the gateway, as far as an upstream may know of it. */
export interface Caller {
  readonly credential: Credential;
  readonly requestId: string;
  /** `traceparent` and `tracestate`, where they came: name, value, name, value. */
  readonly traceHeaders: readonly string[];
  /** Takes note of every call. */
  readonly calls: CallLog;
  /** The secrets that went out with this request: no later answer to it may repeat them either. */
  readonly secrets: Set<string>;
  /** How many calls it may make. */
  readonly budget: CallBudget;
  /** Tells when the caller has gone, or its time is up. */
  readonly cancellation: Cancellation;
}

/** What one upstream's calls have in common. */
export interface ClientOptions {
  readonly api: RestInterface;
  readonly transport: Transport;
  readonly breaker: Breaker;
  /** How often a read is sent again where what failed may pass. */
  readonly maxRetries: number;
  /** The forms in which the upstream's own address could be named. */
  readonly addresses: readonly string[];
  readonly userAgent: string;
  /** Whether the reads beyond the document may be sent (design, section 6). */
  readonly extendedReads: boolean;
  /** Where reads of different requests meet; absent where each makes its own. */
  readonly inFlight?: InFlight | undefined;
  /** Told of list rows that had no identifier and were left out. */
  readonly onUnusableRows: (operation: string, rows: number, requestId: string) => void;
  /** Told of every call that the upstream, not the caller, is to blame for. */
  readonly onFailure: (failure: Failure, cause: string | undefined, requestId: string) => void;
}

/** A row of a table, prepared. */
export interface Row {
  readonly name: string;
  readonly operation: AnyOperation;
  readonly path: PathTemplate;
}

export type Ids = Readonly<Record<string, string>>;

const fail = (
  api: RestInterface,
  { name, operation }: Row,
  failure: Omit<Failure, 'upstream' | 'operation' | 'write'>,
) =>
  new UpstreamError({
    upstream: api.name,
    operation: name,
    write: operation.method !== 'GET',
    ...failure,
  });

/** The error of a call that this caller waits for no longer. */
export const givenUp = ({ api }: ClientOptions, row: Row, reason: CancelReason): UpstreamError =>
  fail(api, row, { reason: reasonOfCancel(reason) });

/** Throws every breach at once, before anything is sent. */
export const checkIdentifiers = (
  { api }: ClientOptions,
  row: Row,
  ids: Ids,
  others: readonly Problem[] = [],
): void => {
  const problems: Problem[] = [];
  for (const name of row.path.parameters) {
    const problem = checkIdentifier(name, ids[name], api.identifiers);
    if (problem) problems.push(problem);
  }
  problems.push(...others);
  if (problems.length > 0) throw fail(api, row, { reason: 'invalid-request', problems });
};

/** The path, once every identifier and the body keep the rules. */
export const checkedPath = (options: ClientOptions, row: Row, ids: Ids, body: unknown): string => {
  // The row's own type ties rule and body together; here all rows are alike.
  const rule = row.operation.rule as Rule<unknown> | undefined;
  checkIdentifiers(options, row, ids, rule?.(body));
  if (!row.operation.documented && !options.extendedReads) {
    throw fail(options.api, row, { reason: 'switched-off' });
  }
  return row.path.fill(ids);
};

const authorization = ({ api }: ClientOptions, row: Row, credential: Credential): string => {
  if (credential.kind === 'given') return credential.value;
  throw credential.kind === 'absent'
    ? fail(api, row, { reason: 'no-credential' })
    : fail(api, row, { reason: 'bad-credential', detail: credential.detail });
};

/** At most 500 characters of the first line. After redaction, or the rest of a cut secret would remain. */
const oneLine = (text: string): string | undefined =>
  text
    .trim()
    .split(/[\r\n\u2028\u2029]/, 1)[0]
    ?.replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, 500) || undefined;

/** What a call that brought no answer tells of the upstream. */
const outcomeOf = ({ reason }: Failure): CallOutcome => {
  if (reason === 'aborted' || reason === 'queue-full') return 'unknown';
  return reason === 'timeout' || reason === 'unreachable' ? 'failure' : 'success';
};

/** Counts one more call of the caller's; throws where it may make no more. */
const charge = ({ api }: ClientOptions, { budget }: Caller, row: Row): void => {
  if (!budget.take()) throw fail(api, row, { reason: 'over-budget' });
};

/** Everything that is fixed before the first sending. */
interface Prepared {
  readonly row: Row;
  readonly path: string;
  readonly text: string | undefined;
  readonly credential: string;
}

/** Exchanges request and answer once. */
const exchange = async (
  options: ClientOptions,
  caller: Caller,
  { row, path, text, credential }: Prepared,
  cancellation: Cancellation,
): Promise<UpstreamAnswer> => {
  const { api, breaker, transport } = options;
  const { method } = row.operation;
  const headers = [
    'authorization',
    credential,
    'accept',
    'application/json',
    'user-agent',
    options.userAgent,
    'x-request-id',
    caller.requestId,
    ...caller.traceHeaders,
  ];
  if (text !== undefined) headers.push('content-type', 'application/json');
  const call = caller.calls.begin({ name: api.name, operation: row.name, method, path });
  try {
    const answer = await transport.send({ method, path, headers, body: text }, cancellation);
    call.end(answer.status);
    breaker.settle(answer.status >= 500 ? 'failure' : 'success');
    return answer;
  } catch (error) {
    call.end();
    const failed = fail(api, row, { reason: reasonOf(error) });
    breaker.settle(outcomeOf(failed.failure));
    if (failed.failure.reason !== 'aborted') {
      options.onFailure(failed.failure, causeOf(error), caller.requestId);
    }
    throw failed;
  }
};

/** Reads an answer; throws what it says went wrong. */
const read = (
  options: ClientOptions,
  caller: Caller,
  { row, credential }: Prepared,
  answer: UpstreamAnswer,
): unknown => {
  const { api } = options;
  const decoded = decode(row.operation, api, answer);
  if ('failure' in decoded) {
    const { detail } = decoded.failure;
    const secrets = detail
      ? [...secretsOfCredential(credential), ...caller.secrets, ...options.addresses]
      : [];
    const failed = fail(api, row, {
      ...decoded.failure,
      detail: detail ? oneLine(redact(detail, secrets)) : undefined,
    });
    if (answer.status < 400 || answer.status >= 500) {
      options.onFailure(failed.failure, undefined, caller.requestId);
    }
    throw failed;
  }
  if (decoded.unusableRows > 0) {
    options.onUnusableRows(row.name, decoded.unusableRows, caller.requestId);
  }
  return decoded.result;
};

const sendOnce = async (
  options: ClientOptions,
  caller: Caller,
  prepared: Prepared,
  cancellation: Cancellation,
): Promise<unknown> => {
  const { budget } = caller;
  const turn = budget.begin(cancellation);
  if (turn) await turn;
  try {
    if (cancellation.reason) throw givenUp(options, prepared.row, cancellation.reason);
    if (!options.breaker.allow()) {
      budget.refund();
      throw fail(options.api, prepared.row, { reason: 'circuit-open' });
    }
    return read(options, caller, prepared, await exchange(options, caller, prepared, cancellation));
  } finally {
    budget.end();
  }
};

const sendPrepared = async (
  options: ClientOptions,
  caller: Caller,
  prepared: Prepared,
  cancellation: Cancellation,
): Promise<unknown> => {
  for (let retry = 0; ; retry += 1) {
    try {
      return await sendOnce(options, caller, prepared, cancellation);
    } catch (error) {
      if (!(error instanceof UpstreamError)) throw error;
      const more = retry < options.maxRetries;
      const delay = more ? retryDelay(error.failure, retry, Math.random()) : undefined;
      if (delay === undefined) throw error;
      await pause(delay, cancellation);
      if (cancellation.reason || !caller.budget.take()) throw error;
    }
  }
};

/**
 * Sends, and reads the answer; a read once more, or twice, where what failed may pass. Throws at once what
 * the caller itself lacks, and rejects with what the call fails with: an `UpstreamError` in either case.
 */
export const send = (
  options: ClientOptions,
  caller: Caller,
  row: Row,
  path: string,
  body: unknown,
  cancellation: Cancellation,
): Promise<unknown> => {
  const credential = authorization(options, row, caller.credential);
  charge(options, caller, row);
  const encode = row.operation.encode as ((body: unknown) => unknown) | undefined;
  const text = body === undefined ? undefined : JSON.stringify(encode ? encode(body) : body);
  for (const secret of secretsIn(body)) caller.secrets.add(secret);
  return sendPrepared(options, caller, { row, path, text, credential }, cancellation);
};
