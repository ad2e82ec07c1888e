import type { SmallMap } from '../small.ts';
import type { Breaker } from './breaker.ts';
import type { CallCount } from './call-budget.ts';
import type { CallLog } from './call-log.ts';
import type { Cancellation, CancelReason } from './cancellation.ts';
import { type Failure, type Problem, UpstreamError } from './error.ts';
import type { InFlight } from './in-flight.ts';
import type { RestInterface } from './interface.ts';
import type { AnyOperation, Rule } from './operation.ts';
import { checkIdentifier, isIdentifier, type PathTemplate } from './path.ts';
import { reasonOfCancel, type Transport } from './transport.ts';
import type { Turns } from './turns.ts';

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
  /** As keys, the secrets that went out with this request: no later answer to it may repeat them either. */
  readonly secrets: SmallMap<string, true>;
  /** Whether anything that it reads has arrived, or failed to. */
  readonly arrivals: { any: boolean };
  /** How many calls it may make. */
  readonly budget: CallCount;
  /** Tells when the caller has gone, or its time is up. */
  readonly cancellation: Cancellation;
}

/** Where it is told what a call came to: one of both, once, and perhaps at once. */
export interface Settle {
  resolve(result: unknown): void;
  /** With an `UpstreamError`. */
  reject(error: unknown): void;
}

/** What one upstream's calls have in common. */
export interface ClientOptions {
  readonly api: RestInterface;
  readonly transport: Transport;
  /** Who may use a connection of the transport, and when. */
  readonly turns: Turns;
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

/** The error of a call that fails so. */
export const fail = (
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
  const { parameters } = row.path;
  const { identifiers } = api;
  // Nearly always there is nothing to say.
  if (others.length === 0 && parameters.every((name) => isIdentifier(ids[name], identifiers)))
    return;
  const found = parameters.map((name) => checkIdentifier(name, ids[name], identifiers));
  const problems = [...found.filter((problem) => problem !== undefined), ...others];
  throw fail(api, row, { reason: 'invalid-request', problems });
};

/** The path of what may be sent at all, once its identifiers are checked. */
export const allowedPath = (options: ClientOptions, row: Row, ids: Ids): string => {
  if (!row.operation.documented && !options.extendedReads) {
    throw fail(options.api, row, { reason: 'switched-off' });
  }
  return row.path.fill(ids);
};

/** The path, once every identifier and the body keep the rules. */
export const checkedPath = (options: ClientOptions, row: Row, ids: Ids, body: unknown): string => {
  // The row's own type ties rule and body together; here all rows are alike.
  const rule = row.operation.rule as Rule<unknown> | undefined;
  checkIdentifiers(options, row, ids, rule?.(body));
  return allowedPath(options, row, ids);
};
