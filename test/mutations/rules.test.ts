import { describe, expect, it } from 'vitest';
import {
  type Breach,
  expectInvalidDocument,
  expectInvalidVariables,
  expectRefusal,
  expectSent,
  useStack,
} from '../support/refusals.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const ids = { organizationId, serviceId };
const stack = useStack();

describe('scaling', () => {
  it.each([
    ['minTotalMemoryGb', [24, 36, 1056, null], 1068],
    ['maxTotalMemoryGb', [24, 360, 372, null], 1068],
    ['numReplicas', [1, 2, 19, null], 20],
    ['idleTimeoutMinutes', [5, 6, null], 2147483647],
    ['idleScaling', [true, false], null],
  ] as const)('sends %s of %j and %j', async (member, values, last) => {
    for (const value of [...values, last]) {
      stack().calls.length = 0;
      const input = { ...ids, [member]: value };
      await expectSent(stack(), 'updateServiceScaling', input, `{"${member}":${value}}`);
    }
  });

  const memory = ['multiple of 12', '24', '1068'];
  it.each([
    ...[0, -24, 12, 23, 25, 30, 1067, 1069, 1080].flatMap((value) => [
      { member: 'minTotalMemoryGb', value, expected: memory },
      { member: 'maxTotalMemoryGb', value, expected: memory },
    ]),
    ...[0, -1, 21, 2147483647].map((value) => ({
      member: 'numReplicas',
      value,
      expected: ['1', '20'],
    })),
    ...[4, 0, -5].map((value) => ({ member: 'idleTimeoutMinutes', value, expected: ['5'] })),
  ])('refuses $member of $value before any call', async ({ member, value, expected }) => {
    await expectRefusal(stack(), 'updateServiceScaling', { ...ids, [member]: value }, [
      { field: [member], names: [member, ...expected, `got ${value}`] },
    ]);
  });

  it('reports every breach at once, identifiers among them', async () => {
    const input = {
      organizationId: 'northwind',
      serviceId,
      minTotalMemoryGb: 23,
      maxTotalMemoryGb: 1080,
      numReplicas: 21,
      idleScaling: true,
      idleTimeoutMinutes: 4,
    };
    const breach = (member: string, value: unknown): Breach => ({
      field: [member],
      names: [member, `${value}`],
    });
    await expectRefusal(stack(), 'updateServiceScaling', input, [
      breach('organizationId', 'northwind'),
      breach('minTotalMemoryGb', 23),
      breach('maxTotalMemoryGb', 1080),
      breach('numReplicas', 21),
      breach('idleTimeoutMinutes', 4),
    ]);
  });

  it.each([
    ['a fraction', '24.5'],
    ['a string', '"24"'],
    ['an integer beyond 32 bits', '2147483648'],
  ])('refuses %s where the schema says Int', async (_, literal) => {
    const document = (value: string, variable = '') => `mutation ${variable} {
      updateServiceScaling(input: {
        organizationId: "${organizationId}", serviceId: "${serviceId}", minTotalMemoryGb: ${value}
      }) { userErrors { code } }
    }`;
    await expectInvalidDocument(stack(), document(literal), ['Int']);
    const value: unknown = JSON.parse(literal);
    await expectInvalidVariables(stack(), document('$value', '($value: Int)'), { value }, ['Int']);
  });
});

describe('key creation', () => {
  const roles = { roles: ['ADMIN'] };
  const wireRoles = '"roles":["admin"]';

  it.each([
    ['one role', { roles: ['QUERY_ENDPOINTS'] }, '{"roles":["query_endpoints"]}'],
    ['expireAt of null', { ...roles, expireAt: null }, `{"expireAt":null,${wireRoles}}`],
    ['null for an empty expireAt', { ...roles, expireAt: '' }, `{"expireAt":null,${wireRoles}}`],
    [
      'expireAt in UTC',
      { ...roles, expireAt: '2027-11-03T09:30:00Z' },
      `{"expireAt":"2027-11-03T09:30:00Z",${wireRoles}}`,
    ],
    [
      'expireAt with a fraction, without its offset',
      { ...roles, expireAt: '2028-02-29T23:59:59.120+05:30' },
      `{"expireAt":"2028-02-29T18:29:59.120Z",${wireRoles}}`,
    ],
  ])('sends %s', async (_, input, body) => {
    await expectSent(stack(), 'createApiKey', { organizationId, ...input }, body);
  });

  it.each([
    ['an empty list of roles', { roles: [] }],
    ['roles of null', { roles: null }],
    ['no roles member', { name: 'n' }],
    ['nothing at all', {}],
  ])('refuses %s before any call', async (_, input) => {
    await expectRefusal(stack(), 'createApiKey', { organizationId, ...input }, [
      { field: ['roles'], names: ['roles', 'at least one', 'got none'] },
    ]);
  });

  it.each([
    'tomorrow',
    '2027-11-03',
    '09:30:00Z',
    '2027-11-03 09:30:00Z',
    '2027-13-03T09:30:00Z',
    '2027-02-29T09:30:00Z',
    '2027-04-31T09:30:00Z',
    '2027-11-03T25:30:00Z',
    '2027-11-03T09:60:00Z',
    '2027-11-03T09:30:00+25:00',
    ' 2027-11-03T09:30:00Z',
    '2027-11-03T09:30:00Z\n',
    'Wed, 03 Nov 2027 09:30:00 GMT',
    '1825000000',
    ' ',
    1825000000,
    true,
  ])('refuses expireAt of %j before any call', async (expireAt) => {
    const named = ['DateTime', 'ISO 8601'];
    await expectInvalidVariables(
      stack(),
      `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { keyId } }`,
      { input: { organizationId, expireAt } },
      [...named, 'input.expireAt', `got ${JSON.stringify(expireAt)}`],
    );
    await expectInvalidDocument(
      stack(),
      `mutation { createApiKey(input: {
        organizationId: "${organizationId}", expireAt: ${JSON.stringify(expireAt)}
      }) { keyId } }`,
      named,
    );
  });

  it.each([
    ['a role beyond the reference', { roles: ['OWNER'] }, 'OWNER'],
    ['the role UNKNOWN', { roles: ['UNKNOWN'] }, 'UNKNOWN'],
    ['a role in its wire spelling', { roles: ['admin'] }, 'admin'],
    ['a state beyond the reference', { state: 'PAUSED' }, 'PAUSED'],
  ])('refuses %s before any call', async (_, input, named) => {
    const document = `mutation ($input: CreateApiKeyInput!) { createApiKey(input: $input) { keyId } }`;
    await expectInvalidVariables(stack(), document, { input: { organizationId, ...input } }, [
      named,
    ]);
  });
});

describe('password hashes', () => {
  // SHA-256 in base64, and SHA-1 of SHA-1 in hexadecimal, of "password".
  const newPasswordHash = 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=';
  const newDoubleSha1Hash = '2470c0c06dee42fd1618bb99005adca2ec9d1e19';
  const upperCase = '2470C0C06DEE42FD1618BB99005ADCA2EC9D1E19';

  it.each([
    ['the SHA-256 alone', { newPasswordHash }, `{"newPasswordHash":"${newPasswordHash}"}`],
    [
      'the doubled SHA-1 alone',
      { newDoubleSha1Hash },
      `{"newDoubleSha1Hash":"${newDoubleSha1Hash}"}`,
    ],
    [
      'the doubled SHA-1 in upper case',
      { newDoubleSha1Hash: upperCase },
      `{"newDoubleSha1Hash":"${upperCase}"}`,
    ],
    [
      'null for both',
      { newPasswordHash: null, newDoubleSha1Hash: null },
      '{"newPasswordHash":null,"newDoubleSha1Hash":null}',
    ],
  ])('sends %s', async (_, input, body) => {
    await expectSent(stack(), 'updateServicePassword', { ...ids, ...input }, body);
  });

  const sha256 = { member: 'newPasswordHash', expected: ['base64', 'SHA-256'] };
  const doubleSha1 = { member: 'newDoubleSha1Hash', expected: ['40 hexadecimal'] };
  it.each([
    { title: 'the plain password', ...sha256, value: 'password' },
    { title: 'no padding', ...sha256, value: newPasswordHash.slice(0, -1) },
    { title: '31 bytes', ...sha256, value: Buffer.alloc(31, 7).toString('base64') },
    { title: '33 bytes', ...sha256, value: Buffer.alloc(33, 7).toString('base64') },
    { title: 'the URL alphabet', ...sha256, value: newPasswordHash.replace('X', '-') },
    { title: 'bits beyond 32 bytes', ...sha256, value: newPasswordHash.replace('tg=', 'th=') },
    { title: 'a line end', ...sha256, value: `${newPasswordHash}\n` },
    {
      title: 'a hexadecimal digest',
      ...sha256,
      value: '5e884898da28047151d0e56f8dc6292773603d0d6aabbdd62a11ef721d1542d8',
    },
    { title: '39 digits', ...doubleSha1, value: newDoubleSha1Hash.slice(1) },
    { title: '41 digits', ...doubleSha1, value: `${newDoubleSha1Hash}0` },
    { title: 'the star of MySQL', ...doubleSha1, value: `*${upperCase}` },
    { title: 'a letter beyond f', ...doubleSha1, value: newDoubleSha1Hash.replace('f', 'g') },
    { title: 'a line end', ...doubleSha1, value: `${newDoubleSha1Hash}\n` },
  ])('refuses $member with $title and does not quote it', async ({ member, value, expected }) => {
    const names = [member, ...expected, `${value.length} characters`];
    const [message] = await expectRefusal(
      stack(),
      'updateServicePassword',
      { ...ids, [member]: value },
      [{ field: [member], names }],
    );
    expect(message).not.toContain(value.trim());
  });

  it('refuses both at once, and empty ones too', async () => {
    const input = { ...ids, newPasswordHash: '', newDoubleSha1Hash: '' };
    await expectRefusal(stack(), 'updateServicePassword', input, [
      { field: ['newPasswordHash'], names: ['newPasswordHash'] },
      { field: ['newDoubleSha1Hash'], names: ['newDoubleSha1Hash'] },
    ]);
  });
});
