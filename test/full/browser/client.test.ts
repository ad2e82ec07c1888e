import '../../support/client/built.ts';
import { pipeline } from 'node:stream/promises';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { corsHeaders } from '../../../src/plugins/cors-headers.ts';
import { describeInBrowser, openPage } from '../../support/browser/chromium.ts';
import { bundle, exporting } from '../../support/client/folder.ts';
import { startGateway } from '../../support/gateway.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { serve } from '../../support/servers.ts';

const html = '<!doctype html><link rel="icon" href="data:,"><title>Page</title>';
const { organizationId, services, pipes } = world.management.main;
const pipe = JSON.stringify({
  ...{ organizationId, serviceId: services.production, pipeId: pipes.telemetry },
});

describeInBrowser('in a browser the client', () => {
  it('reads by a path without cookies, follows a pipe, and tells its failures apart', async () => {
    const stack = await startSandboxStack();
    onTestFinished(() => stack.close());
    const script = await bundle(exporting('index', 'operations'));
    const seen: (string | undefined)[] = [];
    /** A page with the client as `sluice`, whose origin passes `/graphql` on to the gateway. */
    const { origin } = await serve(async (request, response) => {
      const chunks: Buffer[] = [];
      for await (const chunk of request) chunks.push(chunk);
      if (request.url === '/client.js') {
        response.setHeader('content-type', 'text/javascript').end(script);
      } else if (request.url === '/graphql') {
        seen.push(request.headers.cookie);
        const headers = ['content-type', 'accept', 'management-authorization'].flatMap((name) =>
          typeof request.headers[name] === 'string' ? [[name, request.headers[name]]] : [],
        );
        const answer = await fetch(stack.url, {
          method: 'POST',
          headers: Object.fromEntries(headers),
          body: Buffer.concat(chunks),
        });
        const type = answer.headers.get('content-type') ?? '';
        response.writeHead(answer.status, { 'content-type': type });
        // Fails where the page leaves a stream, and then closes the gateway's side of it.
        await pipeline(answer.body ?? [], response).catch(() => response.destroy());
      } else if (request.url === '/away') {
        response.writeHead(307, { location: '/graphql' }).end();
      } else {
        response.writeHead(200, { 'content-type': 'text/html', 'set-cookie': 'session=1' });
        response.end(html);
      }
    });
    const { page, complaints } = await openPage(origin);
    await page.addScriptTag({
      type: 'module',
      content: "import * as sluice from '/client.js'; Object.assign(globalThis, { sluice });",
    });
    await page.waitForFunction('globalThis.sluice !== undefined');
    const read = await page.evaluate(`(async () => {
      const { createClient, basic, OrganizationsDocument, LivePipeDocument, StopPipeDocument } = sluice;
      const management = basic('demo-admin-key', 'demo-admin-secret');
      const client = createClient({ url: '/graphql', management });
      const { organizations } = await client.request(OrganizationsDocument);
      const states = [];
      for await (const { data } of client.subscribe(LivePipeDocument, ${pipe})) {
        states.push(data.pipe.state);
        if (states.length === 2) break;
        await client.request(StopPipeDocument, { input: ${pipe} });
      }
      return [basic('ключ', '🔑'), organizations[0].name, ...states];
    })()`);
    const encoded = `Basic ${Buffer.from('ключ:🔑').toString('base64')}`;
    expect(read).toEqual([encoded, 'Northwind Analytics', 'Running', 'Stopping']);
    await expect.poll(() => stack.gateway.streams().streams).toBe(0);
    expect([new Set(seen), complaints]).toEqual([new Set([undefined]), []]);

    const { length } = seen;
    const outcomes = await page.evaluate(`(async () => {
      const { createClient, OrganizationsDocument, SluiceError } = sluice;
      const failure = (url, signal) =>
        createClient({ url }).request(OrganizationsDocument, {}, { signal }).then(
          () => 'none',
          (error) => (error instanceof SluiceError ? error.code : error),
        );
      return [
        await failure('/graphql'),
        await failure('/away'),
        await failure('/graphql', AbortSignal.abort('gone')),
      ];
    })()`);
    expect(outcomes).toEqual(['UNAUTHENTICATED', 'NETWORK_ERROR', 'gone']);
    expect(seen).toHaveLength(length + 1);
  });
});

describeInBrowser('a page of another origin', () => {
  it('sends what common libraries add and CORS_HEADERS lists, and is told what it may not send', async () => {
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end(html);
    });
    const gateway = await startGateway({ CORS_ORIGINS: origin, CORS_HEADERS: 'X-Team' });
    const methods: (string | undefined)[] = [];
    gateway.server.on('request', ({ method }) => methods.push(method));
    const { page, complaints } = await openPage(origin);
    // This page may leave its origin; otherwise its browser would never ask.
    await page.context().unrouteAll();
    const ask = (names: readonly string[]): Promise<unknown> =>
      page.evaluate(
        async ([url, sent]) => {
          const body = JSON.stringify({ query: '{ __typename }' });
          const headers = { ...sent, 'content-type': 'application/json' };
          return fetch(url, { method: 'POST', headers, body }).then(
            (answer) => answer.json(),
            () => 'refused',
          );
        },
        [gateway.url, Object.fromEntries(names.map((name) => [name, 'x']))] as const,
      );
    expect(await ask([...corsHeaders, 'x-team'])).toEqual({ data: { __typename: 'Query' } });
    expect([methods, complaints]).toEqual([['OPTIONS', 'POST'], []]);
    expect(await ask(['x-other'])).toBe('refused');
    expect(methods).toEqual(['OPTIONS', 'POST', 'OPTIONS']);
    expect(complaints[0]).toContain('Request header field x-other is not allowed');
    expect(gateway.lines.join('')).toContain('x-other: add it to the setting CORS_HEADERS');
  });
});
