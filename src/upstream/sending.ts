import type { PlacedMembers } from '../written-list.ts';
import {
  type Caller,
  type ClientOptions,
  type Credential,
  fail,
  givenUp,
  type Ids,
  type Row,
  type Settle,
} from './call.ts';
import type { CallUnderWay } from './call-log.ts';
import {
  type CancelListener,
  type Cancellation,
  type CancelReason,
  pause,
} from './cancellation.ts';
import { decode, enclosesList, isSuccess } from './decode.ts';
import { UpstreamError } from './error.ts';
import type { PlaceIdentifiers } from './operation.ts';
import { outcomeOfAnswer, outcomeOfFailure } from './outcome.ts';
import { retryDelay } from './retries.ts';
import { Rows } from './rows.ts';
import { redact, secretsIn, secretsOfCredential } from './secrets.ts';
import { causeOf, type Receiver, reasonOf, type UpstreamAnswer } from './transport.ts';
import type { Turn, Waiter } from './turns.ts';

/** A record, while identifiers are put into it. */
type Json = Record<string, unknown>;

/** What is to be sent. */
export interface CallRequest {
  readonly row: Row;
  readonly ids: Ids;
  /** The row's path, with the identifiers in their places. */
  readonly path: string;
  readonly body: unknown;
}

const authorizationOf = ({ api }: ClientOptions, row: Row, credential: Credential): string => {
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

/** Counts one more call of the caller's; throws where it may make no more. */
const charge = ({ api }: ClientOptions, { budget }: Caller, row: Row): void => {
  if (!budget.take()) throw fail(api, row, { reason: 'over-budget' });
};

/** Everything that is fixed before the first sending. */
interface Prepared extends Omit<CallRequest, 'body'> {
  readonly text: string | undefined;
  readonly credential: string;
}

/** Reads an answer as a whole; throws what it says went wrong. */
const readWhole = (
  options: ClientOptions,
  caller: Caller,
  { row, ids, credential }: Prepared,
  answer: UpstreamAnswer,
): unknown => {
  const { api } = options;
  const { shape, place } = row.operation;
  const decoded = decode(row.operation, api, answer);
  if ('failure' in decoded) {
    const { detail } = decoded.failure;
    const secrets = detail
      ? [...secretsOfCredential(credential), ...caller.secrets.keys(), ...options.addresses]
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
  const { result, unusableRows } = decoded;
  if (unusableRows > 0) options.onUnusableRows(row.name, unusableRows, caller.requestId);
  if (place && shape === 'list') for (const record of result as Json[]) place(record, ids);
  else place?.(result as Json, ids);
  return result;
};

const nothingPlaced: PlacedMembers = { names: [], values: {} };

/** The members that are put into each row; undefined where that depends on the row. */
const placedBy = (place: PlaceIdentifiers | undefined, ids: Ids): PlacedMembers | undefined => {
  if (!place) return nothingPlaced;
  return place.members && { names: place.members, values: ids };
};

/** Reads an answer, a list only when its rows are asked for; throws what it says went wrong. */
const read = (
  options: ClientOptions,
  caller: Caller,
  prepared: Prepared,
  answer: UpstreamAnswer,
): unknown => {
  const { operation } = prepared.row;
  if (operation.shape !== 'list' || !isSuccess(answer)) {
    return readWhole(options, caller, prepared, answer);
  }
  return new Rows(answer.body, {
    whole: () => readWhole(options, caller, prepared, answer) as readonly unknown[],
    enclosesList: (envelope) => enclosesList(options.api, answer, envelope),
    finish: (row) => operation.place?.(row as Json, prepared.ids),
    placed: placedBy(operation.place, prepared.ids),
  });
};

/** One call, from its first sending to its result; a read is sent once more, or twice, where what failed may pass. */
class Sending implements Receiver, Waiter, CancelListener {
  readonly #options: ClientOptions;
  readonly #caller: Caller;
  readonly #prepared: Prepared;
  readonly #cancellation: Cancellation;
  readonly #settle: Settle;
  #retry = 0;
  #call: CallUnderWay | undefined;
  /** Its connection, or its place in the queue for one. */
  #turn: Turn | undefined;

  constructor(
    options: ClientOptions,
    caller: Caller,
    prepared: Prepared,
    cancellation: Cancellation,
    settle: Settle,
  ) {
    this.#options = options;
    this.#caller = caller;
    this.#prepared = prepared;
    this.#cancellation = cancellation;
    this.#settle = settle;
  }

  /** Sends it as soon as the caller has few enough calls under way. */
  begin(): void {
    const turn = this.#caller.budget.begin(this.#cancellation);
    if (turn) void turn.then(() => this.#takeTurn());
    else this.#takeTurn();
  }

  granted(): void {
    this.#cancellation.ignore(this);
    // Others get their places after this one, whatever becomes of it.
    try {
      this.#send();
    } catch (unexpected) {
      this.#turn?.end();
      this.#fail(unexpected);
    }
  }

  dismissed(): void {
    this.#cancellation.ignore(this);
    this.#failOpen();
  }

  cancelled(reason: CancelReason): void {
    this.#failUnsent(givenUp(this.#options, this.#prepared.row, reason));
  }

  answered(answer: UpstreamAnswer): void {
    let result: unknown;
    // This runs within undici, where what is thrown reaches nobody who waits.
    try {
      this.#call?.end(answer.status);
      const { row, credential } = this.#prepared;
      const write = row.operation.method !== 'GET';
      this.#options.breaker.settle(outcomeOfAnswer(write, answer), credential);
      result = read(this.#options, this.#caller, this.#prepared, answer);
    } catch (error) {
      this.#fail(error);
      return;
    }
    this.#caller.budget.end();
    this.#settle.resolve(result);
  }

  failed(error: unknown, inFlightMs: number | undefined): void {
    const { api, breaker, onFailure } = this.#options;
    const { row, credential } = this.#prepared;
    const sent = inFlightMs !== undefined;
    const failed = fail(api, row, { reason: reasonOf(error, sent), sent });
    const cause = causeOf(error);
    try {
      this.#call?.end();
      breaker.settle(outcomeOfFailure(failed.failure, cause, inFlightMs), credential);
      if (failed.failure.reason !== 'aborted') {
        onFailure(failed.failure, cause, this.#caller.requestId);
      }
    } catch (unexpected) {
      this.#fail(unexpected);
      return;
    }
    this.#fail(failed);
  }

  /** Takes a connection, or waits for one where this credential has its share of them already. */
  #takeTurn(): void {
    const { api, breaker, turns, onFailure } = this.#options;
    const { row, credential } = this.#prepared;
    const { reason } = this.#cancellation;
    if (reason) {
      this.cancelled(reason);
      return;
    }
    this.#turn = turns.take(credential, this);
    if (!this.#turn) {
      const failed = fail(api, row, { reason: 'queue-full' });
      onFailure(failed.failure, undefined, this.#caller.requestId);
      this.#failUnsent(failed);
    } else if (!this.#turn.waits) this.granted();
    else if (breaker.state !== 'closed') this.dismissed();
    else this.#cancellation.listen(this);
  }

  /** Fails a call that no connection has seen: it does not count. */
  #failUnsent(error: UpstreamError): void {
    this.#turn?.end();
    this.#caller.budget.refund();
    this.#fail(error);
  }

  /** Fails a call to an upstream whose breaker is open. */
  #failOpen(): void {
    const { api, breaker } = this.#options;
    const { retryAfterSeconds } = breaker;
    this.#failUnsent(fail(api, this.#prepared.row, { reason: 'circuit-open', retryAfterSeconds }));
  }

  /** To be called where there is a connection for it. */
  #send(): void {
    const { api, breaker, transport, userAgent } = this.#options;
    const { row, path, text, credential } = this.#prepared;
    const { calls, requestId, traceHeaders } = this.#caller;
    const turn = this.#turn;
    if (!turn || !breaker.allow(credential)) {
      this.#failOpen();
      return;
    }
    const { method } = row.operation;
    const headers = [
      'authorization',
      credential,
      'accept',
      'application/json',
      'user-agent',
      userAgent,
      'x-request-id',
      requestId,
      ...traceHeaders,
    ];
    if (text !== undefined) headers.push('content-type', 'application/json');
    this.#call = calls.begin({ name: api.name, operation: row.name, method, path });
    transport.send({ method, path, headers, body: text }, this.#cancellation, this, turn);
  }

  /** Ends one sending without a result; another follows, or the call has failed. */
  #fail(error: unknown): void {
    this.#caller.budget.end();
    const more = error instanceof UpstreamError && this.#retry < this.#options.maxRetries;
    const delay = more ? retryDelay(error.failure, this.#retry, Math.random()) : undefined;
    if (delay === undefined) {
      this.#settle.reject(error);
      return;
    }
    void pause(delay, this.#cancellation).then(() => {
      if (this.#cancellation.reason || !this.#caller.budget.take()) {
        this.#settle.reject(error);
        return;
      }
      this.#retry += 1;
      this.begin();
    });
  }
}

/**
 * Sends, and has the result or what the call failed with told to `settle`.
 * Throws at once what the caller itself lacks: an `UpstreamError` too.
 */
export const send = (
  options: ClientOptions,
  caller: Caller,
  request: CallRequest,
  cancellation: Cancellation,
  settle: Settle,
): void => {
  const { row, ids, path, body } = request;
  const credential = authorizationOf(options, row, caller.credential);
  if (cancellation.reason) {
    settle.reject(givenUp(options, row, cancellation.reason));
    return;
  }
  charge(options, caller, row);
  const encode = row.operation.encode as ((body: unknown) => unknown) | undefined;
  const text = body === undefined ? undefined : JSON.stringify(encode ? encode(body) : body);
  if (body !== undefined) for (const secret of secretsIn(body)) caller.secrets.set(secret, true);
  const prepared = { row, ids, path, text, credential };
  new Sending(options, caller, prepared, cancellation, settle).begin();
};
