import '../support/client/built.ts';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../client/src/index.ts';
import { DashboardsDocument, untilPhase } from '../../client/src/operations.ts';
import { errorOf, serveAlike, serveGraphql } from './kit.ts';

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

describe('untilPhase', () => {
  const ids = { organizationId: 'o', serviceId: 's', id: 'p' };
  const event = (body: object) => `event: next\ndata: ${JSON.stringify(body)}\n\n`;
  const inPhase = (phase: string) => event({ data: { pipe: { ...ids, phase } } });

  /** A gateway that answers each subscription with these events, and then says nothing more. */
  const start = async (...events: readonly string[]) => {
    const variables: unknown[] = [];
    let left = 0;
    const url = await serveGraphql(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      variables.push(JSON.parse(Buffer.concat(chunks).toString()).variables);
      response.writeHead(200, { 'content-type': 'text/event-stream' });
      response.write(events.join(''));
      response.on('close', () => {
        left += 1;
      });
    });
    return { client: createClient({ url }), variables, left: () => left };
  };

  it('gives the pipe once it is in one of the phases, and closes the stream', async () => {
    const { client, variables, left } = await start(inPhase('CHANGING'), inPhase('RUNNING'));
    const pipe = await untilPhase(client, ids, ['FAILED', 'RUNNING']);
    expect(pipe).toEqual({ ...ids, phase: 'RUNNING' });
    expect(variables).toEqual([{ organizationId: 'o', serviceId: 's', pipeId: 'p' }]);
    await expect.poll(left).toBe(1);
  });

  it.each([
    ['a timeout', { timeout: 50 }, { name: 'TimeoutError' }],
    ['a signal', { signal: AbortSignal.abort(new Error('gone')) }, { message: 'gone' }],
  ])('ends at %s', async (_, options, error) => {
    const { client } = await start(inPhase('CHANGING'));
    await expect(untilPhase(client, ids, ['RUNNING'], options)).rejects.toMatchObject(error);
  });

  it.each([
    [
      'NOT_FOUND',
      event({
        data: { pipe: null },
        errors: [{ message: 'no', extensions: { code: 'NOT_FOUND' } }],
      }),
    ],
    ['NETWORK_ERROR', event({ data: { pipe: null }, extensions: { ended: 'known' } })],
  ])('rejects with %s if the stream ends without the phase', async (code, text) => {
    const { client } = await start(text, 'event: complete\ndata:\n\n');
    expect(await errorOf(untilPhase(client, ids, ['RUNNING']))).toMatchObject({ code });
  });
});
