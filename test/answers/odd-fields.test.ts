import { getNamedType, isObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createSchema } from '../../src/gateway/schema.ts';
import {
  type Documented,
  type Resource,
  resources,
  sources,
} from '../support/documented-fields.ts';
import { type AnswerError, json, useStack, wide } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const service = withIds('service(@service-1)');
const organization = withIds('organization(organizationId: "organization-1")');
const createKey = withIds('createApiKey(input: {@organization-1, name: "k", roles: [ADMIN]})');

/** A record as the wire carries it. */
const wireOf = (resource: Resource): Readonly<Record<string, unknown>> =>
  Object.fromEntries(
    Object.entries(resource).map(([name, { type, members, sample }]) => {
      if (!members) return [name, sample];
      return [name, type === 'object' ? wireOf(members) : [wireOf(members)]];
    }),
  );

/** A type, and the fields from the root to its resource; a row of a list is read alone. */
type Kind = readonly [title: string, type: keyof typeof resources, Resource, readonly string[]];
const kindOf = (type: keyof typeof resources, ...fields: readonly string[]): Kind => {
  return [type, type, resources[type], fields];
};
const kinds: readonly Kind[] = [
  kindOf('Service', service),
  kindOf('Organization', 'organizations'),
  kindOf('Invitation', organization, 'invitations'),
  kindOf('BackupConfiguration', service, 'backupConfiguration'),
  kindOf('ApiKey', createKey, 'apiKey'),
  ...Object.entries(sources).map(([kind, members]): Kind => {
    const source: Documented = { type: 'object', members: { [kind]: { type: 'object', members } } };
    return [`Pipe from ${kind}`, 'Pipe', { ...resources.Pipe, source }, [service, 'pipes']];
  }),
  kindOf('Dashboard', 'dashboards'),
  kindOf('Alert', 'alerts'),
];

/** The type of a source, whose kind stands on the wire alone. */
const unionOf = (name: string): string | undefined =>
  Object.hasOwn(sources, name) ? `${name[0]?.toUpperCase()}${name.slice(1)}Source` : undefined;

const selectionOf = (resource: Resource): string =>
  Object.entries(resource)
    .map(([wireName, { name = wireName, members }]) => {
      if (!members) return name;
      const union = unionOf(name);
      return `${union ? `... on ${union}` : name} { ${selectionOf(members)} }`;
    })
    .join(' ');

interface Leaf {
  /** On the wire: names, and 0 for the one row of an array. */
  readonly wire: readonly (string | number)[];
  /** In the answer. */
  readonly path: readonly (string | number)[];
  readonly field: Documented;
  /** The name of its scalar, enum or object in the schema. */
  readonly scalar: string;
}

const schema = createSchema();
const typeOf = (owner: string, name: string): string => {
  const type = schema.getType(owner);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  if (!field) throw new Error(`${owner}.${name} is not in the schema`);
  return getNamedType(field.type).name;
};

const leavesOf = (
  resource: Resource,
  owner: string,
  wire: Leaf['wire'] = [],
  path: Leaf['path'] = [],
): readonly Leaf[] =>
  Object.entries(resource).flatMap(([wireName, field]) => {
    const { name = wireName, members, type } = field;
    const union = unionOf(name);
    const scalar = union ?? typeOf(owner, name);
    const here = { wire: [...wire, wireName], path: union ? path : [...path, name] };
    if (!members) return [{ ...here, field, scalar }];
    const row = typeof type === 'string' ? [] : [0];
    const inner = leavesOf(members, scalar, [...here.wire, ...row], [...here.path, ...row]);
    // The kind of a source is what makes it one.
    return union ? inner : [{ ...here, field, scalar }, ...inner];
  });

/** A copy with another value in that place; `undefined` leaves the member out. */
const replaced = (whole: unknown, [key, ...rest]: Leaf['wire'], value: unknown): unknown => {
  if (key === undefined) return value;
  if (Array.isArray(whole)) return whole.map((item) => replaced(item, rest, value));
  const members = whole as Readonly<Record<string, unknown>>;
  return { ...members, [key]: replaced(members[key], rest, value) };
};

/** A number that is no integer of JavaScript, as a text that only JSON can carry. */
const beyond = 'beyond 2^53';
const anError = Symbol('null, and an error');
/** Texts there are quantities. */
const quantities: readonly unknown[] = ['replicaCpuMillicores', 'replicaMemoryGb'];

/** Odd values, and what comes of each: another value in its place, or null with an error. */
const oddValues = (leaf: Leaf): readonly (readonly [value: unknown, outcome: unknown])[] => {
  const { type, sample } = leaf.field;
  const [name, isFloat] = [leaf.path.at(-1), leaf.scalar === 'Float'];
  const absent = [null, undefined].map((value) => [value, null] as const);
  const errors = (...values: readonly unknown[]) =>
    values.map((value) => [value, anError] as const);
  if (type === 'integer' || type === 'number') {
    const isQuantity = quantities.includes(name);
    return [
      ...[...absent, ...errors('', { value: 1 })],
      ...(isQuantity ? [] : [...errors('125m'), [String(sample), sample] as const]),
      ...[2 ** 31, -(2 ** 31) - 1].map((value) => {
        return [value, leaf.scalar === 'Int' ? anError : value] as const;
      }),
      [2 ** 53, isFloat ? 2 ** 53 : anError],
      [beyond, isFloat ? 2 ** 53 : anError],
    ];
  }
  if (type === 'date-time') {
    const bad = ['yesterday', '2026-13-45T00:00:00Z', '11/21/2026', 1_700_000_000, true];
    // Of an expiry an empty text stands for never.
    return [...absent, ...errors(...bad), ['', name === 'expiresAt' ? null : anError]];
  }
  if (type === 'enum') return [...absent, ['never heard of', 'UNKNOWN'], ['', 'UNKNOWN']];
  if (type === 'object') {
    return [...absent, ...errors('kafka', '', 7, true, false, [], ['x'], [[]])];
  }
  if (typeof type === 'string') return absent;
  // A tile without an identifier is left out.
  const noObjects = type[1] === 'object' && name !== 'tiles' ? [['a'], [{}, 7], [[]]] : [];
  return [...absent, ...errors('no list', 7, true, { 0: 'no list' }, ...noObjects)];
};

let answered: unknown;
const answering = () => {
  const answer = json({ status: 200, result: answered, data: answered });
  return { ...answer, body: answer.body.replaceAll(`"${beyond}"`, '9007199254740993') };
};
const stack = useStack({ management: answering, observability: answering, config: wide });

/** Identifiers that the gateway guarantees: it knows them from the path, or drops the row without. */
const isKey = ({ path }: Leaf): boolean => /^(?:id|serviceId|tiles,0,id)$/.test(String(path));

describe.each(kinds)('%s', (_, type, resource, fields) => {
  const names = fields.map((field) => field.split('(')[0] ?? '');
  const isList = names.at(-1)?.endsWith('s') === true;
  const operation = names[0] === 'createApiKey' ? 'mutation' : 'query';
  const document = `${operation} { ${fields.join(' { ')} { ${selectionOf(resource)} }${' }'.repeat(fields.length)}`;
  const plain = wireOf(resource);

  /** Reads the resource out of an answer: alone, or as the first of two rows of which the other is plain. */
  const ask = async (wire: unknown) => {
    const row = type === 'ApiKey' ? { key: wire } : wire;
    answered = isList ? [row, { ...plain, id: `${plain.id}-2` }] : row;
    const { body } = await stack.query(document);
    const found = names.reduce((value, name) => value?.[name], body.data);
    const errors: readonly AnswerError[] = body.errors ?? [];
    return { found, errors: errors.map(({ path, extensions }) => [path, extensions.code]) };
  };

  it.each(
    leavesOf(resource, type)
      .filter((leaf) => !isKey(leaf))
      .map((leaf) => ({ ...leaf, at: leaf.path.join('.') })),
  )('suffers in $at alone from an odd value there', async (leaf) => {
    const { found: whole } = await ask(plain);
    const here = [...names, ...(isList ? [0] : []), ...leaf.path];
    for (const [value, outcome] of oddValues(leaf)) {
      const [changed, ...others] = isList ? whole : [whole];
      const odd = replaced(changed, leaf.path, outcome === anError ? null : outcome);
      const found = isList ? [odd, ...others] : odd;
      const errors = outcome === anError ? [[here, 'UPSTREAM_BAD_RESPONSE']] : [];
      const asked = await ask(replaced(plain, leaf.wire, value));
      expect([value, asked]).toEqual([value, { found, errors }]);
    }
  });
});
