import { type GraphQLNamedType, getNamedType, isInputObjectType } from 'graphql';
import { createSchema } from '../../../src/gateway/schema.ts';
import { isObject } from '../../../src/is-object.ts';

const schema = createSchema();

const ordered = (type: GraphQLNamedType, value: unknown): unknown => {
  if (Array.isArray(value)) return value.map((each) => ordered(type, each));
  if (!isInputObjectType(type) || !isObject(value)) return value;
  const fields = type.getFields();
  const unknown = Object.keys(value).filter((name) => !fields[name]);
  if (unknown.length > 0) throw new Error(`${type.name} has no ${unknown.join(', ')}`);
  return Object.fromEntries(
    Object.values(fields).flatMap((field) =>
      field.name in value
        ? [[field.name, ordered(getNamedType(field.type), value[field.name])]]
        : [],
    ),
  );
};

/** An input with its members in the order of the schema, which is the order in which they are sent. */
export const inOrder = (typeName: string, value: object): object => {
  const type = schema.getType(typeName);
  const result = type && ordered(type, value);
  if (!isObject(result)) throw new Error(`No input ${typeName}`);
  return result;
};
