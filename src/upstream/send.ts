import type { CallLog } from './call-log.ts';
import type { Cancellation } from './cancellation.ts';
import { decode } from './decode.ts';
import { type Failure, type Problem, UpstreamError } from './error.ts';
import type { InFlight } from './in-flight.ts';
import type { RestInterface } from './interface.ts';
import type { AnyOperation, Rule } from './operation.ts';
import { checkIdentifier, type PathTemplate } from './path.ts';
import { redact, secretsIn, secretsOfCredential } from './secrets.ts';
import { causeOf, reasonOf, type Transport, type UpstreamAnswer } from './transport.ts';

/** What a caller brought for one upstream. */
export type Credential =
  | { readonly kind: 'given'; readonly value: string }
  | { readonly kind: 'absent' }
  | { readonly kind: 'refused'; readonly detail: string };

/** One request to the gateway, as far as an upstream may know of it. */
export interface Caller {
  readonly credential: Credential;
  readonly requestId: string;
  /** `traceparent` and `tracestate`, where they came. */
  readonly traceHeaders: Readonly<Record<string, string>>;
  /** Takes note of every call. */
  readonly calls: CallLog;
  /** The secrets that went out with this request: no later answer to it may repeat them either. */
  readonly secrets: Set<string>;
  /** Tells when the caller has gone. */
  readonly cancellation: Cancellation;
}

/** What one upstream's calls have in common. */
export interface ClientOptions {
  readonly api: RestInterface;
  readonly transport: Transport;
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

/** Throws every breach at once, before anything is sent. */
export const checkIdentifiers = (
  { api }: ClientOptions,
  row: Row,
  ids: Ids,
  others: readonly Problem[] = [],
): void => {
  const problems = row.path.parameters.flatMap(
    (name) => checkIdentifier(name, ids[name], api.identifiers) ?? [],
  );
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

/** Sends once, and reads the answer. Rejects with an `UpstreamError`. */
export const send = async (
  options: ClientOptions,
  caller: Caller,
  row: Row,
  path: string,
  body: unknown,
  cancellation: Cancellation,
): Promise<unknown> => {
  const { api, transport } = options;
  const credential = authorization(options, row, caller.credential);
  const encode = row.operation.encode as ((body: unknown) => unknown) | undefined;
  const text = body === undefined ? undefined : JSON.stringify(encode ? encode(body) : body);
  const { method } = row.operation;
  const headers: Record<string, string> = {
    authorization: credential,
    accept: 'application/json',
    'user-agent': options.userAgent,
    'x-request-id': caller.requestId,
    ...caller.traceHeaders,
  };
  if (text !== undefined) {
    headers['content-type'] = 'application/json';
    for (const secret of secretsIn(body)) caller.secrets.add(secret);
  }
  const call = caller.calls.begin({ name: api.name, operation: row.name, method, path });
  let answer: UpstreamAnswer;
  try {
    answer = await transport.send({ method, path, headers, body: text }, cancellation);
  } catch (error) {
    call.end();
    const failed = fail(api, row, { reason: reasonOf(error) });
    if (failed.failure.reason !== 'aborted') {
      options.onFailure(failed.failure, causeOf(error), caller.requestId);
    }
    throw failed;
  }
  call.end(answer.status);
  const decoded = decode(row.operation, api, answer);
  if ('failure' in decoded) {
    const { detail } = decoded.failure;
    const secrets = detail ? [...secretsOfCredential(credential), ...caller.secrets] : [];
    const failed = fail(api, row, {
      ...decoded.failure,
      detail: detail && oneLine(redact(detail, secrets)),
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
