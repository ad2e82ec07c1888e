import {
  buildClientSchema,
  type GraphQLArgument,
  type GraphQLNamedType,
  type GraphQLSchema,
  getIntrospectionQuery,
  getNamedType,
  isEnumType,
  isInputObjectType,
  isInterfaceType,
  isIntrospectionType,
  isListType,
  isNonNullType,
  isObjectType,
  isRequiredInputField,
  isSpecifiedScalarType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { data, result, startStack } from '../support/harness.ts';

// The schema as a client sees it, so that rows can be made of it before the tests run.
const stack = await startStack({ management: () => result({}), observability: () => data({}) });
const { body } = await stack.query(
  getIntrospectionQuery({ inputValueDeprecation: true, oneOf: true, specifiedByUrl: true }),
);
const { body: byDefault } = await stack.query(getIntrospectionQuery());
await stack.close();
const schema: GraphQLSchema = buildClientSchema(body.data);

const types: readonly GraphQLNamedType[] = Object.values(schema.getTypeMap()).filter(
  (type) => !isIntrospectionType(type) && !isSpecifiedScalarType(type),
);

interface Element {
  readonly at: string;
  readonly names: readonly string[];
  readonly description: string;
}

const element = (description: string | null | undefined, ...names: string[]): Element => ({
  at: names.join('.'),
  names,
  description: description ?? '',
});

const described = types.flatMap((type): Element[] => {
  const own = element(type.description, type.name);
  if (isEnumType(type)) {
    return [own, ...type.getValues().map((v) => element(v.description, type.name, v.name))];
  }
  if (isInputObjectType(type)) {
    const fields = Object.values(type.getFields());
    return [own, ...fields.map((field) => element(field.description, type.name, field.name))];
  }
  if (!isObjectType(type) && !isInterfaceType(type)) return [own];
  const fields = Object.values(type.getFields()).flatMap((field) => [
    element(field.description, type.name, field.name),
    ...field.args.map((arg) => element(arg.description, type.name, field.name, arg.name)),
  ]);
  return [own, ...fields];
});

const words = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];
const fillers = new Set('a an and by for in is it its of on or that the this to value'.split(' '));

describe('descriptions', () => {
  it('are there to be tested, several hundred of them', () => {
    expect(described.length).toBeGreaterThan(300);
  });

  it('are sentences of some length, on every type, field, argument and enum value', () => {
    const short = described.filter(({ description }) => description.trim().length < 15);
    expect(short.map(({ at }) => at)).toEqual([]);
  });

  it('say more than the words of the name', () => {
    const empty = described.filter(({ description, names }) => {
      const known = new Set(names.flatMap(words));
      return words(description).every((word) => known.has(word) || fillers.has(word));
    });
    expect(empty.map(({ at, description }) => `${at}: ${description}`)).toEqual([]);
  });
});

const fieldsOf = (typeName: string) => {
  const type = schema.getType(typeName);
  if (!isObjectType(type)) throw new Error(`${typeName} is no object type`);
  return type.getFields();
};

const signature = (args: readonly GraphQLArgument[]): string =>
  args.map(({ name, type }) => `${name}: ${type}`).join(', ');

/** Design, section 3: identifiers in the input, and payload members beside userErrors. */
const mutations = [
  ['updateOrganization', ['organizationId'], ['organization']],
  ['createApiKey', ['organizationId'], ['apiKey', 'keyId', 'keySecret']],
  ['updateServiceScaling', ['organizationId', 'serviceId'], ['service']],
  ['updateServicePassword', ['organizationId', 'serviceId'], ['password']],
  ['createPipe', ['organizationId', 'serviceId'], ['pipe']],
  ['updatePipe', ['organizationId', 'serviceId', 'pipeId'], ['pipe']],
  ['startPipe', ['organizationId', 'serviceId', 'pipeId'], ['pipe']],
  ['stopPipe', ['organizationId', 'serviceId', 'pipeId'], ['pipe']],
  ['resyncPipe', ['organizationId', 'serviceId', 'pipeId'], ['pipe']],
  ['scalePipe', ['organizationId', 'serviceId', 'pipeId'], ['pipe']],
  ['deletePipe', ['organizationId', 'serviceId', 'pipeId'], ['deletedPipeId']],
  ['startService', ['organizationId', 'serviceId'], ['service']],
  ['stopService', ['organizationId', 'serviceId'], ['service']],
  ['wakeService', ['organizationId', 'serviceId'], ['service']],
  ['createDashboard', [], ['dashboard']],
  ['deleteDashboard', ['dashboardId'], ['deletedDashboardId']],
  ['updateAlert', ['alertId'], ['alert']],
  ['updateDashboard', ['dashboardId'], ['dashboard']],
  ['createAlert', [], ['alert']],
  ['deleteAlert', ['alertId'], ['deletedAlertId']],
] as const;

describe('mutations', () => {
  it('are these', () => {
    expect(Object.keys(fieldsOf('Mutation')).sort()).toEqual(mutations.map(([n]) => n).sort());
  });

  it.each(mutations)('%s is verbNoun(input: VerbNounInput!): VerbNounPayload!', (name) => {
    const field = fieldsOf('Mutation')[name];
    const Name = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    expect(name).toMatch(/^(create|update|delete|start|stop|resync|scale|wake)[A-Z][A-Za-z]+$/);
    expect(signature(field?.args ?? [])).toBe(`input: ${Name}Input!`);
    expect(String(field?.type)).toBe(`${Name}Payload!`);
  });

  it.each(mutations)('%s requires exactly its identifiers', (name, identifiers) => {
    const [argument] = fieldsOf('Mutation')[name]?.args ?? [];
    const input = getNamedType(argument?.type);
    if (!isInputObjectType(input)) throw new Error(`${name} has no input`);
    const required = Object.values(input.getFields()).filter(isRequiredInputField);
    expect(required.map((field) => `${field.name}: ${field.type}`)).toEqual(
      identifiers.map((identifier) => `${identifier}: ID!`),
    );
  });

  it.each(mutations)(
    '%s answers with what it changed, nullable, and userErrors',
    (name, _, members) => {
      const payload = getNamedType(fieldsOf('Mutation')[name]?.type);
      const fields = fieldsOf(payload?.name ?? '');
      expect(Object.keys(fields)).toEqual([...members, 'userErrors']);
      expect(String(fields.userErrors?.type)).toBe('[UserError!]!');
      for (const member of members) expect(isNonNullType(fields[member]?.type)).toBe(false);
    },
  );
});

describe('queries', () => {
  it.each([
    ['organizations', '', '[Organization!]'],
    ['organization', 'id: ID!', 'Organization'],
    ['service', 'organizationId: ID!, serviceId: ID!', 'Service'],
    ['pipe', 'organizationId: ID!, serviceId: ID!, pipeId: ID!', 'Pipe'],
    ['dashboards', '', '[Dashboard!]'],
    ['dashboard', 'id: ID!', 'Dashboard'],
    ['alerts', 'filter: AlertFilter', '[Alert!]'],
    ['alert', 'id: ID!', 'Alert'],
    ['dataSources', '', '[DataSource!]'],
    ['webhooks', '', '[Webhook!]'],
    ['savedSearches', '', '[SavedSearch!]'],
    ['node', 'nodeId: ID!', 'Node'],
    ['nodes', 'nodeIds: [ID!]!', '[Node]!'],
  ])('%s(%s): %s', (name, args, type) => {
    const field = fieldsOf('Query')[name];
    expect([signature(field?.args ?? []), String(field?.type)]).toEqual([args, type]);
  });

  it('are no others', () => {
    expect(Object.keys(fieldsOf('Query'))).toHaveLength(13);
  });
});

describe('relations', () => {
  it.each([
    ['Organization', 'services', 'filter: ServiceFilter', '[Service!]'],
    ['Organization', 'serviceCount', 'filter: ServiceFilter', 'Int'],
    ['Organization', 'pipes', 'filter: PipeFilter', 'OrganizationPipes'],
    ['Organization', 'service', 'id: ID!', 'Service'],
    ['Organization', 'invitations', '', '[Invitation!]'],
    ['Service', 'organization', '', 'Organization'],
    ['Service', 'pipes', 'filter: PipeFilter', '[Pipe!]'],
    ['Service', 'pipe', 'id: ID!', 'Pipe'],
    ['Service', 'backupConfiguration', '', 'BackupConfiguration'],
    ['Pipe', 'service', '', 'Service'],
    ['Dashboard', 'tiles', '', '[Tile!]'],
    ['Dashboard', 'alerts', '', '[Alert!]'],
    ['Tile', 'dashboard', '', 'Dashboard'],
    ['Tile', 'alerts', '', '[Alert!]'],
    ['Alert', 'dashboard', '', 'Dashboard'],
    ['Alert', 'tile', '', 'Tile'],
  ])('%s.%s(%s): %s', (typeName, name, args, type) => {
    const field = fieldsOf(typeName)[name];
    expect([signature(field?.args ?? []), String(field?.type)]).toEqual([args, type]);
  });
});

describe('enums', () => {
  const enums = types.filter(isEnumType);
  const inputs = types
    .filter(isInputObjectType)
    .flatMap((type) => Object.values(type.getFields()))
    .map(({ type }) => getNamedType(type).name);
  const unknowing = enums.filter((type) => !type.getValue('UNKNOWN')).map(({ name }) => name);

  it('of inputs have no UNKNOWN, and those of outputs have it', () => {
    // UserErrorCode and PipeCommand are the gateway's own: no upstream can add to them. So are phases, and
    // UNKNOWN is one of them: a filter may ask for it.
    const expected = enums
      .map(({ name }) => name)
      .filter((name) => inputs.includes(name) && !name.endsWith('Phase'));
    expect(expected.length).toBeGreaterThanOrEqual(4);
    expect(unknowing.sort()).toEqual([...expected, 'UserErrorCode', 'PipeCommand'].sort());
  });

  it.each([
    ['ApiKeyRole', ['ADMIN', 'DEVELOPER', 'QUERY_ENDPOINTS']],
    [
      'AlertThresholdType',
      [
        ...['ABOVE', 'BELOW', 'ABOVE_EXCLUSIVE', 'BELOW_OR_EQUAL', 'EQUAL', 'NOT_EQUAL'],
        ...['BETWEEN', 'NOT_BETWEEN'],
      ],
    ],
    ['AlertSource', ['TILE', 'SEARCH']],
    ['ApiKeyState', ['ENABLED', 'DISABLED']],
  ])('%s and its input hold the values of the reference and of its profiles', (name, values) => {
    const valuesOf = (typeName: string) => {
      const type = schema.getType(typeName);
      return isEnumType(type) ? type.getValues().map((value) => value.name) : undefined;
    };
    expect(valuesOf(`${name}Input`)).toEqual(values);
    // The state of a key is never read back.
    expect(valuesOf(name)).toEqual(name === 'ApiKeyState' ? undefined : [...values, 'UNKNOWN']);
  });
});

describe('nullability', () => {
  const inputFields = types
    .filter(isInputObjectType)
    .flatMap((type) => Object.values(type.getFields()).map((field) => ({ type, field })));

  it('leaves only identifiers non-null in inputs', () => {
    const required = inputFields.filter(({ field }) => isNonNullType(field.type));
    expect(required.length).toBeGreaterThan(20);
    for (const { type, field } of required) {
      expect(`${type.name}.${field.name}: ${field.type}`).toMatch(/\.[a-z]+Id: ID!$/);
    }
  });

  it('leaves only what the gateway guarantees non-null in outputs', () => {
    const guaranteed = types
      .filter((type) => isObjectType(type) || isInterfaceType(type))
      .filter(({ name }) => name !== 'Mutation')
      .flatMap((type) =>
        Object.values(type.getFields())
          .filter((field) => isNonNullType(field.type))
          .map((field) => `${type.name}.${field.name}: ${field.type}`),
      )
      .filter((field) => !/\.(id|[a-zA-Z]+Id): ID!$|\.userErrors: \[UserError!\]!$/.test(field));
    expect(guaranteed.sort()).toEqual([
      'Alert.phase: AlertPhase!',
      'OrganizationPipes.items: [Pipe!]!',
      'OrganizationPipes.totalCount: Int!',
      'OrganizationPipes.unreadServices: [UnreadService!]!',
      'Pipe.availableCommands: [PipeCommand!]!',
      'Pipe.phase: PipePhase!',
      'Query.nodes: [Node]!',
      'Service.phase: ServicePhase!',
      'UnreadService.code: String!',
      'UnreadService.message: String!',
      'UserError.code: UserErrorCode!',
      'UserError.message: String!',
    ]);
  });

  it('leaves no null inside a list but for nodes', () => {
    const lists = types
      .filter((type) => isObjectType(type))
      .flatMap((type) => Object.values(type.getFields()).map((f) => [f.name, f.type] as const))
      .map(([name, type]) => [name, isNonNullType(type) ? type.ofType : type] as const)
      .filter(([, type]) => isListType(type) && !isNonNullType(type.ofType));
    expect(lists.map(([name]) => name)).toEqual(['nodes']);
  });
});

it('deprecates what the reference deprecates in answers, and says what to use instead', () => {
  const deprecated = types
    .filter((type) => isObjectType(type) || isInputObjectType(type))
    .flatMap((type) =>
      Object.values(type.getFields())
        .filter(({ deprecationReason }) => typeof deprecationReason === 'string')
        .map(({ name, deprecationReason }) => [`${type.name}.${name}`, deprecationReason] as const),
    );
  expect(deprecated).toEqual([
    ['Service.minTotalMemoryGb', expect.stringMatching(/Use minReplicaMemoryGb\.$/)],
    ['Service.maxTotalMemoryGb', expect.stringMatching(/Use maxReplicaMemoryGb\.$/)],
  ]);
  expect(fieldsOf('Service')).toHaveProperty('minReplicaMemoryGb');
  expect(fieldsOf('Service')).toHaveProperty('maxReplicaMemoryGb');
});

it('shows every input to tools that ask in the default way, which leave out what is deprecated', () => {
  const known = buildClientSchema(byDefault.data);
  const inputsOf = (from: GraphQLSchema) =>
    Object.values(from.getTypeMap()).flatMap((type) => {
      if (isInputObjectType(type)) {
        return Object.keys(type.getFields()).map((name) => `${type.name}.${name}`);
      }
      if (!isObjectType(type) && !isInterfaceType(type)) return [];
      return Object.values(type.getFields()).flatMap((field) =>
        field.args.map(({ name }) => `${type.name}.${field.name}.${name}`),
      );
    });
  expect(inputsOf(known)).toEqual(inputsOf(schema));
  expect(inputsOf(known)).toContain('UpdateServiceScalingInput.minTotalMemoryGb');
  expect(inputsOf(known)).toContain('UpdateServiceScalingInput.maxTotalMemoryGb');
});

it.each(['PipeSourceInput', 'UpdatePipeSourceInput'])('%s takes exactly one kind', (name) => {
  const type = schema.getType(name);
  if (!isInputObjectType(type)) throw new Error(`${name} is no input`);
  expect(type.isOneOf).toBe(true);
  expect(Object.keys(type.getFields())).toEqual(['kafka', 'objectStorage', 'kinesis', 'postgres']);
});
