import { expect, it } from 'vitest';
import { result, useStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const stack = useStack({ management: () => result({}) });

const mutations: Readonly<Record<string, string>> = {
  SafeInt: `updatePipe(input: {
    @service-1, pipeId: "pipe-1", settings: { objectStorageMaxInsertBytes: # } }) { userErrors { code } }`,
  DateTime:
    'createApiKey(input: { @organization-1, roles: [ADMIN], expireAt: # }) { userErrors { code } }',
};

const ask = async (type: string, written: string, variables?: object) => {
  const mutation = withIds(mutations[type] ?? '').replace('#', written);
  const declared = variables ? `($v: ${type})` : '';
  const { body } = await stack.query(`mutation ${declared} { ${mutation} }`, { variables });
  const errors: readonly { message: string }[] = body.errors ?? [];
  const calls = stack.calls.splice(0).length;
  expect(calls).toBe(errors.length > 0 ? 0 : 1);
  return errors[0]?.message;
};

const whole = 'SafeInt must be a whole number of at most 53 bits';
const plain = `${whole}, without a decimal point or an exponent`;
const dated = 'DateTime must be an ISO 8601 date-time in a string';

it.each([
  ['SafeInt', '1.5', whole],
  ['SafeInt', '9007199254740992', whole],
  ['DateTime', '"tomorrow"', dated],
  ['DateTime', '"9999-12-31T23:00-05:00"', dated],
])('%s: %s is refused with what is expected, and what came', async (type, value, expected) => {
  expect(await ask(type, value)).toBe(`${expected}, got ${value}`);
  expect(await ask(type, '$v', { v: JSON.parse(value) })).toBe(
    `Variable "$v" got an invalid value; ${expected}, got ${value}`,
  );
});

it.each([
  ['SafeInt', '1e3', `${plain}, got 1e3`],
  ['SafeInt', '9007199254740993', `${whole}, got 9007199254740993`],
  ['SafeInt', '[5, "secret"]', `${whole}, got a list`],
  ['DateTime', '{ password: "secret" }', `${dated}, got an object`],
])('%s: the literal %s is refused', async (type, value, message) => {
  expect(await ask(type, value)).toBe(message);
});

it.each([
  ['SafeInt', [5, 'secret'], `${whole}, got a list`],
  ['DateTime', { password: 'secret' }, `${dated}, got an object`],
])('%s: the variable %j is refused, and nothing of it is quoted', async (type, v, expected) => {
  expect(await ask(type, '$v', { v })).toBe(`Variable "$v" got an invalid value; ${expected}`);
});

it.each([
  ['SafeInt', '9007199254740991'],
  ['DateTime', '"2027-01-01T00:00:00Z"'],
])('%s: %s is taken as a literal and as a variable', async (type, value) => {
  expect(await ask(type, value)).toBeUndefined();
  expect(await ask(type, '$v', { v: JSON.parse(value) })).toBeUndefined();
});
