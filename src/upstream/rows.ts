import type { RestInterface } from './interface.ts';
import type { AnyOperation, Operations } from './operation.ts';
import { compilePath, type PathTemplate } from './path.ts';
import type { Profile } from './profile.ts';
import type { Row } from './row.ts';

/** The operations of an interface at the paths of its profile. */
export const atPaths = <Rows extends Operations>(
  operations: Rows,
  { name: profile, paths }: Profile<Rows>,
): Operations =>
  Object.fromEntries(
    Object.entries(operations).map(([name, { onlyIn, ...operation }]) => [
      name,
      {
        ...operation,
        path: paths?.[name] ?? operation.path,
        // A write that is not there changes nothing.
        ...(onlyIn && !onlyIn.includes(profile) && { changes: [] }),
      },
    ]),
  );

/**
 * Prepares rows for a service, and maps them by name.
 *
 * @param beside the operations of another interface that the same upstream serves: a write of one may change reads of both
 * @param hasForeignWrites see `Row`
 */
export const createRows = <Rows extends Operations>(
  operations: Rows,
  api: RestInterface,
  profile: Profile<Rows>,
  beside: Operations = {},
  hasForeignWrites = false,
): ReadonlyMap<string, Row> => {
  const all: Operations = { ...beside, ...atPaths(operations, profile) };
  const pathOf = (name: string): string => {
    const operation = all[name];
    if (!operation) throw new TypeError(`No operation ${name}`);
    return operation.path;
  };
  const templateOf = (name: string): PathTemplate => compilePath(pathOf(name));
  const takesQuery = (name: string): boolean => all[name]?.takesQuery === true;
  /** For each write that changes the read and lacks one of its identifiers: the identifiers that the write has. */
  const changedFrom = (read: string): readonly (readonly string[])[] =>
    Object.entries(all)
      .filter(([, { changes }]) => changes?.includes(read))
      .map(([write]) => templateOf(write).parameters)
      .filter(
        (given) =>
          takesQuery(read) || templateOf(read).parameters.some((name) => !given.includes(name)),
      );
  /** The paths of a read: any query may follow some, and all pages of a list except the first have one. */
  const pathsOf = (name: string): readonly string[] => {
    if (takesQuery(name)) return [`${pathOf(name)}{query}`];
    return all[name]?.shape === 'list' ? [pathOf(name), `${pathOf(name)}?{page}`] : [pathOf(name)];
  };

  return new Map(
    Object.entries(operations).map(([name, declared]): [string, Row] => {
      const rule = profile.rules?.[name];
      const operation: AnyOperation = {
        ...declared,
        path: pathOf(name),
        ...(rule && { rule }),
        ...(profile.documented?.includes(name) && { documented: true }),
      };
      const row = {
        api,
        name,
        operation,
        path: templateOf(name),
        takesIds: compilePath(declared.path).parameters.length > 0,
        // With two upstreams, the other interface is not changed.
        changes: (operation.changes ?? [])
          .filter((each) => each in all)
          .flatMap(pathsOf)
          .map(compilePath),
        changedFrom: changedFrom(name),
        hasForeignWrites,
        pageSize: profile.pageSizes?.[name],
        permission: profile.permissionOf?.(declared),
        whenNotRunning: profile.whenNotRunning,
        read: profile.read?.[name],
        write: profile.write?.[name],
      };
      return [name, row];
    }),
  );
};
