import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { type Answer, json, type Stack, startStack } from '../support/harness.ts';

describe('what an upstream refuses', () => {
  let stack: Stack;
  let answer: Answer;
  beforeAll(async () => {
    stack = await startStack({ management: () => answer, observability: () => answer });
  });
  beforeEach(() => {
    stack.calls.length = 0;
  });
  afterAll(() => stack.close());

  const upstreams = [
    {
      upstream: 'management',
      operation: 'updateServicePassword',
      field: 'updateServicePassword',
      member: 'password',
      document: `mutation { updateServicePassword(input: {
        organizationId: "0a9a0000-0000-4000-8000-000000000001"
        serviceId: "5e4c0000-0000-4000-8000-000000000001"
      }) {
        password userErrors { code message field }
      } }`,
      refusal: (status: number) => ({ status, error: 'BAD_REQUEST: not so', requestId: 'r-1' }),
      words: 'not so.',
      requestId: { requestId: 'r-1' },
    },
    {
      upstream: 'observability',
      operation: 'createDashboard',
      field: 'createDashboard',
      member: 'dashboard',
      document:
        'mutation { createDashboard(input: {}) { dashboard { id } userErrors { code message field } } }',
      refusal: () => ({ message: 'name is required' }),
      words: 'name is required.',
      requestId: {},
    },
  ];

  describe.each(upstreams)('$upstream:', (row) => {
    it.each([
      [400, 'REJECTED'],
      [422, 'REJECTED'],
      [409, 'CONFLICT'],
      [424, 'SERVICE_NOT_RUNNING'],
    ])('%i is a user error %s in its own words', async (status, code) => {
      const before = status === 424 ? 'The service is not running: ' : '';
      answer = json(row.refusal(status), status);
      const { body } = await stack.query(row.document);
      expect(body).toEqual({
        data: {
          [row.field]: {
            [row.member]: null,
            userErrors: [{ code, message: before + row.words, field: null }],
          },
        },
      });
      expect(stack.calls).toHaveLength(1);
    });

    it.each([
      [401, 'UNAUTHENTICATED'],
      [403, 'FORBIDDEN'],
      [404, 'NOT_FOUND'],
      [429, 'RATE_LIMITED'],
      [500, 'UPSTREAM_ERROR'],
      [502, 'UPSTREAM_UNAVAILABLE'],
      [503, 'UPSTREAM_UNAVAILABLE'],
      [504, 'UPSTREAM_TIMEOUT'],
    ])('%i is a top-level error %s, and sent once', async (status, code) => {
      answer = json(row.refusal(status), status);
      const { body, headers } = await stack.query(row.document);
      expect(body.data).toEqual({ [row.field]: { [row.member]: null, userErrors: [] } });
      expect(body.errors).toMatchObject([{ path: [row.field, row.member] }]);
      expect(body.errors[0].extensions).toEqual({
        code,
        upstream: { name: row.upstream, operation: row.operation, status, ...row.requestId },
        requestId: headers.get('x-request-id'),
        // What a repeated write may do is not this test's business.
        retryable: expect.any(Boolean),
      });
      // Words of the upstream are passed on for 4xx only.
      if (status < 500) expect(body.errors[0].message).toBe(row.words);
      else expect(body.errors[0].message).not.toContain(row.words);
      expect(stack.calls).toHaveLength(1);
    });
  });

  it('with 429 tells how long to wait, in whole seconds', async () => {
    answer = { ...json({ error: 'slow down' }, 429), headers: { 'x-ratelimit-reset': '3.5' } };
    const { body } = await stack.query(upstreams[0]?.document ?? '');
    expect(body.errors[0].extensions).toMatchObject({ retryAfterSeconds: 4, retryable: true });
  });
});
