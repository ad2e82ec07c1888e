import { GraphQLError, GraphQLScalarType, Kind, print, type ValueNode } from 'graphql';
import { isObject } from '../is-object.ts';
import { isDate, isDateTime } from '../upstream/management/dates.ts';

/**
 * The schema's own scalars. Input is checked strictly. On output, a value of the wrong kind is an error of its field, which
 * `errors.ts` turns into UPSTREAM_BAD_RESPONSE without showing the value.
 */

/** Shows an input value in an error. Lists and objects are not quoted, since they may contain secrets. */
const show = (value: unknown): string => {
  if (Array.isArray(value)) return 'a list';
  if (isObject(value)) return 'an object';
  return (JSON.stringify(value) ?? String(value)).slice(0, 64);
};

/** Shows a literal in its original spelling, since JavaScript may round a number. */
const showLiteral = (node: ValueNode): string => {
  if (node.kind === Kind.LIST) return 'a list';
  return node.kind === Kind.OBJECT ? 'an object' : print(node).slice(0, 64);
};

const withOffset = /^(.{16})(.*)([+-])(\d\d):?(\d\d)?$/;

/** The same moment in UTC without an offset, since some services refuse offsets. A time without a zone stays unchanged. */
const inUtc = (text: string): string => {
  const [, minute, seconds, sign, hours, minutes = '0'] = withOffset.exec(text) ?? [];
  if (minute === undefined) return text.toUpperCase();
  const offsetMs = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -60_000 : 60_000);
  // Offsets are whole minutes, so the seconds stay unchanged.
  const shifted = new Date(Date.parse(`${minute}Z`) - offsetMs).toISOString();
  return `${shifted.slice(0, -':00.000Z'.length)}${seconds}Z`;
};

const mustBe = (expected: string, got: string, nodes?: ValueNode): GraphQLError =>
  new GraphQLError(`${expected}, got ${got}`, { nodes: nodes ?? null });

/** The value in UTC; undefined if it is not a date-time. The documented rule 2 allows an empty text for `expiresAt`. */
const readDateTime = (value: unknown): string | undefined => {
  if (value === '') return value;
  const utc = typeof value === 'string' && isDateTime(value) ? inUtc(value) : '';
  // The offset may lead to a year that does not have four digits.
  return /^\d{4}-/.test(utc) ? utc : undefined;
};

const aDateTime = 'DateTime must be an ISO 8601 date-time in a string';

const dateTime = new GraphQLScalarType<string, string>({
  name: 'DateTime',
  serialize: (value) => {
    const dated = typeof value === 'string' && /^\d{4}-\d{2}-\d{2}/.test(value);
    if (dated && !Number.isNaN(Date.parse(value))) return value;
    throw new GraphQLError('DateTime cannot represent this value');
  },
  parseValue: (value) => {
    const utc = readDateTime(value);
    if (utc !== undefined) return utc;
    throw mustBe(aDateTime, show(value));
  },
  parseLiteral: (node) => {
    const utc = node.kind === Kind.STRING ? readDateTime(node.value) : undefined;
    if (utc !== undefined) return utc;
    throw mustBe(aDateTime, showLiteral(node), node);
  },
});

const aDate = 'Date must be a day that exists, as YYYY-MM-DD in a string';

const isDay = (value: unknown): value is string => typeof value === 'string' && isDate(value);

const date = new GraphQLScalarType<string, string>({
  name: 'Date',
  serialize: (value) => {
    if (isDay(value)) return value;
    throw new GraphQLError('Date cannot represent this value');
  },
  parseValue: (value) => {
    if (isDay(value)) return value;
    throw mustBe(aDate, show(value));
  },
  parseLiteral: (node) => {
    if (node.kind === Kind.STRING && isDate(node.value)) return node.value;
    throw mustBe(aDate, showLiteral(node), node);
  },
});

const aSafeInt = 'SafeInt must be a whole number of at most 53 bits';

const safeInt = new GraphQLScalarType<number, number>({
  name: 'SafeInt',
  serialize: (value) => {
    const number = typeof value === 'string' && value.trim() !== '' ? Number(value) : value;
    if (typeof number === 'number' && Number.isSafeInteger(number)) return number;
    throw new GraphQLError('SafeInt cannot represent this value');
  },
  parseValue: (value) => {
    if (typeof value === 'number' && Number.isSafeInteger(value)) return value;
    throw mustBe(aSafeInt, show(value));
  },
  parseLiteral: (node) => {
    const number = node.kind === Kind.INT || node.kind === Kind.FLOAT ? Number(node.value) : NaN;
    const isSafe = Number.isSafeInteger(number);
    if (isSafe && node.kind === Kind.INT) return number;
    // As for Int, a literal 1.0 is not an integer. In the JSON of variables, 1.0 is 1.
    const expected = isSafe ? `${aSafeInt}, without a decimal point or an exponent` : aSafeInt;
    throw mustBe(expected, showLiteral(node), node);
  },
});

/** Only the functions: a whole scalar would replace the SDL's description by its own, which is missing. */
const behaviour = ({ serialize, parseValue, parseLiteral }: GraphQLScalarType): GraphQLScalarType =>
  ({ serialize, parseValue, parseLiteral }) as GraphQLScalarType;

export const scalars = {
  Date: behaviour(date),
  DateTime: behaviour(dateTime),
  SafeInt: behaviour(safeInt),
};
