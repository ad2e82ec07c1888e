/** A JSON value. */
export type Json =
  | null
  | boolean
  | number
  | string
  | readonly Json[]
  | { readonly [name: string]: Json };

/** Stands for a value that the next run would not show again, or that nobody should see. */
export const mask = '…';

const isObject = (value: Json): value is { readonly [name: string]: Json } =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isList = (value: Json): value is readonly Json[] => Array.isArray(value);

/**
 * What two runs of an operation have in common: a scalar that differs, and one under the name of a
 * secret, is masked; null stays null. Throws, with the path, where the runs differ in shape.
 */
export const common = (
  first: Json,
  second: Json,
  secrets: ReadonlySet<string>,
  path = 'answer',
): Json => {
  const differ = (): Error => new Error(`two runs of an example differ in shape at ${path}`);
  if (isList(first)) {
    if (!isList(second) || first.length !== second.length) throw differ();
    const others = second;
    return first.map((item, index) =>
      common(item, others[index] ?? null, secrets, `${path}.${index}`),
    );
  }
  if (isObject(first)) {
    if (!isObject(second) || Object.keys(first).join() !== Object.keys(second).join()) {
      throw differ();
    }
    const others = second;
    return Object.fromEntries(
      Object.entries(first).map(([name, value]) => {
        const shown = common(value, others[name] ?? null, secrets, `${path}.${name}`);
        return [name, secrets.has(name) && shown !== null ? mask : shown];
      }),
    );
  }
  if (isList(second) || isObject(second) || (first === null) !== (second === null)) throw differ();
  return first === second ? first : mask;
};

const members = (value: Json, write: (item: Json, key: string) => string): readonly string[] => {
  if (isList(value)) return value.map((item) => write(item, ''));
  if (!isObject(value)) return [];
  return Object.entries(value).map(([name, item]) => write(item, `${JSON.stringify(name)}: `));
};

const onOneLine = (value: Json): string => {
  const parts = members(value, (item, key) => key + onOneLine(item)).join(', ');
  if (isList(value)) return `[${parts}]`;
  if (!isObject(value)) return JSON.stringify(value);
  return parts === '' ? '{}' : `{ ${parts} }`;
};

/** JSON as people write it: what fits on a line of 100 columns stands on one. */
export const written = (value: Json, indent = '', key = ''): string => {
  const line = onOneLine(value);
  const isOpen = isList(value) || isObject(value);
  // A comma may follow.
  if (!isOpen || indent.length + key.length + line.length < 100) return key + line;
  const inner = `${indent}  `;
  const lines = members(value, (item, name) => inner + written(item, inner, name));
  const [open, close] = isList(value) ? ['[', ']'] : ['{', '}'];
  return `${key}${open}\n${lines.join(',\n')}\n${indent}${close}`;
};
