import type { UpstreamName } from '../../../src/upstream/error.ts';
import { managementOperations } from '../../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../../src/upstream/observability/operations.ts';
import type { AnyOperation } from '../../../src/upstream/operation.ts';
import { compilePath } from '../../../src/upstream/path.ts';
import { rows } from '../../operations/table.ts';
import type { Request } from './simulated.ts';

/** What a read shows: its path, in small letters, since an upstream takes UUIDs in either case (RFC 9562). */
export type Part = string;
type Named = { readonly id: string; readonly name?: unknown } | undefined;
type Ids = Readonly<Record<string, string>>;

interface Kind {
  readonly name: string;
  readonly upstream: UpstreamName;
  /** Whether all profiles have it. */
  readonly isCommon: boolean;
}

export interface ReadKind extends Kind {
  readonly path: Part;
  readonly freshSeconds: number;
  /** Whether earlier results must not answer it. */
  readonly isFresh: boolean;
  /** Returns the record, or the first one of the list. */
  read(request: Request): Promise<Named>;
}

export interface WriteKind extends Kind {
  readonly changes: readonly Part[];
  write(request: Request): Promise<unknown>;
}

const operations: readonly (readonly [name: string, row: AnyOperation])[] = Object.entries({
  ...managementOperations('command'),
  ...observabilityOperations,
});

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

/** In the other case where they are UUIDs. */
const inCapitals = (ids: Ids): Ids =>
  Object.fromEntries(
    Object.entries(ids).map(([name, id]) => [name, id.length === 36 ? id.toUpperCase() : id]),
  );

const kindOf = (name: string, { path, onlyIn }: AnyOperation): Kind => ({
  ...{ name, isCommon: onlyIn === undefined },
  upstream: path.startsWith('/v1') ? 'management' : 'observability',
});

/** Calls the method of that name, whose types a table of names cannot keep. */
const call = (request: Request, { name, upstream }: Kind, ...given: readonly unknown[]) => {
  const client: object = request[upstream];
  return Reflect.apply(Reflect.get(client, name), client, given) as Promise<unknown>;
};

/** Every read, of things that have siblings and parents. */
export const readKinds: readonly (ReadKind & { readonly ids: Ids })[] = operations
  .filter(([, { method }]) => method === 'GET')
  .flatMap(([name, row]) =>
    idsOf(row).map((ids) => {
      const kind = kindOf(name, row);
      const path = compilePath(row.path).fill(ids).toLowerCase();
      const read = async (request: Request) => {
        const found = await call(request, kind, ids);
        return (Array.isArray(found) ? found[0] : found) as Named;
      };
      return { ...kind, ids, path, freshSeconds: row.freshSeconds ?? 0, isFresh: false, read };
    }),
  );

/** The same reads in other ways: by another spelling, and past all that is kept. */
export const otherReadKinds: readonly ReadKind[] = readKinds.flatMap(({ ids, ...kind }) => {
  const id = inCapitals(ids) as { organizationId: string; serviceId: string; pipeId: string };
  const { alertId = '' } = ids;
  const ways: Readonly<Record<string, Partial<ReadKind>>> = {
    getPipe: { read: ({ management }) => management.getPipe(id) },
    getAlert: {
      isFresh: true,
      read: ({ observability }) => observability.fresh('getAlert', { alertId }),
    },
  };
  const way = ways[kind.name];
  return way ? [{ ...kind, ...way }] : [];
});

/** The body that test/operations/table.ts has for a write. */
const bodyOf = ({ method, path }: AnyOperation): unknown => {
  const line = new RegExp(`^${method} ${path.replaceAll(/\{\w+\}/g, '[^/]+')}$`);
  const calls = Object.values(rows).flatMap((row) => row.calls);
  return calls.find(([each]) => line.test(each))?.[2];
};

/** Every write, of two things, with the paths of the reads that its row says it changes. */
export const writeKinds: readonly WriteKind[] = operations
  .filter(([, { method }]) => method !== 'GET')
  .flatMap(([name, row]) =>
    idsOf(row)
      .slice(0, 2)
      .map((ids) => {
        const kind = kindOf(name, row);
        const isChanged = (read: (typeof readKinds)[number]): boolean =>
          row.changes?.includes(read.name) === true &&
          Object.entries(read.ids).every(([each, id]) => (ids[each] ?? id) === id);
        const given = [...(Object.keys(ids).length > 0 ? [inCapitals(ids)] : []), bodyOf(row)];
        return {
          ...kind,
          changes: readKinds.filter(isChanged).map(({ path }) => path),
          write: (request: Request) => call(request, kind, ...given),
        };
      }),
  );
