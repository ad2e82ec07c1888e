import '../../support/client/built.ts';
import { pipeline } from 'node:stream/promises';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { describeInBrowser, openPage } from '../../support/browser/chromium.ts';
import { bundle, exporting } from '../../support/client/folder.ts';
import { serveGraphql } from '../../support/client/kit.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { until } from '../../support/process/run-main.ts';

describeInBrowser('in a browser', () => {
  let stack: Awaited<ReturnType<typeof startSandboxStack>>;
  let script: string;
  beforeAll(async () => {
    stack = await startSandboxStack();
    script = await bundle(exporting('index', 'operations'));
  });
  afterAll(() => stack.close());

  /** A page with the client as `sluice`, whose origin passes `/graphql` on to the gateway. */
  const open = async () => {
    const seen: (string | undefined)[] = [];
    const url = await serveGraphql(async (request, response) => {
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
        response.end('<!doctype html><link rel="icon" href="data:,"><title>Client</title>');
      }
    });
    const { page, complaints } = await openPage(new URL('/', url).href);
    await page.addScriptTag({
      type: 'module',
      content: "import * as sluice from '/client.js'; Object.assign(globalThis, { sluice });",
    });
    await page.waitForFunction('globalThis.sluice !== undefined');
    return { page, complaints, seen };
  };

  it('reads by a path, with a key of any characters, and without cookies', async () => {
    const { page, complaints, seen } = await open();
    const { management } = stack.sandbox.credentials;
    const name = await page.evaluate(`(async () => {
      const { createClient, basic, OrganizationsDocument } = sluice;
      const management = basic('demo-admin-key', 'demo-admin-secret');
      const client = createClient({ url: '/graphql', management, fetch });
      const { organizations } = await client.request(OrganizationsDocument);
      return [management, organizations[0].name, basic('ключ', '🔑')];
    })()`);
    expect(name).toEqual([
      management.admin.header,
      'Northwind Analytics',
      `Basic ${Buffer.from('ключ:🔑').toString('base64')}`,
    ]);
    expect(seen).toEqual([undefined]);
    expect(complaints).toEqual([]);
  });

  it('subscribes, sees a change, and leaves', async () => {
    const { page, complaints } = await open();
    const pipe = JSON.stringify({
      organizationId: world.management.main.organizationId,
      serviceId: world.management.main.services.production,
      pipeId: world.management.main.pipes.telemetry,
    });
    const states = await page.evaluate(`(async () => {
      const { createClient, basic, LivePipeDocument, StopPipeDocument } = sluice;
      const management = basic('demo-admin-key', 'demo-admin-secret');
      const client = createClient({ url: '/graphql', management });
      const states = [];
      for await (const { data } of client.subscribe(LivePipeDocument, ${pipe})) {
        states.push(data.pipe.state);
        if (states.length === 2) return states;
        await client.request(StopPipeDocument, { input: ${pipe} });
      }
    })()`);
    expect(states).toEqual(['Running', 'Stopping']);
    await until(() => stack.gateway.streams().streams === 0);
    expect(complaints).toEqual([]);
  });

  it('tells a missing credential, a redirect and an abort apart', async () => {
    const { page, seen } = await open();
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
    expect(seen).toHaveLength(1);
  });
});
