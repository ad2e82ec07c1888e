import { readFileSync } from 'node:fs';
import {
  buildClientSchema,
  buildSchema,
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
  isSpecifiedScalarType,
  lexicographicSortSchema,
  printSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { data, result, startStack } from '../support/harness.ts';

// The schema as a client sees it, so that rows can be made of it before the tests run.
const stack = await startStack({ management: () => result({}), observability: () => data({}) });
const { body } = await stack.query(
  getIntrospectionQuery({
    ...{ inputValueDeprecation: true, oneOf: true, specifiedByUrl: true },
    ...{ directiveIsRepeatable: true, schemaDescription: true },
  }),
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

/** The directives that an operation or a schema may use, also those that a print leaves out. */
const directivesOf = (of: GraphQLSchema): readonly string[] =>
  lexicographicSortSchema(of)
    .getDirectives()
    .map(({ name, args, isRepeatable, locations }) => {
      const declared = args.map((arg) => `${arg.name}: ${arg.type}`).join(', ');
      return `@${name}(${declared})${isRepeatable ? ' repeatable' : ''} on ${locations.join(' | ')}`;
    });

it('schema.graphql is the schema that introspection shows, and loses nothing when it is read', () => {
  const text = readFileSync(new URL('../../schema.graphql', import.meta.url), 'utf8');
  const printed = buildSchema(text);
  for (const each of [schema, printed]) {
    expect(`${printSchema(lexicographicSortSchema(each))}\n`).toBe(text);
    expect(directivesOf(each)).toEqual(directivesOf(printed));
  }
  expect(directivesOf(schema)).toContain('@oneOf() on INPUT_OBJECT');
  expect(text).toMatch(/^input \w+ @oneOf \{$/m);
  expect(text).toMatch(/^ {2}\w+: \w+ @deprecated\(reason: "\w/m);
});

const words = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .match(/[a-z0-9]+/g) ?? [];
const fillers = new Set('a an and by for in is it its of on or that the this to value'.split(' '));

describe('descriptions', () => {
  it('are sentences of some length, on every type, field, argument and enum value', () => {
    expect(described.length).toBeGreaterThan(300);
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

it.each(Object.keys(fieldsOf('Mutation')))(
  '%s is verbNoun(input: VerbNounInput!): VerbNounPayload!, of nullable members and userErrors',
  (name) => {
    const { args = [], type } = fieldsOf('Mutation')[name] ?? {};
    const Name = `${name[0]?.toUpperCase()}${name.slice(1)}`;
    expect(name).toMatch(/^[a-z]+[A-Z][A-Za-z]+$/);
    expect(args.map((arg) => `${arg.name}: ${arg.type}`)).toEqual([`input: ${Name}Input!`]);
    expect(String(type)).toBe(`${Name}Payload!`);
    const { userErrors, ...members } = fieldsOf(`${Name}Payload`);
    expect(String(userErrors?.type)).toBe('[UserError!]!');
    const changed = Object.values(members);
    expect(changed).not.toEqual([]);
    expect(changed.filter((field) => isNonNullType(field.type))).toEqual([]);
  },
);

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
      expect(`${type.name}.${field.name}: ${field.type}`).toMatch(/\.[a-zA-Z]+Id: ID!$/);
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
