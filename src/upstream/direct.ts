import { type Answer, type Call, type Caller, isWrite, type Send } from './call.ts';
import type { UpstreamName } from './error.ts';
import type { Tell } from './fate.ts';
import type { RestInterface } from './interface.ts';
import type { Method } from './operation.ts';
import type { PathStart, PathTemplate } from './path.ts';
import type { ReadCall } from './reads/read-call.ts';
import { areIdentifiers, credentialOf, timeToAnswerMs } from './request.ts';
import type { Ids, Row } from './row.ts';

/** A call as a tool wrote it. */
export interface DirectCall {
  readonly method: Method;
  /** The path, with its query. */
  readonly target: string;
  /** JSON; undefined for a call without a body. */
  readonly body: string | undefined;
  /** The media types that the tool accepts. */
  readonly accept: string;
  /** Whether JSON is among them. */
  readonly acceptsJson: boolean;
  /** The time of `performance.now()` until which the tool waits for an answer, if it says so. */
  readonly answerBy: number | undefined;
}

/**
 * Makes a call as a tool wrote it, with the limits and the memory of all other calls. Rejects with an `UpstreamError`; see
 * `answerBehind`.
 */
export interface Direct {
  /** What the log says about a call: no identifier and no query. */
  nameOf(call: Pick<DirectCall, 'method' | 'target'>): string;
  send(caller: Omit<Caller, 'reads' | 'tell'>, call: DirectCall): Promise<Answer>;
}

interface DirectOptions {
  readonly name: UpstreamName;
  /** The rows of all interfaces that the upstream serves. */
  readonly rows: readonly Row[];
  /** These interfaces; one that holds a part of another one's paths comes before it. */
  readonly apis: readonly RestInterface[];
  readonly send: Send<ReadCall>;
  readonly tell: Tell<Call>;
}

/** A row, and the identifiers in the path. */
interface Found {
  readonly row: Row;
  readonly ids: Ids;
}

/** An answer from memory counts for a tool as long as the tool allows, however long the row says. */
const anyAgeMs = 24 * 3_600_000;

/** The identifiers in a path, given as its segments; undefined if the row has another path. */
const idsIn = (row: readonly string[], path: readonly string[]): Ids | undefined => {
  if (row.length !== path.length) return undefined;
  const ids: Record<string, string> = {};
  for (const [index, segment] of path.entries()) {
    const own = row[index] ?? '';
    if (own.startsWith('{')) ids[own.slice(1, -1)] = segment;
    else if (own !== segment) return undefined;
  }
  return ids;
};

/** Whether reads of this row may have this query; a path may end with an empty one. */
const mayHave = ({ operation: { shape, names } }: Row, query: string | undefined): boolean => {
  if (query === undefined) return true;
  const known = Object.values(names ?? {});
  const isKnown = [...new URLSearchParams(query).keys()].every((name) => known.includes(name));
  // Pages of a list have queries of any form.
  return names ? isKnown : shape === 'list';
};

const fixed = ({ path, isWhole }: PathStart): PathTemplate => ({
  parameters: [],
  fill: () => path,
  fillStart: () => ({ path, isWhole }),
});

/** A row for a path that no row has. */
const foreignRow = (api: RestInterface, method: Method, path: string): Row => ({
  ...{ api, name: 'other', isForeign: true, path: fixed({ path, isWhole: true }), takesIds: false },
  operation: { method, path: '/{other}', shape: 'nothing', documented: true },
  changes: method === 'GET' ? [] : api.changedBy(path).map(fixed),
});

export const createDirect = ({ name, rows, apis, send, tell }: DirectOptions): Direct => {
  const known = rows.map((row) => ({ row, segments: row.operation.path.split('/') }));

  const find = ({ method, target }: Pick<DirectCall, 'method' | 'target'>): Found | undefined => {
    const [path = ''] = target.split('?', 1);
    const segments = path.split('/');
    for (const { row, segments: own } of known) {
      const ids = row.operation.method === method ? idsIn(own, segments) : undefined;
      if (ids && areIdentifiers(row, ids)) return { row, ids };
    }
    return undefined;
  };

  const foreign = ({ method, target }: DirectCall): Found => {
    const api = apis.find(({ holds }) => holds?.(target) ?? true);
    if (!api) throw new TypeError(`${name} has no interface`);
    return { row: foreignRow(api, method, target), ids: {} };
  };

  const sendTelling = async (call: ReadCall): Promise<Answer> => {
    const began = performance.now();
    const ended = isWrite(call) ? call.caller.time.beginWrite() : undefined;
    try {
      const answer = await send(call);
      tell({ kind: 'answered', call });
      return answer;
    } catch (error) {
      tell({ kind: 'failed', call, error, milliseconds: performance.now() - began });
      throw error;
    } finally {
      ended?.();
    }
  };

  return {
    nameOf: (call) => find(call)?.row.operation.path ?? 'other',
    send: async (given, call) => {
      const { method, target, body, accept, acceptsJson, answerBy = Infinity } = call;
      const isChange = method !== 'GET';
      const found = find(call);
      // Memory has JSON alone, and only what GraphQL may ask for.
      const [, query] = /\?(.*)/.exec(target) ?? [];
      const isOfRow = found && (isChange || (acceptsJson && mayHave(found.row, query)));
      const { row, ids } = isOfRow ? found : foreign(call);
      const caller = { ...given, tell, calls: undefined, reads: new Map() };
      const { time, signal } = given;
      const deadline = isChange ? time.writeDeadline : time.deadline;
      return sendTelling({
        ...{ id: {}, row, ids, ...credentialOf(caller, row), caller, signal, body },
        ...{ path: target, mustBeSent: false, isDirect: true, freshMs: anyAgeMs },
        accept: isChange || row.isForeign ? accept : undefined,
        // An apply of many writes must not stop pages, so these come after what pages need; see `inOrder`.
        priority: isChange ? 'read' : 'tool',
        latest: Math.min(deadline, answerBy) - timeToAnswerMs,
      });
    },
  };
};
