import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Documented,
  organizationId,
  type Resource,
  resources,
  serviceId,
  sources,
} from '../support/documented-fields.ts';
import {
  type AnswerError,
  data,
  result,
  type Stack,
  startStack,
  wide,
} from '../support/harness.ts';

const ofServiceField = `service(organizationId: "${organizationId}", serviceId: "${serviceId}")`;

interface Kind {
  readonly title: string;
  readonly type: string;
  readonly resource: Resource;
  /** From the root to the resource; a row of a list is read alone. */
  readonly fields: readonly string[];
}

const kindOf = (type: keyof typeof resources, ...fields: readonly string[]): Kind => {
  return { title: type, type, resource: resources[type], fields };
};
const pipeKinds = Object.entries(sources).map(([kind, members]): Kind => {
  const source: Documented = { type: 'object', members: { [kind]: { type: 'object', members } } };
  const resource = { ...resources.Pipe, source };
  return { title: `Pipe from ${kind}`, type: 'Pipe', resource, fields: [ofServiceField, 'pipes'] };
});
const createKey = `createApiKey(input: {organizationId: "${organizationId}", roles: [ADMIN]})`;

const kinds: readonly Kind[] = [
  kindOf('Service', ofServiceField),
  kindOf('Organization', 'organizations'),
  kindOf('Invitation', `organization(id: "${organizationId}")`, 'invitations'),
  kindOf('BackupConfiguration', ofServiceField, 'backupConfiguration'),
  kindOf('ApiKey', createKey, 'apiKey'),
  ...pipeKinds,
  kindOf('Dashboard', 'dashboards'),
  kindOf('Alert', 'alerts'),
];

/** The kind of a source stands on the wire alone. */
const unionTypes: Readonly<Record<string, string>> = {
  kafka: 'KafkaSource',
  objectStorage: 'ObjectStorageSource',
  kinesis: 'KinesisSource',
  postgres: 'PostgresSource',
};

const isArray = ({ type }: Documented): boolean => typeof type !== 'string';

/** As the wire carries it, with every documented field. */
const wireOf = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource).map(([name, field]) => {
      if (!field.members) return [name, field.sample];
      return [name, isArray(field) ? [wireOf(field.members)] : wireOf(field.members)];
    }),
  );

const selectionOf = (resource: Resource): string =>
  Object.entries(resource)
    .map(([wireName, { name = wireName, members }]) => {
      if (!members) return name;
      const union = unionTypes[name];
      return `${union ? `... on ${union}` : name} { ${selectionOf(members)} }`;
    })
    .join(' ');

interface Leaf {
  /** On the wire: names, and 0 for the one row of an array. */
  readonly wire: readonly (string | number)[];
  /** In the answer. */
  readonly path: readonly (string | number)[];
  readonly field: Documented;
}

const leavesOf = (
  resource: Resource,
  wire: Leaf['wire'] = [],
  path: Leaf['path'] = [],
): readonly Leaf[] =>
  Object.entries(resource).flatMap(([wireName, field]) => {
    const row = isArray(field) ? [0] : [];
    const name = field.name ?? wireName;
    const here = { wire: [...wire, wireName], path: unionTypes[name] ? path : [...path, name] };
    if (!field.members) return [{ ...here, field }];
    const inner = leavesOf(field.members, [...here.wire, ...row], [...here.path, ...row]);
    // The kind of a source is what makes it one.
    return unionTypes[name] ? inner : [{ ...here, field }, ...inner];
  });

/** A copy with another value in that place; `undefined` leaves the member out. */
const replaced = (whole: unknown, [key, ...rest]: Leaf['wire'], value: unknown): unknown => {
  if (key === undefined) return value;
  if (Array.isArray(whole)) return whole.map((item) => replaced(item, rest, value));
  const members = whole as Readonly<Record<string, unknown>>;
  return { ...members, [key]: replaced(members[key], rest, value) };
};

/** What comes of a value: another one in its place, or null with an error. */
type Outcome = { readonly value: unknown } | 'an error';
type OddValue = readonly [value: unknown, outcome: Outcome];

/** A number that is no integer of JavaScript, as a text that only JSON can carry. */
const beyond = 'beyond 2^53';

/** Texts there are quantities. */
const quantities: readonly unknown[] = ['replicaCpuMillicores', 'replicaMemoryGb'];

const oddValues = (
  { field: { type, sample }, path }: Leaf,
  scalar: string,
): readonly OddValue[] => {
  const absent = [null, undefined].map((value): OddValue => [value, { value: null }]);
  const errors = (...values: readonly unknown[]) =>
    values.map((value): OddValue => [value, 'an error']);
  const same = (value: unknown, isFitting = true): OddValue => [
    value,
    isFitting ? { value } : 'an error',
  ];
  if (type === 'integer' || type === 'number') {
    const isQuantity = quantities.includes(path.at(-1));
    const beyondInt = [2 ** 31, -(2 ** 31) - 1].map((value) => same(value, scalar !== 'Int'));
    return [
      ...[...absent, ...errors('', { value: 1 }, ...(isQuantity ? [] : ['125m'])), ...beyondInt],
      ...(isQuantity ? [] : [[String(sample), { value: sample }] as const]),
      same(2 ** 53, scalar === 'Float'),
      [beyond, scalar === 'Float' ? { value: 2 ** 53 } : 'an error'],
    ];
  }
  if (type === 'date-time') {
    const bad = ['yesterday', '2026-13-45T00:00:00Z', '11/21/2026', 1_700_000_000, true];
    // Of an expiry an empty text stands for never.
    const isExpiry = path.at(-1) === 'expireAt';
    return [...absent, ...errors(...bad), ['', isExpiry ? { value: null } : 'an error']];
  }
  if (type === 'enum') {
    return [...absent, ['never heard of', { value: 'UNKNOWN' }], ['', { value: 'UNKNOWN' }]];
  }
  if (type === 'object')
    return [...absent, ...errors('kafka', '', 7, true, false, [], ['x'], [[]])];
  if (typeof type === 'string') return absent;
  // A tile without an identifier is left out.
  const noObjects = type[1] === 'object' && path.at(-1) !== 'tiles' ? [['a'], [{}, 7], [[]]] : [];
  return [...absent, ...errors('no list', 7, true, { 0: 'no list' }, ...noObjects)];
};

let stack: Stack;
let schema: GraphQLSchema;
let answered: unknown;
beforeAll(async () => {
  const body = (enveloped: { readonly body: string }) =>
    enveloped.body.replaceAll(`"${beyond}"`, '9007199254740993');
  const management = () => ({ ...result(answered), body: body(result(answered)) });
  const observability = () => ({ ...data(answered), body: body(data(answered)) });
  stack = await startStack({ management, observability, config: wide });
  schema = buildClientSchema((await stack.query(getIntrospectionQuery())).body.data);
});
afterAll(() => stack.close());

/** The name of a leaf's scalar or enum. */
const scalarOf = ({ type }: Kind, { path, wire }: Leaf): string => {
  const union = unionTypes[String(wire[1])];
  const names = path.filter((key) => typeof key === 'string');
  return (union ? names.slice(1) : names).reduce((owner, name) => {
    const found = schema.getType(owner);
    const field = isObjectType(found) ? found.getFields()[name] : undefined;
    if (!field) throw new Error(`${owner}.${name} is not in the schema`);
    return getNamedType(field.type).name;
  }, union ?? type);
};

/** Identifiers that the gateway guarantees: it knows them from the path, or drops the row without. */
const isKey = ({ path: [first, ...rest] }: Leaf): boolean =>
  rest.length === 0
    ? first === 'id' || first === 'serviceId'
    : first === 'tiles' && rest.length === 2 && rest[1] === 'id';

describe.each(kinds)('$title', (kind) => {
  const { resource, fields } = kind;
  const names = fields.map((field) => field.split('(')[0] ?? '');
  const isList = names.at(-1)?.endsWith('s') === true;
  const operation = names[0] === 'createApiKey' ? 'mutation' : 'query';
  const document = `${operation} { ${fields.join(' { ')} { ${selectionOf(resource)} }${' }'.repeat(fields.length)}`;
  const plain = wireOf(resource);

  /** Reads the resource out of an answer: alone, or as the first of two rows of which the other is plain. */
  const ask = async (wire: unknown) => {
    const row = kind.type === 'ApiKey' ? { key: wire } : wire;
    answered = isList ? [row, { ...plain, id: `${plain.id}-2` }] : row;
    const { body } = await stack.query(document);
    const found = names.reduce((value, name) => value?.[name], body.data);
    const errors: readonly AnswerError[] = body.errors ?? [];
    return { found, errors: errors.map(({ path, extensions }) => [path, extensions.code]) };
  };

  it.each(
    leavesOf(resource)
      .filter((leaf) => !isKey(leaf))
      .map((leaf) => ({ ...leaf, at: leaf.path.join('.') })),
  )('suffers in $at alone from an odd value there', async (leaf) => {
    const { found: whole } = await ask(plain);
    const here = isList ? [0, ...leaf.path] : leaf.path;
    for (const [value, outcome] of oddValues(leaf, scalarOf(kind, leaf))) {
      const expected = outcome === 'an error' ? null : outcome.value;
      const [changed, ...others] = isList ? whole : [whole];
      const odd = replaced(changed, leaf.path, expected);
      expect([value, await ask(replaced(plain, leaf.wire, value))]).toEqual([
        value,
        {
          found: isList ? [odd, ...others] : odd,
          errors: outcome === 'an error' ? [[[...names, ...here], 'UPSTREAM_BAD_RESPONSE']] : [],
        },
      ]);
    }
  });
});
