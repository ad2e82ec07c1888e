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

const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

interface Kind {
  readonly title: string;
  readonly type: string;
  readonly resource: Resource;
  /** From the root to the resource; a row of a list is read alone. */
  readonly fields: readonly string[];
  readonly isList?: true;
  /** Puts the resource into what the upstream answers with. */
  readonly wrap?: (wire: object) => unknown;
}

const pipeKinds = Object.entries(sources).map(
  ([kind, members]): Kind => ({
    title: `a pipe from ${kind}`,
    type: 'Pipe',
    resource: {
      ...resources.Pipe,
      source: { type: 'object', members: { [kind]: { type: 'object', members } } },
    },
    fields: [`service(${ofService})`, 'pipes'],
    isList: true,
  }),
);

const kinds: readonly Kind[] = [
  {
    title: 'a service',
    type: 'Service',
    resource: resources.Service,
    fields: [`service(${ofService})`],
  },
  {
    title: 'an organization',
    type: 'Organization',
    resource: resources.Organization,
    fields: ['organizations'],
    isList: true,
  },
  {
    title: 'an invitation',
    type: 'Invitation',
    resource: resources.Invitation,
    fields: [`organization(id: "${organizationId}")`, 'invitations'],
    isList: true,
  },
  {
    title: 'a backup configuration',
    type: 'BackupConfiguration',
    resource: resources.BackupConfiguration,
    fields: [`service(${ofService})`, 'backupConfiguration'],
  },
  {
    title: 'a new key',
    type: 'ApiKey',
    resource: resources.ApiKey,
    fields: [
      `createApiKey(input: {organizationId: "${organizationId}", roles: [ADMIN]})`,
      'apiKey',
    ],
    wrap: (key) => ({ key }),
  },
  ...pipeKinds,
  {
    title: 'a dashboard',
    type: 'Dashboard',
    resource: resources.Dashboard,
    fields: ['dashboards'],
    isList: true,
  },
  { title: 'an alert', type: 'Alert', resource: resources.Alert, fields: ['alerts'], isList: true },
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
    return isArray(field) ? [{ ...here, field }, ...inner] : inner;
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

/** A number that is no integer of JavaScript, as a text that only JSON can carry. */
const beyond = 'beyond 2^53';

/** Texts there are quantities. */
const quantities: readonly unknown[] = ['replicaCpuMillicores', 'replicaMemoryGb'];

const oddValues = (
  { field: { type, sample }, path }: Leaf,
  scalar: string,
): readonly (readonly [value: unknown, outcome: Outcome])[] => {
  const absent = [
    [null, { value: null }],
    [undefined, { value: null }],
  ] as const;
  if (type === 'integer' || type === 'number') {
    const fits = scalar === 'Int' ? 'an error' : { value: 2 ** 31 };
    return [
      ...absent,
      ['', 'an error'],
      ...(quantities.includes(path.at(-1))
        ? []
        : ([
            ['125m', 'an error'],
            [String(sample), { value: sample }],
          ] as const)),
      [2 ** 31, fits],
      [-(2 ** 31) - 1, scalar === 'Int' ? 'an error' : { value: -(2 ** 31) - 1 }],
      [2 ** 53, scalar === 'Float' ? { value: 2 ** 53 } : 'an error'],
      [beyond, scalar === 'Float' ? { value: 2 ** 53 } : 'an error'],
      [{ value: 1 }, 'an error'],
    ];
  }
  if (type === 'date-time') {
    return [
      ...absent,
      // Of an expiry it stands for never.
      ['', path.at(-1) === 'expireAt' ? { value: null } : 'an error'],
      ...['yesterday', '2026-13-45T00:00:00Z', '11/21/2026', 1_700_000_000, true].map(
        (value) => [value, 'an error'] as const,
      ),
    ];
  }
  if (type === 'enum') {
    return [...absent, ['never heard of', { value: 'UNKNOWN' }], ['', { value: 'UNKNOWN' }]];
  }
  if (typeof type !== 'string') {
    return [...absent, ['no list', 'an error'], [{ 0: 'no list' }, 'an error']];
  }
  return absent;
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
  const { resource, fields, isList, wrap = (wire: object): unknown => wire } = kind;
  const names = fields.map((field) => field.split('(')[0] ?? '');
  const operation = names[0] === 'createApiKey' ? 'mutation' : 'query';
  const document = `${operation} { ${fields.join(' { ')} { ${selectionOf(resource)} }${' }'.repeat(fields.length)}`;
  const plain = wireOf(resource);

  /** Reads the resource out of an answer: alone, or as the first of two rows of which the other is plain. */
  const ask = async (wire: unknown) => {
    answered = isList ? [wire, { ...plain, id: `${plain.id}-2` }] : wrap(wire as object);
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
