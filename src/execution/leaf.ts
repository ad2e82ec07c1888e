import { type GraphQLLeafType, isSpecifiedScalarType } from 'graphql';
import type { Complete } from './complete.ts';

/** The scalars of the specification, where the value is already of their kind. */
const asItIs: Readonly<Record<string, (value: unknown) => boolean>> = {
  String: (value) => typeof value === 'string',
  ID: (value) => typeof value === 'string',
  Boolean: (value) => typeof value === 'boolean',
  Float: (value) => Number.isFinite(value),
  Int: (value) => typeof value === 'number' && (value | 0) === value,
};

/** Makes the serializer of a type for values that are neither null nor undefined. */
export const serializerOf = (type: GraphQLLeafType): ((value: unknown) => unknown) => {
  const fits = isSpecifiedScalarType(type) ? asItIs[type.name] : undefined;
  return (value) => {
    if (fits?.(value)) return value;
    const serialized: unknown = type.serialize(value);
    if (serialized !== null && serialized !== undefined) return serialized;
    // graphql-js quotes the value here, which is the upstream's.
    throw new Error(`Expected \`${type.name}.serialize\` to return a value.`);
  };
};

/** Whether there is a value at all; throws an error that stands in a value's place. */
export const isThere = (value: unknown): boolean => {
  if (value instanceof Error) throw value;
  return value !== null && value !== undefined;
};

export const completeLeaf = (type: GraphQLLeafType): Complete => {
  const serialize = serializerOf(type);
  return (_, __, ___, value) => (isThere(value) ? serialize(value) : null);
};
