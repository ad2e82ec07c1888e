import { isObject } from '../is-object.ts';
import { type Call, isWrite } from './call.ts';
import type { UpstreamName } from './error.ts';
import type { Method } from './operation.ts';
import { jsonWithoutSecrets } from './secrets.ts';

/** A write that would be sent. */
interface PlannedCall {
  readonly upstream: UpstreamName;
  readonly operation: string;
  readonly method: Method;
  readonly path: string;
  /** JSON without secrets; null if the operation takes no body. */
  readonly body: string | null;
}

/** A value that would change; JSON without secrets, and null where there is none. */
interface PlannedChange {
  readonly path: readonly string[];
  readonly before: string | null;
  readonly after: string | null;
}

/** The writes that a change would send. */
export interface Plan {
  /** The reads that the change makes before it writes, as method and path. */
  readonly reads: readonly string[];
  readonly calls: readonly PlannedCall[];
  readonly changes: readonly PlannedChange[];
  /** Gives the object that the next write changes, in the form of the write's body. */
  comparesWith(before: object): void;
  /** Notes a read that is sent, or a write in place of sending it. */
  note(call: Call, given: unknown): void;
}

interface Difference {
  readonly path: readonly string[];
  readonly before: unknown;
  readonly after: unknown;
}

type Row = Readonly<Record<string, unknown>> & { readonly id: string };

const areRows = (value: unknown): value is readonly Row[] =>
  Array.isArray(value) && value.every((item) => isObject(item) && typeof item.id === 'string');

const idsOf = (rows: readonly Row[], others: readonly Row[]): readonly string[] =>
  rows.map(({ id }) => id).filter((id) => others.some((other) => other.id === id));

/** Lists with identifiers are compared item by item, so a new tile does not make all tiles after it look changed. */
const betweenRows = (
  before: readonly Row[],
  after: readonly Row[],
  compare: (before: unknown, after: unknown, id: string) => readonly Difference[],
): readonly Difference[] => {
  const [old, now] = [before, after].map((rows) => new Map(rows.map((row) => [row.id, row])));
  const ids = new Set([...before, ...after].map(({ id }) => id));
  const differences = [...ids].flatMap((id) => compare(old?.get(id), now?.get(id), id));
  const [oldOrder, newOrder] = [idsOf(before, after), idsOf(after, before)];
  const isSameOrder = oldOrder.every((id, at) => id === newOrder[at]);
  return isSameOrder
    ? differences
    : [{ path: [], before: oldOrder, after: newOrder }, ...differences];
};

const isUnset = (value: unknown): value is null | undefined =>
  value === null || value === undefined;

/** @param isWhole whether what `after` lacks is lost; else it stays */
const differencesBetween = (
  before: unknown,
  after: unknown,
  isWhole: boolean,
  path: readonly string[] = [],
): readonly Difference[] => {
  const at = (name: string, old: unknown, now: unknown) =>
    differencesBetween(old, now, isWhole, [...path, name]);
  if (isObject(before) && isObject(after)) {
    const names = new Set([...(isWhole ? Object.keys(before) : []), ...Object.keys(after)]);
    return [...names].flatMap((name) => at(name, before[name], after[name]));
  }
  if (areRows(before) && areRows(after)) {
    return betweenRows(before, after, (old, now, id) => at(id, old, now)).map((each) =>
      each.path.length === 0 ? { ...each, path } : each,
    );
  }
  const areEqualLists =
    Array.isArray(before) &&
    Array.isArray(after) &&
    before.length === after.length &&
    before.every((item, index) => at('', item, after[index]).length === 0);
  const areEqual = areEqualLists || before === after || (isUnset(before) && isUnset(after));
  return areEqual ? [] : [{ path, before, after }];
};

export const createPlan = (): Plan => {
  const reads: string[] = [];
  const calls: PlannedCall[] = [];
  const changes: PlannedChange[] = [];
  let compared: object | undefined;
  return {
    ...{ reads, calls, changes },
    comparesWith: (before) => {
      compared = before;
    },
    note: (call, given) => {
      const { row, path, body } = call;
      const { method } = row.operation;
      if (!isWrite(call)) {
        reads.push(`${method} ${path}`);
        return;
      }
      const secrets = call.caller.secrets.all();
      const shown = (value: unknown, within: readonly string[] = []): string | null =>
        isUnset(value) ? null : jsonWithoutSecrets(value, secrets, within);
      const differences = compared ? differencesBetween(compared, given, method === 'PUT') : [];
      compared = undefined;
      changes.push(
        ...differences.map(({ path: at, before, after }) => ({
          ...{ path: at, before: shown(before, at), after: shown(after, at) },
        })),
      );
      calls.push({
        ...{ upstream: row.api.name, operation: row.name, method, path },
        body: shown(body && JSON.parse(body)),
      });
    },
  };
};
