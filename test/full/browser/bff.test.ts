import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { beforeAll, expect, it, onTestFinished, vi } from 'vitest';
import { startSandboxStack } from '../../support/harness.ts';
import { drawPort } from '../../support/ports.ts';
import { serve } from '../../support/servers.ts';
import { buildPage, describeInBrowser, openPage, root } from './chromium.ts';
import { right } from './console.ts';

describeInBrowser('a login in front of the gateway (examples/bff)', () => {
  let page = '';
  beforeAll(async () => {
    vi.stubEnv('VITE_LOGIN', 'cookie');
    const console = join(root, 'examples/console');
    page = await buildPage('examples/console/src/generated', {
      ...{ root: console, configFile: join(console, 'vite.config.ts') },
    });
  });

  /** The login in front of a gateway with the sandbox behind it. In place of `npm start`. */
  const start = async () => {
    const stack = await startSandboxStack();
    onTestFinished(() => stack.close());
    const headers: (string | string[] | undefined)[][] = [];
    stack.gateway.server.on('request', ({ headers: { cookie, origin, authorization } }) =>
      headers.push([cookie, origin, authorization]),
    );
    const port = await drawPort();
    const bff = spawn(process.execPath, [join(root, 'examples/bff/server.ts')], {
      env: {
        ...{ PATH: process.env.PATH, PORT: `${port}`, PAGE: page },
        ...{ GATEWAY: new URL(stack.url).origin, SESSION_SECRET: 'x'.repeat(32) },
      },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    onTestFinished(() => {
      bff.kill();
    });
    await once(bff.stdout, 'data');
    return { url: `http://localhost:${port}`, headers };
  };

  const signIn = async (url: string) => {
    const opened = await openPage(url);
    for (const [field, value] of Object.entries(right)) {
      await opened.page.getByLabel(field).fill(value);
    }
    await opened.page.getByRole('button', { name: 'Sign in' }).click();
    await opened.page.getByText('Live').nth(1).waitFor();
    return opened;
  };

  it('a login keeps the keys out of the page, over a reload, until the user signs out', async () => {
    const { url, headers } = await start();
    const { page: shown, complaints } = await signIn(url);
    await shown.reload();
    await shown.getByText('clickstream (staging)').first().waitFor();
    // Neither scripts nor the cookie's own text have a key, and the gateway gets nothing of the login.
    const cookies = await shown.context().cookies();
    const attributes = { name: '__Host-session', httpOnly: true, secure: true, sameSite: 'Strict' };
    expect(cookies).toEqual([expect.objectContaining(attributes)]);
    const held = JSON.stringify([
      cookies,
      await shown.evaluate('[{ ...localStorage }, { ...sessionStorage }, document.cookie]'),
    ]);
    for (const secret of [...Object.values(right), btoa('demo-admin-key:demo-admin-secret')]) {
      expect(held).not.toContain(secret);
    }
    expect(new Set(headers.flat())).toEqual(new Set([undefined]));
    const cookie = cookies.map(({ name, value }) => `${name}=${value}`).join();
    const ask = (query: string) => {
      const given = { cookie, origin: url, 'content-type': 'application/json' };
      const accept = 'application/json, text/event-stream;q=0.9';
      const body = JSON.stringify({ query });
      return fetch(`${url}/graphql`, { method: 'POST', headers: { ...given, accept }, body });
    };
    const stream = (await ask('subscription { alerts { id } }')).body?.getReader();
    expect((await stream?.read())?.done).toBe(false);
    expect(complaints).toEqual([]);
    await shown.getByRole('button', { name: 'Sign out' }).click();
    // A copy of the cookie is worth nothing then, and what it opened ends.
    const end = async (): Promise<unknown> => (await stream?.read())?.done || end();
    await end().catch(() => undefined);
    expect((await ask('{ organizations { id } }')).status).toBe(401);
    await shown.reload();
    await shown.getByRole('button', { name: 'Sign in' }).waitFor();
  });

  it('a login takes nothing from pages of other origins', async () => {
    const { url, headers } = await start();
    const { page: shown } = await signIn(url);
    const { origin } = await serve((_, response) => {
      response.writeHead(200, { 'content-type': 'text/html' }).end('<title>Other</title>');
    });
    const before = headers.length;
    await shown.context().unrouteAll();
    // Another port of the same site: its requests bring the cookie.
    await shown.goto(origin.replace('127.0.0.1', 'localhost'));
    const statuses = await shown.evaluate(`Promise.all([
      ['/graphql', 'text/plain', '{"query":"mutation { x }"}'],
      ['/session', 'application/json', '{"token":"of another"}'],
    ].map(([path, type, body]) => fetch('${url}' + path, {
      method: 'POST', credentials: 'include', mode: type === 'text/plain' ? 'no-cors' : 'cors',
      headers: { 'content-type': type }, body,
    }).then(({ type }) => type, () => 'refused')))`);
    // The answers to forms may not be seen, and other requests are not even sent.
    expect(statuses).toEqual(['refused', 'refused']);
    expect(headers).toHaveLength(before);
    await shown.goto(url);
    await shown.getByText('clickstream (staging)').first().waitFor();
  });

  it('a login refuses what is no login, or comes from another origin', async () => {
    const { url } = await start();
    const post = async (path: string, type: string, body: string) => {
      const headers = { 'content-type': type, origin: url };
      return (await fetch(`${url}${path}`, { method: 'POST', headers, body })).status;
    };
    const json = 'application/json';
    const long = JSON.stringify({ token: 't'.repeat(1600) });
    expect(await post('/session', json, long)).toBe(413);
    const given = [null, {}, { keyId: 'a' }, { token: 7 }, { token: 'a\nb' }].map((body) =>
      post('/session', json, JSON.stringify(body)),
    );
    expect(await Promise.all(given)).toEqual(given.map(() => 400));
    expect(await post('/graphql', json, '{"query":"{ organizations { id } }"}')).toBe(401);
    const headers = { 'content-type': json, origin: 'http://localhost:1' };
    for (const path of ['/session', '/graphql']) {
      const answer = await fetch(url + path, { method: 'POST', headers, body: '{"token":"t"}' });
      expect(answer.status).toBe(403);
    }
  });

  it('a login serves the page with a policy for its scripts, and no file whose name begins with a dot', async () => {
    const { url } = await start();
    const policy = (await fetch(url)).headers.get('content-security-policy');
    expect(policy).toBe("default-src 'self'; base-uri 'none'; frame-ancestors 'none'");
    await writeFile(join(page, '.env'), 'SECRET=1');
    for (const path of ['/.env', '/%2eenv', '/assets/../.env']) {
      expect((await fetch(url + path)).status).toBe(404);
    }
  });
});
