import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type Stack, startSandboxStack } from '../support/harness.ts';

describe('the HTTP endpoint', () => {
  let stack: Stack;
  beforeAll(async () => {
    stack = await startSandboxStack();
  });
  afterAll(() => stack.close());

  const post = (body: string, headers: Record<string, string> = {}) =>
    fetch(stack.url, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...headers },
      body,
    });

  it('answers a body that is not JSON with 400, and quotes nothing of it', async () => {
    const answer = await post('{"query": "{ __typename }", "password": "canary-1234"');
    const text = await answer.text();
    expect(answer.status).toBe(400);
    expect(JSON.parse(text).errors[0].extensions.code).toBe('BAD_REQUEST');
    expect(text).not.toContain('canary');
  });

  it('answers a syntax error and a validation error with a code and the place', async () => {
    const syntax = await stack.query('{ organizations { ');
    expect(syntax.body.errors).toEqual([
      expect.objectContaining({
        message: expect.stringContaining('Syntax Error'),
        locations: [{ line: 1, column: 19 }],
        extensions: expect.objectContaining({ code: 'GRAPHQL_PARSE_FAILED' }),
      }),
    ]);
    const unknown = await stack.query('{ nothing }');
    expect(unknown.body.errors[0]).toMatchObject({
      locations: [{ line: 1, column: 3 }],
      extensions: { code: 'GRAPHQL_VALIDATION_FAILED' },
    });
    expect(stack.calls).toEqual([]);
  });

  it('gives each answer the id of its request, which its errors repeat', async () => {
    const first = await stack.query('{ nothing }');
    const second = await stack.query('{ nothing }');
    const ids = [first, second].map(({ headers }) => headers.get('x-request-id'));
    expect(ids[0]).not.toBe(ids[1]);
    expect([first, second].map(({ body }) => body.errors[0].extensions.requestId)).toEqual(ids);
  });

  it('is alive at /healthz, and knows no other path', async () => {
    expect((await fetch(new URL('/healthz', stack.url))).status).toBe(200);
    expect((await fetch(new URL('/elsewhere', stack.url))).status).toBe(404);
  });

  it('has no health check but its own', async () => {
    expect((await fetch(new URL('/health', stack.url))).status).toBe(404);
    expect((await fetch(new URL('/elsewhere/healthz', stack.url))).status).toBe(404);
    const answer = await fetch(`${stack.url}?query={__typename}&more=/health`);
    expect(await answer.json()).toEqual({ data: { __typename: 'Query' } });
  });

  it('shows GraphiQL to a browser', async () => {
    const page = await fetch(stack.url, { headers: { accept: 'text/html' } });
    expect(page.headers.get('content-type')).toContain('text/html');
    expect(await page.text()).toContain('<title>Sluice</title>');
  });

  it('lets no other origin read its answers', async () => {
    const answer = await post('{"query":"{ __typename }"}', {
      origin: 'https://elsewhere.example',
    });
    expect([...answer.headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual(
      [],
    );
  });
});

it('hides GraphiQL and the schema where they are switched off', async () => {
  const stack = await startSandboxStack({ config: { graphiql: false, introspection: false } });
  const page = await fetch(stack.url, { headers: { accept: 'text/html' } });
  expect(await page.text()).not.toContain('<html');
  const { body } = await stack.query('{ __schema { types { name } } }');
  expect(body.data).toBeUndefined();
  expect(body.errors[0].extensions.code).toBe('GRAPHQL_VALIDATION_FAILED');
  await stack.close();
});
