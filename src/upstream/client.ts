import { decode } from './decode.ts';
import { type Failure, type Problem, UpstreamError } from './error.ts';
import type { RestInterface } from './interface.ts';
import type { AnyOperation, Identifiers, Operation, Operations, Rule } from './operation.ts';
import { checkIdentifier, compilePath, type PathTemplate } from './path.ts';
import { redact, secretsIn, secretsOfCredential } from './secrets.ts';
import { reasonOf, type Transport } from './transport.ts';

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
  readonly trace: Readonly<Record<string, string>>;
  readonly signal?: AbortSignal | undefined;
}

type Arguments<Ids, Body> = [
  ...(keyof Ids extends never ? [] : [identifiers: Ids]),
  ...([Body] extends [undefined] ? [] : [body: Body]),
];

type Method<Row> =
  Row extends Operation<infer Path, infer Body, infer Result>
    ? (...args: Arguments<Identifiers<Path>, Body>) => Promise<Result>
    : never;

type ReadOf<Row> =
  Row extends Operation<infer Path, undefined, infer Result>
    ? { ids: Identifiers<Path>; result: Promise<Result> }
    : never;

/**
 * One method a row, bound to one caller for one request. Equal reads share one call, failed or not; a
 * write forgets them. Every method rejects with an `UpstreamError`, and with nothing else.
 */
export type Client<Table> = { readonly [Name in keyof Table]: Method<Table[Name]> } & {
  /** Throws what the method would reject with on account of its identifiers; sends nothing. */
  check<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): void;
  /** The read as this request already has it, under way or done; it never starts one. */
  held<Name extends keyof Table & string>(
    name: Name,
    identifiers: ReadOf<Table[Name]>['ids'],
  ): ReadOf<Table[Name]>['result'] | undefined;
};

export interface ClientOptions {
  readonly api: RestInterface;
  readonly transport: Transport;
  readonly userAgent: string;
  /** Whether the reads beyond the document may be sent (design, section 6). */
  readonly extendedReads: boolean;
  /** Told of list rows that had no identifier and were left out. */
  readonly onUnusableRows: (operation: string, rows: number, requestId: string) => void;
}

interface Row {
  readonly name: string;
  readonly operation: AnyOperation;
  readonly path: PathTemplate;
}

type Ids = Readonly<Record<string, string>>;

const fail = (api: RestInterface, row: Row, failure: Omit<Failure, 'upstream' | 'operation'>) =>
  new UpstreamError({ upstream: api.name, operation: row.name, ...failure });

/** Throws every breach at once, before anything is sent. */
const checkIdentifiers = (
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
const checkedPath = (options: ClientOptions, row: Row, ids: Ids, body: unknown): string => {
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

/** Sends once, and reads the answer. */
const send = async (
  options: ClientOptions,
  caller: Caller,
  row: Row,
  path: string,
  body: unknown,
): Promise<unknown> => {
  const { api, transport } = options;
  const credential = authorization(options, row, caller.credential);
  const encode = row.operation.encode as ((body: unknown) => unknown) | undefined;
  const text = body === undefined ? undefined : JSON.stringify(encode ? encode(body) : body);
  const headers: Record<string, string> = {
    authorization: credential,
    accept: 'application/json',
    'user-agent': options.userAgent,
    'x-request-id': caller.requestId,
    ...caller.trace,
    ...(text !== undefined && { 'content-type': 'application/json' }),
  };
  const answer = await transport
    .send({ method: row.operation.method, path, headers, body: text, signal: caller.signal })
    .catch((error: unknown) => {
      throw fail(api, row, { reason: reasonOf(error) });
    });
  const decoded = decode(row.operation, api, answer);
  if ('failure' in decoded) {
    const { detail } = decoded.failure;
    const secrets = detail ? [...secretsOfCredential(credential), ...secretsIn(body)] : [];
    throw fail(api, row, { ...decoded.failure, detail: detail && redact(detail, secrets) });
  }
  if (decoded.unusableRows > 0) {
    options.onUnusableRows(row.name, decoded.unusableRows, caller.requestId);
  }
  return decoded.result;
};

/** Prepares a table once; the returned function binds it to a caller. */
export const createClientFactory = <Table extends Operations>(
  table: Table,
  options: ClientOptions,
): ((caller: Caller) => Client<Table>) => {
  const rows = Object.entries(table).map(
    ([name, operation]): Row => ({ name, operation, path: compilePath(operation.path) }),
  );
  const rowsByName = new Map(rows.map((row) => [row.name, row]));

  return (caller) => {
    const reads = new Map<string, Promise<unknown>>();

    const read = (row: Row, path: string): Promise<unknown> => {
      const held = reads.get(path);
      if (held) return held;
      const started = send(options, caller, row, path, undefined);
      reads.set(path, started);
      return started;
    };

    const write = async (row: Row, path: string, body: unknown): Promise<unknown> => {
      reads.clear();
      try {
        return await send(options, caller, row, path, body);
      } finally {
        reads.clear();
      }
    };

    const call = (row: Row, args: readonly unknown[]): Promise<unknown> => {
      const takesIds = row.path.parameters.length > 0;
      const ids = takesIds ? (args[0] as Ids) : {};
      const body = takesIds ? args[1] : args[0];
      let path: string;
      try {
        path = checkedPath(options, row, ids, body);
      } catch (error) {
        return Promise.reject(error);
      }
      return row.operation.method === 'GET' ? read(row, path) : write(row, path, body);
    };

    const client: Record<string, unknown> = {
      check: (name: string, ids: Ids) => {
        const row = rowsByName.get(name);
        if (row) checkIdentifiers(options, row, ids);
      },
      held: (name: string, ids: Ids) => {
        const path = rowsByName.get(name)?.path.fill(ids);
        return path === undefined ? undefined : reads.get(path);
      },
    };
    for (const row of rows) client[row.name] = (...args: unknown[]) => call(row, args);
    // Built row by row from the table that the type is computed from.
    return client as Client<Table>;
  };
};
