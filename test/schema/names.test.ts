import {
  buildSchema,
  type GraphQLArgument,
  type GraphQLField,
  type GraphQLInputField,
  type GraphQLNamedType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isEnumType,
  isInputObjectType,
  isListType,
  isObjectType,
} from 'graphql';
import { expect, it } from 'vitest';
import { createSchema } from '../../src/gateway/schema.ts';

/* The rules of names and types in the header of schema/base.graphql. */

interface Argument {
  readonly at: string;
  readonly isOfRoot: boolean;
  readonly argument: GraphQLArgument;
}

const named = ({ type }: GraphQLArgument | GraphQLInputField | GraphQLField<unknown, unknown>) =>
  getNamedType(type).name;
const isList = ({ type }: GraphQLArgument | GraphQLInputField): boolean =>
  isListType(getNullableType(type));

const typesOf = (schema: GraphQLSchema): readonly GraphQLNamedType[] =>
  Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

const argumentsOf = (schema: GraphQLSchema): readonly Argument[] => {
  const roots: readonly unknown[] = [schema.getQueryType(), schema.getSubscriptionType()];
  return typesOf(schema)
    .filter(isObjectType)
    .flatMap((type) =>
      Object.values(type.getFields()).flatMap(({ name, args }) =>
        args.map((argument) => ({
          ...{ at: `${type.name}.${name}(${argument.name}:)`, argument },
          isOfRoot: roots.includes(type),
        })),
      ),
    );
};

/** Types of these arguments differ by what they select, and end in their names. */
const ownTypes: Readonly<Record<string, string>> = {
  filter: 'Filter',
  orderBy: 'Order',
  input: 'Input',
};

function* breachesOf(schema: GraphQLSchema): Generator<string> {
  const first = new Map<string, Argument>();
  for (const each of argumentsOf(schema)) {
    const { at, isOfRoot, argument } = each;
    const { name, type } = argument;
    if (named(argument) === 'ID' && !isList(argument) && name !== 'nodeId') {
      if (isOfRoot ? !/\wId$/.test(name) : name !== 'id') yield `${at} identifies by another name`;
    }
    if (/\wIn$/.test(name) && !isList(argument)) yield `${at} takes no list`;
    const ending = ownTypes[name];
    if (ending !== undefined) {
      if (!named(argument).endsWith(ending)) yield `${at} is no ${ending}`;
      continue;
    }
    const other = first.get(name) ?? each;
    first.set(name, other);
    // An argument may be required in one place alone.
    if (`${getNullableType(type)}` !== `${getNullableType(other.argument.type)}`) {
      yield `${at} has another type than ${other.at}`;
    }
  }
  for (const type of typesOf(schema)) {
    if (!isObjectType(type) && !isInputObjectType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      const at = `${type.name}.${field.name}`;
      const of = named(field);
      if (of === 'DateTime' && !/(?:At|Until)$/.test(field.name)) yield `${at} ends in no At`;
      if (of === 'Date' && !/(?:^d|D)ate$/.test(field.name)) yield `${at} ends in no Date`;
    }
    if (!isInputObjectType(type) || !type.name.endsWith('Filter')) continue;
    for (const member of Object.values(type.getFields())) {
      const at = `${type.name}.${member.name}`;
      const of = getNamedType(member.type);
      const picks = isEnumType(of) || of.name === 'ID' || of.name === 'String';
      const isIn = /\wIn$/.test(member.name);
      if (isIn !== isList(member)) yield `${at} is a list without In, or has In without a list`;
      if (picks && !isIn && !member.name.endsWith('Contains')) yield `${at} picks without In`;
    }
  }
}

it('no name or type of the schema breaks the rules of its header', () => {
  expect([...breachesOf(createSchema())]).toEqual([]);
});

it.each([
  ['type Query { dog(id: ID!): Int }', 'Query.dog(id:) identifies by another name'],
  ['type Dog { pup(pupId: ID!): Int }', 'Dog.pup(pupId:) identifies by another name'],
  ['type Dog { pups(nameIn: String): Int }', 'Dog.pups(nameIn:) takes no list'],
  ['type Dog { pups(filter: String): Int }', 'Dog.pups(filter:) is no Filter'],
  [
    'type Dog { a(from: Date): Int b(from: DateTime): Int }',
    'Dog.b(from:) has another type than Dog.a(from:)',
  ],
  ['type Dog { fed: DateTime }', 'Dog.fed ends in no At'],
  ['input Dog { birthday: Date }', 'Dog.birthday ends in no Date'],
  ['input DogFilter { name: String }', 'DogFilter.name picks without In'],
  ['enum Size { BIG } input DogFilter { size: Size }', 'DogFilter.size picks without In'],
  [
    'input DogFilter { names: [String!] }',
    'DogFilter.names is a list without In, or has In without a list',
    'DogFilter.names picks without In',
  ],
])('%s breaks a rule', (sdl, ...breaches) => {
  const schema = buildSchema(`scalar Date scalar DateTime ${sdl}`);
  expect([...breachesOf(schema)]).toEqual(breaches);
});
