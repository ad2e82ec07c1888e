import {
  buildClientSchema,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  getNullableType,
  isEnumType,
  isListType,
  isObjectType,
} from 'graphql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Documented,
  organizationId,
  pipeId,
  type Resource,
  resources,
  serviceId,
  sources,
} from '../support/documented-fields.ts';
import { type Answering, data, result, type Stack, startStack } from '../support/harness.ts';

/** A resource as the wire carries it, with every documented field. */
const wire = (resource: Resource): Record<string, unknown> =>
  Object.fromEntries(
    Object.entries(resource).map(([name, { type, members, sample }]) => {
      if (!members) return [name, sample];
      return [name, type === 'object' ? wire(members) : [wire(members)]];
    }),
  );

type SourceKind = keyof typeof sources;
let kind: SourceKind = 'kafka';

const pipe = () => ({ ...wire(resources.Pipe), source: { [kind]: wire(sources[kind]) } });

const answering: Answering = ({ path, upstream }) => {
  if (upstream === 'observability') {
    return data(wire(path.includes('/alerts/') ? resources.Alert : resources.Dashboard));
  }
  if (path.endsWith('/invitations')) return result([wire(resources.Invitation)]);
  if (path.endsWith('/backupConfiguration')) return result(wire(resources.BackupConfiguration));
  if (path.endsWith('/keys')) {
    return result({ key: wire(resources.ApiKey), keyId: 'the key id', keySecret: 'the secret' });
  }
  if (path.endsWith(`/pipes/${pipeId}`)) return result(pipe());
  if (path.endsWith(`/services/${serviceId}`)) return result(wire(resources.Service));
  return result(wire(resources.Organization));
};

const service = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

/** Where a resource stands: the fields that lead to it, the last one to be given a selection. */
const places = {
  Service: [`service(${service})`],
  Organization: [`organization(id: "${organizationId}")`],
  Invitation: [`organization(id: "${organizationId}")`, 'invitations'],
  BackupConfiguration: [`service(${service})`, 'backupConfiguration'],
  ApiKey: [`createApiKey(input: {organizationId: "${organizationId}", roles: [ADMIN]})`, 'apiKey'],
  Pipe: [`pipe(${service}, pipeId: "${pipeId}")`],
  Dashboard: ['dashboard(id: "da5b00000000000000000001")'],
  Alert: ['alert(id: "a1e400000000000000000001")'],
} as const;

interface Leaf {
  /** GraphQL names from the resource down. */
  readonly path: readonly string[];
  readonly typeName: string;
  readonly field: Documented;
}

const typeNames: Readonly<Record<string, string>> = {
  'Service.endpoints': 'ServiceEndpoint',
  'Service.ipAccessList': 'IpAccessEntry',
  'Organization.privateEndpoints': 'PrivateEndpoint',
  'Organization.byocConfig': 'ByocConfig',
  'ApiKey.ipAccessList': 'IpAccessEntry',
  'Pipe.scaling': 'PipeScaling',
  'Pipe.destination': 'PipeDestination',
  'PipeDestination.tableDefinition': 'PipeTableDefinition',
  'PipeTableDefinition.engine': 'PipeTableEngine',
  'PipeDestination.columns': 'PipeDestinationColumn',
  'Pipe.fieldMappings': 'PipeFieldMapping',
  'Pipe.settings': 'PipeSettings',
  'KafkaSource.offset': 'KafkaOffset',
  'KafkaSource.schemaRegistry': 'KafkaSchemaRegistry',
  'PostgresSource.settings': 'PostgresSourceSettings',
  'PostgresSource.tableMappings': 'PostgresTableMapping',
  'Dashboard.tiles': 'Tile',
  'Tile.series': 'TileSeries',
  'Alert.channel': 'AlertChannel',
};

/** Every field at every depth, objects and what they hold alike. */
const leavesOf = (resource: Resource, typeName: string, path: readonly string[]): Leaf[] =>
  Object.entries(resource).flatMap(([wireName, field]) => {
    const name = field.name ?? wireName;
    const here = { path: [...path, name], typeName, field };
    const inner = typeNames[`${typeName}.${name}`];
    if (!field.members || inner === undefined) return [here];
    return [here, ...leavesOf(field.members, inner, here.path)];
  });

const scalarNames = {
  string: ['String'],
  identifier: ['ID', 'String'],
  integer: ['Int', 'SafeInt'],
  number: ['Float'],
  boolean: ['Boolean'],
  'date-time': ['DateTime'],
} as const;

let stack: Stack;
let schema: GraphQLSchema;
beforeAll(async () => {
  stack = await startStack({ management: answering, observability: answering });
  const { body } = await stack.query(getIntrospectionQuery());
  schema = buildClientSchema(body.data);
});
afterAll(() => stack.close());

const fieldOf = (typeName: string, name: string) => {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  return type.getFields()[name];
};

const expectFit = ({ typeName, path, field }: Leaf): void => {
  const declared = fieldOf(typeName, path.at(-1) ?? '');
  if (!declared) throw new Error(`${typeName} has no field ${path.at(-1)}`);
  const [outer, documented] =
    typeof field.type === 'string' ? ['one', field.type] : ['list', field.type[1]];
  expect(isListType(getNullableType(declared.type))).toBe(outer === 'list');
  expect(declared.deprecationReason != null).toBe(field.deprecated === true);
  const named = getNamedType(declared.type);
  if (documented === 'enum') {
    expect(isEnumType(named)).toBe(true);
  } else if (documented === 'object') {
    expect(named.name).toBe(typeNames[`${typeName}.${path.at(-1)}`] ?? 'PipeSource');
  } else {
    expect(scalarNames[documented]).toContain(named.name);
  }
};

/** Asks for one field alone, at its place. */
const read = async (
  place: readonly string[],
  path: readonly string[],
  condition = '',
): Promise<unknown> => {
  const selection = path
    .toReversed()
    .reduce((inner, name) => `${name} ${inner && `{ ${inner} }`}`, '');
  const conditioned =
    condition === '' ? selection : `source { ... on ${condition} { ${selection} } }`;
  const document = place.toReversed().reduce((inner, name) => `${name} { ${inner} }`, conditioned);
  const mutation = document.startsWith('create') ? 'mutation' : '';
  const { body } = await stack.query(`${mutation} { ${document} }`);
  expect(body.errors).toBeUndefined();
  const names = [
    ...place.map((name) => name.split('(')[0] ?? ''),
    ...(condition === '' ? [] : ['source']),
    ...path,
  ];
  return names.reduce((value, name) => {
    const one = Array.isArray(value) ? value[0] : value;
    return one[name];
  }, body.data);
};

/** Objects are proven by what they hold. */
const hasValue = ({ field }: Leaf): boolean => !field.members;
const answerOf = ({ field }: Leaf): unknown => field.answered ?? field.sample;

describe('the reference lists this many fields of', () => {
  it.each<readonly [string, number, Resource]>([
    ['Service', 25, resources.Service],
    ['Organization', 5, resources.Organization],
    ['Invitation', 4, resources.Invitation],
    ['Backup configuration', 3, resources.BackupConfiguration],
    ['API key', 8, resources.ApiKey],
    ['Pipe', 11, resources.Pipe],
    ['kafka', 8, sources.kafka],
    ['objectStorage', 9, sources.objectStorage],
    ['kinesis', 5, sources.kinesis],
    ['postgres', 5, sources.postgres],
    ['postgres.settings', 9, sources.postgres.settings.members ?? {}],
    ['postgres.tableMappings', 6, sources.postgres.tableMappings.members ?? {}],
    ['destination', 5, resources.Pipe.destination?.members ?? {}],
    ['settings', 12, resources.Pipe.settings?.members ?? {}],
    ['Dashboard', 4, resources.Dashboard],
    ['Tile', 8, resources.Dashboard.tiles?.members ?? {}],
    ['Alert', 17, resources.Alert],
  ])('%s: %i', (_, count, resource) => {
    expect(Object.keys(resource)).toHaveLength(count);
  });
});

describe.each(Object.keys(places) as (keyof typeof places)[])('%s', (name) => {
  const leaves = leavesOf(resources[name], name, []).map((leaf) => ({
    ...leaf,
    title: leaf.path.join('.'),
  }));

  it.each(leaves)('has $title, of a type that fits', (leaf) => expectFit(leaf));

  it.each(leaves.filter(hasValue))('answers $title', async (leaf) => {
    expect(await read(places[name], leaf.path)).toEqual(answerOf(leaf));
  });
});

describe.each([
  ['kafka', 'KafkaSource'],
  ['objectStorage', 'ObjectStorageSource'],
  ['kinesis', 'KinesisSource'],
  ['postgres', 'PostgresSource'],
] as const)('source.%s', (member, typeName) => {
  const leaves = leavesOf(sources[member], typeName, []).map((leaf) => ({
    ...leaf,
    title: leaf.path.join('.'),
  }));

  it.each(leaves)('has $title, of a type that fits', (leaf) => expectFit(leaf));

  it.each(leaves.filter(hasValue))('answers $title', async (leaf) => {
    kind = member;
    expect(await read(places.Pipe, leaf.path, typeName)).toEqual(answerOf(leaf));
  });
});

it('the creation of a key answers keyId and keySecret beside the key', async () => {
  const [place] = places.ApiKey;
  expect(await read([place], ['keyId'])).toBe('the key id');
  expect(await read([place], ['keySecret'])).toBe('the secret');
});
