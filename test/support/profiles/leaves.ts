type Path = readonly (string | number)[];

/** The places of a record that hold a value, and not members or items. */
export const leavesOf = (value: unknown, at: Path = []): readonly Path[] => {
  if (typeof value !== 'object' || value === null) return value === null ? [] : [at];
  const entries = Array.isArray(value)
    ? value.map((item, index) => [index, item] as const)
    : Object.entries(value);
  return entries.flatMap(([name, member]) => leavesOf(member, [...at, name]));
};

const another = (value: unknown): unknown => {
  if (typeof value === 'number') return value + 1;
  return typeof value === 'boolean' ? !value : `${value}x`;
};

/** The record with another value in one place. */
export const changedAt = (record: unknown, [name, ...rest]: Path): unknown => {
  if (name === undefined) return another(record);
  const copy: Record<string | number, unknown> = Object.assign(
    Array.isArray(record) ? [] : {},
    record,
  );
  copy[name] = changedAt(copy[name], rest);
  return copy;
};

/** A place as the documentation names it: `tiles[].name`. */
export const nameOf = (path: Path): string =>
  path
    .map((name) => (typeof name === 'number' ? '[]' : `.${name}`))
    .join('')
    .replace(/^\./, '');
