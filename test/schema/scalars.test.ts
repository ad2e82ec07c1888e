import { expect, it } from 'vitest';
import { result, useStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const management = () => result({});
/** The costs, which take days, are an operation of ClickHouse Cloud alone. */
const stacks = {
  mutation: useStack({ management }),
  query: useStack({ management, config: { managementProfile: 'clickhouse-cloud' } }),
};

const operations: Readonly<Record<string, readonly [keyof typeof stacks, selection: string]>> = {
  SafeInt: [
    'mutation',
    `updatePipe(input: {
      @service-1, pipeId: "pipe-1", settings: { objectStorageMaxInsertBytes: # } }) { userErrors { code } }`,
  ],
  DateTime: [
    'mutation',
    'createApiKey(input: { @organization-1, name: "k", roles: [ADMIN], expiresAt: # }) { userErrors { code } }',
  ],
  Date: [
    'query',
    `organization(organizationId: "organization-1") {
      usageCost(fromDate: #, toDate: "2028-03-01") { totalChc } }`,
  ],
};

const ask = async (type: string, written: string, variables?: object) => {
  const [kind, selection] = operations[type] ?? ['query', ''];
  const stack = stacks[kind];
  const declared = variables ? `($v: ${type}!)` : '';
  const document = `${kind} Asked${declared} { ${withIds(selection).replace('#', written)} }`;
  const { body } = await stack.query(document, { variables });
  const errors: readonly { message: string }[] = body.errors ?? [];
  const calls = stack.calls.splice(0).length;
  expect(calls).toBe(errors.length > 0 ? 0 : 1);
  return errors[0]?.message;
};

const whole = 'SafeInt must be a whole number of at most 53 bits';
const plain = `${whole}, without a decimal point or an exponent`;
const dated = 'DateTime must be an ISO 8601 date-time in a string';
const day = 'Date must be a day that exists, as YYYY-MM-DD in a string';

/** Texts and other values that are no day that exists, in its one spelling. */
const noDays = [
  ...['"2026-02-29"', '"2026-13-01"', '"2026-11-31"', '"2026-00-10"', '"2026-1-1"', '""'],
  ...[
    '"20261101"',
    '"2026-11-01T00:00:00Z"',
    '"2026-11-01 "',
    '"+002026-11-01"',
    '20261101',
    'true',
  ],
];
const refused: readonly (readonly [type: string, value: string, expected: string])[] = [
  ['SafeInt', '1.5', whole],
  ['SafeInt', '9007199254740992', whole],
  ['DateTime', '"tomorrow"', dated],
  ['DateTime', '"9999-12-31T23:00-05:00"', dated],
  ...noDays.map((value) => ['Date', value, day] as const),
];

it.each(refused)(
  '%s: %s is refused with what is expected, and what came',
  async (type, value, expected) => {
    expect(await ask(type, value)).toBe(`${expected}, got ${value}`);
    expect(await ask(type, '$v', { v: JSON.parse(value) })).toBe(
      `Variable "$v" got an invalid value; ${expected}, got ${value}`,
    );
  },
);

it.each([
  ['SafeInt', '1e3', `${plain}, got 1e3`],
  ['SafeInt', '9007199254740993', `${whole}, got 9007199254740993`],
  ['SafeInt', '[5, "secret"]', `${whole}, got a list`],
  ['DateTime', '{ password: "secret" }', `${dated}, got an object`],
  ['Date', '["2026-11-01"]', `${day}, got a list`],
])('%s: the literal %s is refused', async (type, value, message) => {
  expect(await ask(type, value)).toBe(message);
});

it.each([
  ['SafeInt', [5, 'secret'], `${whole}, got a list`],
  ['DateTime', { password: 'secret' }, `${dated}, got an object`],
  ['Date', ['2026-11-01', 'secret'], `${day}, got a list`],
])('%s: the variable %j is refused, and nothing of it is quoted', async (type, v, expected) => {
  expect(await ask(type, '$v', { v })).toBe(`Variable "$v" got an invalid value; ${expected}`);
});

it.each([
  ['SafeInt', '9007199254740991'],
  ['DateTime', '"2027-01-01T00:00:00Z"'],
  ['Date', '"2028-02-29"'],
])('%s: %s is taken as a literal and as a variable', async (type, value) => {
  expect(await ask(type, value)).toBeUndefined();
  expect(await ask(type, '$v', { v: JSON.parse(value) })).toBeUndefined();
});
