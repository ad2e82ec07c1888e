import '../support/client/built.ts';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../client/src/index.ts';
import { DashboardsDocument } from '../../client/src/operations.ts';
import { errorOf, serveAlike } from './kit.ts';

describe('a login in front of the gateway', () => {
  it.each([
    [undefined, 'omit'],
    ['same-origin', 'same-origin'],
    ['include', 'include'],
  ] as const)('gets cookies as fetch sends them with credentials: %s', async (given, expected) => {
    const sent: unknown[] = [];
    const fetch = async (_: unknown, init?: RequestInit) => {
      sent.push(init?.credentials);
      return Response.json({ data: {} });
    };
    const client = createClient({ url: '/graphql', fetch, ...(given && { credentials: given }) });
    await client.request(DashboardsDocument);
    expect(sent).toEqual([expected]);
  });

  it('gets further headers anew with each request', async () => {
    const { url, received } = await serveAlike('{"data":{}}');
    const values = ['first', 'second'];
    const headers = async () => ({ 'x-csrf-token': values.shift() ?? '' });
    const client = createClient({ url, headers });
    await client.request(DashboardsDocument);
    await client.request(DashboardsDocument);
    expect(received.map((each) => each['x-csrf-token'])).toEqual(['first', 'second']);
  });

  it.each([
    ['a page', '<h1>Log in</h1>', 'text/html'],
    ['JSON', '{"error":"log in"}', 'application/json'],
    ['errors without a code', '{"errors":[{"message":"log in"}]}', 'application/json'],
    ['nothing', '', 'text/plain'],
  ])('refuses with 401 and %s, which reads as UNAUTHENTICATED', async (_, body, type) => {
    const { url } = await serveAlike(body, 401, { 'content-type': type });
    const client = createClient({ url });
    const live = client.subscribe({ toString: () => 'subscription { n }' } as never, {});
    for (const request of [client.request(DashboardsDocument), live.next()]) {
      expect(await errorOf(request)).toMatchObject({ code: 'UNAUTHENTICATED', status: 401 });
    }
  });
});
