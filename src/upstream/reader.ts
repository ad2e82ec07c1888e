import { isObject } from '../is-object.ts';
import { type Answer, type Call, type CallerIds, failed } from './call.ts';
import { decode } from './decode.ts';
import type { Failure, UpstreamError, UpstreamName } from './error.ts';
import type { Members } from './profile.ts';

interface ReaderOptions {
  /** Called for list rows that had no identifier and were left out. */
  readonly onUnusableRows: (
    upstream: UpstreamName,
    operation: string,
    rows: number,
    ids: CallerIds,
  ) => void;
  /** Called for an answer that does not fit its row. */
  readonly onFailure: (failure: Failure, ids: CallerIds) => void;
}

/** Applies the profile to a record that is not empty, or to each record of a list. */
const mapped = (result: unknown, read: (record: Members) => Members): unknown => {
  if (Array.isArray(result)) return result.map((record) => mapped(record, read));
  return isObject(result) && Object.keys(result).length > 0 ? read(result) : result;
};

/** The content of an answer. */
export interface Read {
  readonly result: unknown;
  readonly unusableRows: number;
  /** How many rows all pages of a list have together. */
  readonly total?: number | undefined;
  /** How many rows a page of the list can have. */
  readonly limit?: number | undefined;
  /** The cursor of the next page. */
  readonly nextCursor?: string | undefined;
}

export interface Reader {
  /** Throws if the answer does not fit its row. */
  read(call: Call, answer: Answer): Read;
  isUsable(call: Call, answer: Answer): boolean;
  /** The records; undefined if the answer cannot be used. */
  resultOf(call: Call, answer: Answer): unknown;
}

/** Turns answers into records. Each answer is decoded once, for all fields and requests that share it. */
export const createReader = (options: ReaderOptions): Reader => {
  const known = new WeakMap<Answer, Read | { readonly error: UpstreamError }>();

  const read = (call: Call, answer: Answer): Read | { readonly error: UpstreamError } => {
    const { row, ids, caller } = call;
    const decoded = decode(row.operation, row.api, answer);
    if ('failure' in decoded) {
      const { requestId, ...facts } = decoded.failure;
      const isShown = requestId !== undefined && caller.secrets.areMissingIn(requestId);
      const error = failed(call, isShown ? { ...facts, requestId } : facts);
      options.onFailure(error.failure, caller);
      return { error };
    }
    const { unusableRows, total, limit, nextCursor } = decoded;
    const result = row.read ? mapped(decoded.result, row.read) : decoded.result;
    if (unusableRows > 0) options.onUnusableRows(row.api.name, row.name, unusableRows, caller);
    const { addIds } = row.operation;
    if (addIds) {
      // `decode` has checked that these are objects.
      const records = (Array.isArray(result) ? result : [result]) as Record<string, unknown>[];
      for (const record of records) if (isObject(record)) addIds(record, ids);
    }
    return { result, unusableRows, total, limit, nextCursor };
  };

  const decodedOf = (call: Call, answer: Answer): Read | { readonly error: UpstreamError } => {
    const decoded = known.get(answer) ?? read(call, answer);
    known.set(answer, decoded);
    return decoded;
  };

  return {
    read: (call, answer) => {
      const decoded = decodedOf(call, answer);
      if ('error' in decoded) throw decoded.error;
      return decoded;
    },
    isUsable: (call, answer) => !('error' in decodedOf(call, answer)),
    resultOf: (call, answer) => {
      const decoded = decodedOf(call, answer);
      return 'error' in decoded ? undefined : decoded.result;
    },
  };
};
