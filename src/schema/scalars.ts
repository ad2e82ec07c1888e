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

const withOffset = /^(.{16})(.*)([+-])(\d\d):?(\d\d)?$/;

/** The same moment without an offset, which some services refuse. A time without a zone stays one. */
const inUtc = (text: string): string => {
  const [, minute, seconds, sign, hours, minutes = '0'] = withOffset.exec(text) ?? [];
  if (minute === undefined) return text.toUpperCase();
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  // Offsets are whole minutes, so that seconds stay as they are.
  const shifted = new Date(Date.parse(`${minute}Z`) - offsetMs).toISOString();
  return `${shifted.slice(0, -':00.000Z'.length)}${seconds}Z`;
};

const parseDateTime = (value: unknown, nodes?: ValueNode): string => {
  // Empty is what the reference's rule 2 lets `expireAt` be, beside absent and null.
  if (value === '') return value;
  if (typeof value === 'string' && isDateTime(value)) return inUtc(value);
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
