import type { UpstreamName } from '../../../src/upstream/error.ts';
import { managementOperations } from '../../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../../src/upstream/observability/operations.ts';
import type { AnyOperation } from '../../../src/upstream/operation.ts';
import { compilePath } from '../../../src/upstream/path.ts';
import { rows } from '../../operations/table.ts';
import type { Request } from '../../support/upstream/simulated.ts';

type Ids = Readonly<Record<string, string>>;

export interface ReadKind {
  readonly upstream: UpstreamName;
  /** What it shows. */
  readonly path: string;
  readonly freshSeconds: number;
  /** Returns the name of the record, or of the first one of the list. */
  read(request: Request): Promise<unknown>;
}

export interface WriteKind {
  readonly upstream: UpstreamName;
  /** The paths of the reads that its row says it changes. */
  readonly changes: readonly string[];
  write(request: Request): Promise<unknown>;
}

const operations: readonly (readonly [name: string, row: AnyOperation])[] = Object.entries({
  ...managementOperations('command'),
  ...observabilityOperations,
}).filter(([, { onlyIn }]: [string, AnyOperation]) => onlyIn === undefined);

/** What the parameters of a path may be: the first parent has two children, the second one, and further ones none. */
const idsOf = ({ path }: AnyOperation): readonly Ids[] =>
  compilePath(path).parameters.reduce<readonly Ids[]>(
    (parents, name) =>
      parents
        .flatMap((parent, index) => [parent, parent].slice(index))
        .map((parent, number) => {
          const id = `${name.length}${number}`;
          const uuid = `0a9a0000-0000-4000-8000-${id.padStart(12, '0')}`;
          return { ...parent, [name]: path.startsWith('/v1') ? uuid : id };
        }),
    [{}],
  );

const upstreamOf = ({ path }: AnyOperation): UpstreamName =>
  path.startsWith('/v1') ? 'management' : 'observability';

/** Calls the method of that name, whose types a table of names cannot keep. */
const call = (
  request: Request,
  upstream: UpstreamName,
  name: string,
  given: readonly unknown[],
) => {
  const client: object = request[upstream];
  return Reflect.apply(Reflect.get(client, name), client, given) as Promise<unknown>;
};

const readsWithIds = operations
  .filter(([, { method }]) => method === 'GET')
  .flatMap(([name, row]) =>
    idsOf(row).map((ids) => {
      const upstream = upstreamOf(row);
      const read = async (request: Request): Promise<unknown> => {
        const found = await call(request, upstream, name, [ids]);
        const record = (Array.isArray(found) ? found[0] : found) as { name?: unknown } | undefined;
        return record?.name;
      };
      const path = compilePath(row.path).fill(ids);
      const kind: ReadKind = { upstream, path, freshSeconds: row.freshSeconds ?? 0, read };
      return { name, ids, kind };
    }),
  );

/** Every read, of things that have siblings and parents. */
export const readKinds: readonly ReadKind[] = readsWithIds.map(({ kind }) => kind);

/** The body that test/operations/table.ts has for a write. */
const bodyOf = ({ method, path }: AnyOperation): unknown => {
  const line = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const calls = Object.values(rows).flatMap((row) => row.calls);
  return calls.find(([each, , body]) => line.test(each) && body !== undefined)?.[2];
};

/** Every write, of two things. */
export const writeKinds: readonly WriteKind[] = operations
  .filter(([, { method }]) => method !== 'GET')
  .flatMap(([name, row]) =>
    idsOf(row)
      .slice(0, 2)
      .map((ids) => {
        const upstream = upstreamOf(row);
        const given = [...(Object.keys(ids).length > 0 ? [ids] : []), bodyOf(row)];
        const changed = readsWithIds.filter(
          (read) =>
            row.changes?.includes(read.name) &&
            Object.entries(read.ids).every(([each, id]) => (ids[each] ?? id) === id),
        );
        const changes = changed.map(({ kind }) => kind.path);
        return { upstream, changes, write: (request) => call(request, upstream, name, given) };
      }),
  );
