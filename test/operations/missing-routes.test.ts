import { afterEach, describe, expect, it } from 'vitest';
import type { UpstreamName } from '../support/faults/kinds.ts';
import { ofService, organizationId, serviceId } from '../support/faults/stack.ts';
import { type Answer, type AnswerError, json, type Stack, startStack } from '../support/harness.ts';

let stack: Stack;
afterEach(() => stack.close());

const plain: Answer = { status: 404, headers: { 'content-type': 'text/plain' }, body: 'Not Found' };
const html: Answer = {
  status: 404,
  headers: { 'content-type': 'text/html; charset=utf-8' },
  body: '<pre>Cannot GET /api/v2/alerts/a1</pre>',
};
const words: Answer = json({ status: 404, error: 'NOT_FOUND: gone', message: 'gone' }, 404);

interface Asked {
  readonly title: string;
  readonly upstream: UpstreamName;
  readonly document: string;
  /** The errors' codes for a 404 in JSON, in HTML, and in plain words. */
  readonly codes: readonly [json: string, html: string, plain: string];
}

const route = 'OPERATION_UNAVAILABLE';
const thing = 'NOT_FOUND';

/** Documented operations alone. */
const documented: readonly Asked[] = [
  {
    title: 'a service',
    upstream: 'management',
    document: `{ service(${ofService}) { name } }`,
    codes: [thing, route, route],
  },
  {
    title: 'the pipes of a service',
    upstream: 'management',
    document: `{ service(${ofService}) { pipes { id } } }`,
    codes: [thing, route, route],
  },
  {
    title: 'the invitations of an organization',
    upstream: 'management',
    document: `{ organization(id: "${organizationId}") { invitations { id } } }`,
    codes: [thing, route, route],
  },
  {
    title: 'a change of a pipe',
    upstream: 'management',
    document: `mutation { stopPipe(input: {${ofService}, pipeId: "${serviceId}"}) {
      pipe { id } userErrors { code } } }`,
    codes: [thing, route, route],
  },
  {
    title: 'an alert',
    upstream: 'observability',
    document: '{ alert(id: "a1") { name } }',
    codes: [thing, route, thing],
  },
  {
    title: 'the list of alerts',
    upstream: 'observability',
    document: '{ alerts { name } }',
    codes: [route, route, route],
  },
  {
    title: 'a new dashboard',
    upstream: 'observability',
    document: 'mutation { createDashboard(input: {name: "d"}) { dashboard { id } } }',
    codes: [thing, route, route],
  },
];

describe.each(documented)('a 404 for $title, of $upstream,', ({ upstream, document, codes }) => {
  it.each([
    ['JSON', words, codes[0]],
    ['HTML', html, codes[1]],
    ['plain words', plain, codes[2]],
  ] as const)('in %s', async (_, answer, code) => {
    stack = await startStack({ management: () => answer, observability: () => answer });
    const { body } = await stack.query(document);
    const errors: readonly AnswerError[] = body.errors;
    expect(errors.map(({ extensions }) => extensions)).toMatchObject([
      { code, upstream: { name: upstream, status: 404 }, retryable: false },
    ]);
    expect(body.errors[0].message).not.toContain('Cannot GET');
    if (code === route) expect(body.errors[0].message).toContain('no such route');
  });
});

it('an alert whose own route is lacking is found in the list', async () => {
  stack = await startStack({
    management: () => html,
    observability: ({ path }) =>
      path === '/api/v2/alerts' ? json({ data: [{ id: 'a1', name: 'lag' }] }) : html,
  });
  const { body } = await stack.query('{ alert(id: "a1") { name } }');
  expect(body).toEqual({ data: { alert: { name: 'lag' } } });
  expect(stack.callList()).toEqual(['GET /api/v2/alerts', 'GET /api/v2/alerts/a1']);
});
