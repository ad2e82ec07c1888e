import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({ management: () => result({}), observability: () => data([]) });
});
afterAll(() => stack.close());

const service = 'organizationId: "organization-1", serviceId: "service-1"';
const mutations: Readonly<Record<string, (value: string) => string>> = {
  SafeInt: (value) =>
    `updatePipe(input: { ${service}, pipeId: "pipe-1", settings: { objectStorageMaxInsertBytes: ${value} } }) { userErrors { code } }`,
  DateTime: (value) =>
    `createApiKey(input: { organizationId: "organization-1", roles: [ADMIN], expireAt: ${value} }) { userErrors { code } }`,
};

const messageOf = async (document: string, variables?: object): Promise<string | undefined> => {
  const { body } = await stack.query(withIds(document), { variables });
  return body.errors?.[0]?.message;
};

const ofLiteral = (type: string, value: string) =>
  messageOf(`mutation { ${mutations[type]?.(value)} }`);

const ofVariable = (type: string, value: unknown) =>
  messageOf(`mutation ($v: ${type}) { ${mutations[type]?.('$v')} }`, { v: value });

const whole = 'SafeInt must be a whole number of at most 53 bits';
const plain = `${whole}, without a decimal point or an exponent`;
const dated = 'DateTime must be an ISO 8601 date-time in a string';

describe('what is no value of a scalar is refused with what is expected, and what came', () => {
  it.each([
    ['SafeInt', '1.0', `${plain}, got 1.0`],
    ['SafeInt', '1e3', `${plain}, got 1e3`],
    ['SafeInt', '1.5', `${whole}, got 1.5`],
    ['SafeInt', '9007199254740993', `${whole}, got 9007199254740993`],
    ['SafeInt', '"5"', `${whole}, got "5"`],
    ['SafeInt', 'true', `${whole}, got true`],
    ['SafeInt', 'FIVE', `${whole}, got FIVE`],
    ['SafeInt', '[5, "secret"]', `${whole}, got a list`],
    ['SafeInt', '{ password: "secret" }', `${whole}, got an object`],
    ['DateTime', '"tomorrow"', `${dated}, got "tomorrow"`],
    ['DateTime', '1795581548.5', `${dated}, got 1795581548.5`],
    ['DateTime', '1795581548828', `${dated}, got 1795581548828`],
    ['DateTime', 'true', `${dated}, got true`],
    ['DateTime', '{ password: "secret" }', `${dated}, got an object`],
  ])('%s: the literal %s', async (type, value, message) => {
    expect(await ofLiteral(type, value)).toBe(message);
    expect(stack.calls).toEqual([]);
  });

  it.each([
    ['SafeInt', 1.5, `1.5; ${whole}, got 1.5`],
    ['SafeInt', 2 ** 53, `9007199254740992; ${whole}, got 9007199254740992`],
    ['SafeInt', '5', `"5"; ${whole}, got "5"`],
    ['SafeInt', true, `true; ${whole}, got true`],
    ['DateTime', 'tomorrow', `"tomorrow"; ${dated}, got "tomorrow"`],
    ['DateTime', 1_795_581_548_828, `1795581548828; ${dated}, got 1795581548828`],
  ])('%s: the variable %j', async (type, value, message) => {
    expect(await ofVariable(type, value)).toBe(`Variable "$v" got invalid value ${message}`);
    expect(stack.calls).toEqual([]);
  });

  it.each([
    ['SafeInt', [5, 'secret'], whole],
    ['DateTime', { password: 'secret' }, dated],
  ])('%s: the variable %j, of which nothing is quoted', async (type, value, expected) => {
    expect(await ofVariable(type, value)).toBe(`Variable "$v" got an invalid value; ${expected}.`);
    expect(stack.calls).toEqual([]);
  });
});

it.each([
  ['SafeInt', '9007199254740991', 2 ** 53 - 1],
  ['SafeInt', '-5', -5],
  ['DateTime', '"2027-01-01T00:00:00Z"', '2027-01-01T00:00:00Z'],
])('%s: %s is taken as a literal and as a variable', async (type, literal, value) => {
  for (const message of [await ofLiteral(type, literal), await ofVariable(type, value)]) {
    expect(message).toBeUndefined();
  }
});
