import { type GraphQLLeafType, isSpecifiedScalarType } from 'graphql';

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
