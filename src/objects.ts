import {
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  getNullableType,
  isCompositeType,
  isIntrospectionType,
  isListType,
  isObjectType,
} from 'graphql';
import { isObject } from './is-object.ts';

/** Whether a value can stand for the type as far as objects go; what is no object there has no fields. */
const fits = (value: unknown, type: GraphQLOutputType): boolean => {
  if (value === null || value === undefined || value instanceof Error) return true;
  const nullable = getNullableType(type);
  if (!isListType(nullable)) return !isCompositeType(nullable) || isObject(value);
  return Array.isArray(value) && value.every((item) => fits(item, nullable.ofType));
};

/**
 * Makes each field that reads an object off its parent refuse a value that is none. Executors would take
 * any value for an object, and all its fields for null: text in an object's place would be lost silently.
 */
export const requireObjects = (schema: GraphQLSchema): GraphQLSchema => {
  for (const type of Object.values(schema.getTypeMap())) {
    if (!isObjectType(type) || isIntrospectionType(type)) continue;
    for (const field of Object.values(type.getFields())) {
      if (field.resolve || !isCompositeType(getNamedType(field.type))) continue;
      field.resolve = (parent: Readonly<Record<string, unknown>>) => {
        const value = parent[field.name];
        if (fits(value, field.type)) return value;
        throw new TypeError(`Expected value of type "${field.type}"`);
      };
    }
  }
  return schema;
};
