import { afterEach, describe, expect, it } from 'vitest';
import { type Answer, data, json, result, type Stack, startStack } from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const requestId = '6f1d8a52-4c0e-4b59-9a6b-2f1f4a8d1c11';
const newPasswordHash = 'XohImNooBHFR0OVvjcYpJ3NgPQ1qq73WKhHvch0VQtg=';

let stack: Stack;
afterEach(() => stack.close());

const change = async (answer: Answer) => {
  stack = await startStack({ management: () => answer, observability: () => data({}) });
  const { body } = await stack.query(
    `mutation ($input: UpdateServicePasswordInput!) {
      updateServicePassword(input: $input) { password userErrors { code message field } } }`,
    { variables: { input: { organizationId, serviceId, newPasswordHash } } },
  );
  expect(stack.calls.map(({ method, path, body: sent }) => `${method} ${path} ${sent}`)).toEqual([
    `PATCH /v1/organizations/${organizationId}/services/${serviceId}/password {"newPasswordHash":"${newPasswordHash}"}`,
  ]);
  return body;
};

describe('a password that was set by its hash', () => {
  it.each<readonly [title: string, answer: Answer]>([
    ['without a result', json({ status: 200, requestId })],
    ['with a result of null', result(null)],
    ['with an empty result', result({})],
    ['with a password of null', result({ password: null })],
    ['with 204', { status: 204, body: '' }],
    ['with an empty body', { body: '', headers: { 'content-type': 'application/json' } }],
    ['with an empty object', json({})],
  ])('and answered %s is null, and no error', async (_, answer) => {
    expect(await change(answer)).toEqual({
      data: { updateServicePassword: { password: null, userErrors: [] } },
    });
    expect(stack.complaints()).toBe('');
  });

  it.each<readonly [title: string, answer: Answer]>([
    ['a text', result('x')],
    ['a list', result([])],
    ['a number', result(0)],
    ['no envelope', json({ requestId })],
    ['an envelope of failure', json({ status: 500, requestId })],
    ['null', json(null)],
    ['no JSON', { body: 'ok', headers: { 'content-type': 'application/json' } }],
  ])('and answered with %s is UPSTREAM_BAD_RESPONSE', async (_, answer) => {
    const body = await change(answer);
    expect(body.data).toEqual({ updateServicePassword: { password: null, userErrors: [] } });
    expect(body.errors).toMatchObject([
      {
        path: ['updateServicePassword', 'password'],
        extensions: { code: 'UPSTREAM_BAD_RESPONSE', retryable: false },
      },
    ]);
  });
});
