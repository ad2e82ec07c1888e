import { GraphQLError, GraphQLScalarType, Kind, type ValueNode } from 'graphql';
import { isDateTime } from '../upstream/management/rules.ts';

/**
 * The schema's own scalars: strict on input; on output a value of the wrong kind is an error of its
 * own field, which `errors.ts` turns into UPSTREAM_BAD_RESPONSE without showing the value.
 */

const show = (value: unknown): string => (JSON.stringify(value) ?? String(value)).slice(0, 64);

const literal = (node: ValueNode): unknown => {
  if (node.kind === Kind.STRING) return node.value;
  if (node.kind === Kind.INT) return Number(node.value);
  return undefined;
};

const parseDateTime = (value: unknown, nodes?: ValueNode): string => {
  // Empty is what the reference's rule 2 lets `expireAt` be, beside absent and null.
  if (typeof value === 'string' && (value === '' || isDateTime(value))) return value;
  throw new GraphQLError(`DateTime must be an ISO 8601 date-time, got ${show(value)}`, {
    nodes: nodes ?? null,
  });
};

const dateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  serialize: (value) => {
    const dated = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value);
    if (dated && !Number.isNaN(Date.parse(value))) return value;
    throw new GraphQLError('DateTime cannot represent this value');
  },
  parseValue: (value) => parseDateTime(value),
  parseLiteral: (node) => parseDateTime(literal(node), node),
});

const parseSafeInt = (value: unknown, nodes?: ValueNode): number => {
  if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
  throw new GraphQLError(`SafeInt must be a whole number of at most 53 bits, got ${show(value)}`, {
    nodes: nodes ?? null,
  });
};

const safeInt = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  serialize: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
    throw new GraphQLError('SafeInt cannot represent this value');
  },
  parseValue: (value) => parseSafeInt(value),
  parseLiteral: (node) => parseSafeInt(literal(node), node),
});

/** Behaviour alone: an instance as it is would put its own lack of a description in the SDL's place. */
const behaviour = ({ serialize, parseValue, parseLiteral }: GraphQLScalarType): GraphQLScalarType =>
  ({ serialize, parseValue, parseLiteral }) as GraphQLScalarType;

export const scalars = { DateTime: behaviour(dateTime), SafeInt: behaviour(safeInt) };
