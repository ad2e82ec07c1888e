import { readFileSync } from 'node:fs';

/** The lists of what the public contracts have: facts without their sentences. `npm run contracts -- FILE…` writes them. */
export const names = ['clickhouse-cloud', 'clickstack'] as const;
export type Name = (typeof names)[number];

export const pathOf = (name: Name): string => new URL(`${name}.txt`, import.meta.url).pathname;

/** An operation. `takes` and `answers` are types; absent if it has none, or if the list does not cover it. */
export interface Operation {
  readonly id: string;
  /** `METHOD /path`, with `{}` for each parameter. */
  readonly call: string;
  readonly takes?: string | undefined;
  readonly answers?: string | undefined;
}

/** The types of an object's members by their names, or the names of the schemas of which it is one. */
type Schema = { readonly members: ReadonlyMap<string, string> } | { readonly variants: string };

export interface Contract {
  readonly operations: readonly Operation[];
  readonly schemas: ReadonlyMap<string, Schema>;
}

const operationOf = (line: string): Operation | undefined => {
  const [, id, call, takes, answers] =
    /^(\w+) ([A-Z]+ \/\S+)(?: < (\S+))?(?: > (\S+))?$/.exec(line) ?? [];
  return id && call ? { id, call, takes, answers } : undefined;
};

const schemaOf = (line: string): readonly [string, Schema] | undefined => {
  const [, name, kind, rest = ''] = /^([\w.]+)(:| =) ?(.*)$/.exec(line) ?? [];
  if (!name) return undefined;
  if (kind === ' =') return [name, { variants: rest }];
  const members = rest.split(' ').map((member): [string, string] => {
    const [, title = '', type = 'text'] = /^([^:]+)(?::(.*))?$/.exec(member) ?? [];
    return [title, type];
  });
  return [name, { members: new Map(members) }];
};

export const parseContract = (text: string): Contract => {
  const lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  const operations = lines.flatMap((line) => operationOf(line) ?? []);
  const schemas = new Map(
    lines.flatMap((line) => {
      const schema = operationOf(line) ? undefined : schemaOf(line);
      return schema ? [schema] : [];
    }),
  );
  if (operations.length + schemas.size < lines.length) throw new Error('A line cannot be read.');
  return { operations, schemas };
};

export const readContract = (name: Name): Contract =>
  parseContract(readFileSync(pathOf(name), 'utf8'));

const simple: Readonly<Record<string, unknown>> = {
  text: 'text',
  time: '2026-11-04T10:00:10Z',
  number: 7,
  boolean: true,
  object: { any: 'text' },
};

/**
 * Values of a type, with every member set: one if it has no variants, else as many as are needed to have each variant. A
 * list has all values of its items.
 */
export const valuesOf = (contract: Contract, type: string): readonly unknown[] => {
  if (type.endsWith('[]')) return [valuesOf(contract, type.slice(0, -2))];
  if (type.startsWith('"')) return [JSON.parse(type)];
  if (type in simple) return [simple[type]];
  const names = type.split('|');
  if (names.length > 1) return names.flatMap((name) => valuesOf(contract, name));
  const schema = contract.schemas.get(type);
  if (!schema) throw new Error(`The list has no schema ${type}.`);
  if ('variants' in schema) return valuesOf(contract, schema.variants);
  const members = [...schema.members].map(
    ([name, each]) => [name, valuesOf(contract, each)] as const,
  );
  const count = Math.max(1, ...members.map(([, values]) => values.length));
  return Array.from({ length: count }, (_, at) =>
    Object.fromEntries(members.map(([name, values]) => [name, values[at % values.length]])),
  );
};
