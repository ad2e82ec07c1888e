import '../../support/client/built.ts';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { world } from '../../../sandbox/world/ids.ts';
import { bundle, createFolder, exporting } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { startGateway } from '../../support/gateway.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { serve } from '../../support/servers.ts';
import { describeInBrowser, openBuilt, openPage } from './chromium.ts';

/** A server with a page on another origin than the gateway's; → its origin. In the place of `python3 -m http.server`. */
const servePage = async (html: () => string): Promise<string> => {
  const { origin } = await serve((_, response) => {
    response.writeHead(200, { 'content-type': 'text/html' }).end(html());
  });
  return origin;
};

/** Opens a page that may leave its origin; otherwise its browser would never ask. */
const openFreely = async (origin: string) => {
  const opened = await openPage(origin);
  await opened.page.context().unrouteAll();
  return opened;
};

const { organizationId, services, pipes } = world.management.main;
const pipe = JSON.stringify({
  ...{ organizationId, serviceId: services.production, pipeId: pipes.telemetry },
});
/** What common libraries add. */
const added = [
  'authorization',
  'apollographql-client-name',
  'baggage',
  'sentry-trace',
  'traceparent',
].concat(['x-datadog-trace-id', 'x-request-id', 'cache-control']);
const html = '<!doctype html><link rel="icon" href="data:,"><title>Page</title>';
const module = `${html}<script type="module">
  import * as sluice from '/client.js'; Object.assign(globalThis, { sluice });
</script>`;

describeInBrowser('in a browser', () => {
  it('the client reads by a path without cookies, follows a pipe, and tells its failures apart', async () => {
    const stack = await startSandboxStack();
    onTestFinished(() => stack.close());
    const folder = await createFolder({ 'index.html': module }, []);
    writeFileSync(join(folder, 'client.js'), await bundle(exporting('index', 'operations')));
    const cookies = new Set<string | undefined>();
    stack.gateway.server.on('request', ({ headers }) => cookies.add(headers.cookie));
    const { page, complaints } = await openBuilt(folder, stack.url);
    await page.waitForFunction('globalThis.sluice !== undefined');
    const seen = await page.evaluate(`(async () => {
      document.cookie = 'session=1';
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
      const failure = (signal) =>
        createClient({ url: '/graphql' }).request(OrganizationsDocument, {}, { signal }).then(
          () => 'none',
          (error) => (error instanceof sluice.SluiceError ? error.code : error),
        );
      const failures = [await failure(), await failure(AbortSignal.abort('gone'))];
      return [basic('ключ', '🔑'), organizations[0].name, ...states, ...failures];
    })()`);
    const encoded = `Basic ${Buffer.from('ключ:🔑').toString('base64')}`;
    expect(seen).toEqual([
      ...[encoded, 'Northwind Analytics', 'Running', 'Stopping', 'UNAUTHENTICATED', 'gone'],
    ]);
    await expect.poll(() => stack.gateway.streams().streams).toBe(0);
    expect([...cookies, complaints]).toEqual([undefined, []]);
  });

  it('a page of another origin sends what common libraries add and CORS_HEADERS lists, and is told what it may not send', async () => {
    const origin = await servePage(() => html);
    const gateway = await startGateway({ CORS_ORIGINS: origin, CORS_HEADERS: 'X-Team' });
    const methods: (string | undefined)[] = [];
    gateway.server.on('request', ({ method }) => methods.push(method));
    const { page, complaints } = await openFreely(origin);
    const ask = (names: readonly string[]): Promise<unknown> => {
      const sent = Object.fromEntries(names.map((name) => [name, 'x']));
      const headers = JSON.stringify({ ...sent, 'content-type': 'application/json' });
      const body = `'{"query":"{ __typename }"}'`;
      return page.evaluate(`
        fetch('${gateway.url}', { method: 'POST', headers: ${headers}, body: ${body} })
          .then((answer) => answer.json(), () => 'refused')
      `);
    };
    expect(await ask([...added, 'x-team'])).toEqual({ data: { __typename: 'Query' } });
    expect([methods, complaints]).toEqual([['OPTIONS', 'POST'], []]);
    expect(await ask(['x-other'])).toBe('refused');
    expect(methods).toEqual(['OPTIONS', 'POST', 'OPTIONS']);
    expect(complaints[0]).toContain('Request header field x-other is not allowed');
    expect(gateway.lines.join('')).toContain('x-other: add it to the setting CORS_HEADERS');
  });

  it('the first page of docs/clients.md shows the pipes that have failed or stopped, and why there are none', async () => {
    let first = '';
    const origin = await servePage(() => first);
    // As CORS_ORIGINS says.
    const stack = await startSandboxStack({ config: { corsOrigins: [origin] } });
    onTestFinished(() => stack.close());
    first = read('examples/first-page.html').replace('http://127.0.0.1:4000/graphql', stack.url);
    const { page } = await openFreely(origin);
    const show = async (secret: string) => {
      await page.getByLabel('Key id').fill('demo-admin-key');
      await page.getByLabel('Key secret').fill(secret);
      await page.getByRole('button').click();
    };
    await show('demo-admin-secret');
    await expect
      .poll(() => page.getByRole('listitem').allInnerTexts())
      .toEqual([
        'staging: clickstream (staging) is Failed',
        'staging: invoices is Paused',
        'customer-360 trial: crm is Stopped',
      ]);
    await show('another secret');
    await expect.poll(() => page.locator('p').innerText()).toMatch(/API key is required/);
    expect(await page.getByRole('listitem').count()).toBe(0);
  });
});
