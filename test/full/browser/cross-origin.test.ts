import { expect, it } from 'vitest';
import { corsHeaders } from '../../../src/plugins/cors-headers.ts';
import { describeInBrowser, openPage } from '../../support/browser/chromium.ts';
import { startGateway } from '../../support/gateway.ts';
import { serve } from '../../support/servers.ts';

describeInBrowser('a page of another origin', () => {
  it('sends what common libraries add and CORS_HEADERS lists, and is told what it may not send', async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' });
      response.end('<!doctype html><link rel="icon" href="data:,"><title>Page</title>');
    });
    const gateway = await startGateway({ CORS_ORIGINS: origin, CORS_HEADERS: 'X-Team' });
    const methods: (string | undefined)[] = [];
    gateway.server.on('request', ({ method }) => methods.push(method));
    const { page, complaints } = await openPage(origin);
    // This page may leave its origin; otherwise its browser would never ask.
    await page.context().unrouteAll();
    const ask = (names: readonly string[]): Promise<unknown> => {
      const headers = Object.fromEntries(names.map((name) => [name, 'x']));
      return page.evaluate(
        async ([url, sent]) => {
          const body = JSON.stringify({ query: '{ __typename }' });
          const all = { ...sent, 'content-type': 'application/json' };
          try {
            return await (await fetch(url, { method: 'POST', headers: all, body })).json();
          } catch {
            return 'refused';
          }
        },
        [gateway.url, headers] as const,
      );
    };
    expect(await ask([...corsHeaders, 'x-team'])).toEqual({ data: { __typename: 'Query' } });
    expect(methods).toEqual(['OPTIONS', 'POST']);
    expect(complaints).toEqual([]);
    expect(await ask(['x-other'])).toBe('refused');
    expect(methods).toEqual(['OPTIONS', 'POST', 'OPTIONS']);
    expect(complaints[0]).toContain('Request header field x-other is not allowed');
    expect(gateway.lines.join('')).toContain('x-other: add it to the setting CORS_HEADERS');
  });
});
