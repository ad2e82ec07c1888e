import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import * as bundle from '@graphql-yoga/render-graphiql/graphiql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { readTabs } from '../../src/graphiql/start.ts';
import { startGateway } from '../support/gateway.ts';
import { linksOf, startGraphiql, startOf } from '../support/graphiql-gateway.ts';
import { sendSized } from '../support/http/requests.ts';

const asPage = { accept: 'text/html,application/xhtml+xml' };
const script = 'text/javascript; charset=utf-8';
/** The files, their media types, and the pieces of the package that they are. */
const files = [
  ['editor-worker.js', script, bundle.editorWorkerService],
  ['favicon.ico', 'image/x-icon', undefined],
  ['graphiql.css', 'text/css; charset=utf-8', bundle.css],
  ['graphiql.js', script, bundle.js],
  ['graphql-worker.js', script, bundle.graphqlWorker],
  ['json-worker.js', script, bundle.jsonWorker],
  ['page.js', script, undefined],
] as const;

let gateway: Awaited<ReturnType<typeof startGraphiql>>;
let links: readonly string[];
beforeAll(async () => {
  gateway = await startGraphiql('demo');
  links = linksOf(await loadPage(gateway.url), gateway.url);
});
afterAll(() => gateway.close());

const send = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  sendSized(new URL(path, gateway.url), { method, headers });
const loadPage = async (url: string, headers = {}): Promise<string> =>
  (await sendSized(url, { headers: { ...asPage, ...headers } })).text();
const linkTo = (name: string): string => links.find((path) => path.endsWith(`/${name}`)) ?? name;
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());
const accepting = (coding: string, more = {}) => ({ 'accept-encoding': coding, ...more });

const variables = {
  organizationId: '# "</script><!-- <script>" in a comment',
  serviceId: '</script>',
  pipeId: '<!-- <script>',
  dashboardId: "'\\n",
};

describe('the page of GraphiQL', () => {
  it.each([
    ['as it is', {}],
    ['as the demo shows it', { headers: { authorization: 'Basic x' }, variables }],
  ])(
    'the page of GraphiQL is small, kept by nobody, and runs scripts of its own origin alone, %s',
    async (_, graphiqlStart) => {
      const { url } = await startGateway({}, { graphiqlStart });
      const answer = await sendSized(url, { headers: asPage });
      expect(Object.fromEntries(answer.headers)).toMatchObject({
        ...{ 'cache-control': 'no-store', 'content-type': 'text/html; charset=utf-8' },
        'content-security-policy': [
          ...["default-src 'none'", "script-src 'self'", "worker-src 'self'"],
          ...["style-src 'self' 'unsafe-inline'", "connect-src 'self'", "img-src 'self' data:"],
          ...['font-src data:', "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'"],
        ].join('; '),
      });
      const text = await answer.text();
      expect(Buffer.byteLength(text)).toBeLessThan(14_000);
      const scriptTag = /<script\b([^>]*)>([\s\S]*?)<\/script\s*>/gi;
      const scripts = [...text.matchAll(scriptTag)].map(([, tag = '', body = '']) => ({
        tag,
        body,
      }));
      const [inside, ...linked] = scripts.toSorted((a, b) => b.body.length - a.body.length);
      expect(inside?.tag).toBe(' type="application/json" id="start"');
      for (const { tag, body } of linked)
        expect(tag + body).toMatch(/^ src="graphql\/graphiql\/[\w./-]+" defer$/);
      // Every tag was found: none is hidden in what another one holds.
      expect(text.match(/<script/gi)).toHaveLength(scripts.length);
      expect(text).not.toContain('<!--');
      // It has no handler and no link that its policy would stop.
      const markup = text.replaceAll(scriptTag, '');
      expect(markup).not.toMatch(/<[a-z][^>]*\son[a-z]+\s*=|javascript:/i);
    },
  );

  it('the page gives GraphiQL the texts of its tabs as they are', async () => {
    const { url } = await startGateway({}, { graphiqlStart: { variables } });
    const { defaultHeaders, defaultTabs } = startOf(await loadPage(url)).options;
    const tabs = await readTabs(variables);
    expect(defaultTabs).toEqual(tabs.map((tab) => ({ ...tab, headers: defaultHeaders })));
    const shown = defaultTabs.map((tab) => JSON.parse(tab.variables ?? '{}'));
    expect(Object.assign({}, ...shown)).toEqual(variables);
  });

  it('the page of GraphiQL takes nothing from the request', async () => {
    const { url } = await startGateway();
    const usual = await loadPage(url);
    for (const name of ['query', 'variables', 'headers', 'operationName', 'nonce']) {
      const params = new URLSearchParams({ [name]: '</script><script>alert(1)</script>' });
      expect(await loadPage(`${url}?${params}`)).toBe(usual);
    }
    const given = { nonce: 'mine', 'x-request-id': 'mine', host: 'elsewhere' };
    expect(await loadPage(url, given)).toBe(usual);
  });

  it('the page of GraphiQL links seven files below the endpoint, also with a slash, behind a prefix, and in every process', async () => {
    expect(links.map((link) => link.split('/').at(-1)).sort()).toEqual(files.map(([name]) => name));
    for (const link of links) expect(link).toMatch(/^\/graphql\/graphiql\/[0-9a-f]{16}\/[\w.-]+$/);
    const slashed = await loadPage(`${gateway.url}/`);
    expect(linksOf(slashed, `${gateway.url}/`)).toEqual(links);
    const behind = linksOf(slashed, 'https://proxy.example/prefix/graphql/');
    expect(behind).toEqual(links.map((link) => `/prefix${link}`));
    const { url } = await startGateway();
    expect(linksOf(await loadPage(url), url)).toEqual(links);
  });

  it('the page of GraphiQL is not found anywhere else, nor by another method, and may be switched off', async () => {
    for (const path of ['/graphql/x', '/graphql//', '/graphqls'])
      expect([path, (await send(path, asPage)).status]).toEqual([path, 404]);
    const posted = await send('/graphql', asPage, 'POST');
    expect(posted.headers.get('content-type')).not.toContain('text/html');
    const { url } = await startGateway({ GRAPHIQL: 'off' });
    for (const link of links) expect((await sendSized(new URL(link, url))).status).toBe(404);
    expect(await loadPage(url)).not.toContain('<script');
  });
});

describe('a file of GraphiQL', () => {
  it.each(files)(
    'the file %s is what its path says, the same in every coding, and kept for ever',
    async (name, type, text) => {
      const raw = await bytesOf(await send(linkTo(name)));
      const hash = createHash('sha256').update(raw).digest('hex').slice(0, 16);
      expect(linkTo(name)).toContain(`/${hash}/`);
      // Not compared by `expect`, which would print all of it.
      if (text !== undefined) expect(raw.equals(Buffer.from(text))).toBe(true);
      for (const [coding, tag, decompress] of [
        ['identity', `"${hash}"`, (bytes: Buffer) => bytes],
        ['br', `"${hash}-br"`, brotliDecompressSync],
        ['gzip', `"${hash}-gzip"`, gunzipSync],
      ] as const) {
        const answer = await send(linkTo(name), accepting(coding));
        const sent = await bytesOf(answer);
        const { headers } = await send(linkTo(name), accepting(coding), 'HEAD');
        for (const each of [headers, answer.headers]) each.delete('date');
        expect(Object.fromEntries(headers)).toMatchObject({
          ...{ 'content-type': type, 'content-length': String(sent.length), etag: tag },
          'cache-control': 'public, max-age=31536000, immutable',
          ...{ vary: 'accept-encoding', 'x-content-type-options': 'nosniff' },
        });
        expect(headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
        expect([...headers]).toEqual([...answer.headers]);
        expect(decompress(sent).equals(raw)).toBe(true);
      }
    },
  );

  it.each([
    ['gzip, deflate, br, zstd', 'GET', 200, { 'content-encoding': 'br' }],
    ['br;q=0.5, GZIP', 'GET', 200, { 'content-encoding': 'gzip' }],
    ['identity, gzip;q=0.5', 'GET', 200, { 'content-encoding': undefined }],
    ['br;q=nonsense', 'GET', 200, { 'content-encoding': undefined }],
    ['zstd, *;q=0', 'GET', 406, { 'cache-control': 'no-store', vary: 'accept-encoding' }],
    ['br', 'POST', 405, { 'cache-control': 'no-store', allow: 'GET, HEAD' }],
  ])(
    'a file of GraphiQL is sent to who accepts "%s" by %s with %d and %j',
    async (header, method, status, expected) => {
      const answer = await send(linkTo('page.js'), accepting(header), method);
      const headers = Object.fromEntries(answer.headers);
      for (const [name, value] of Object.entries(expected)) expect(headers[name]).toBe(value);
      expect([answer.status, headers.etag !== undefined]).toEqual([status, status === 200]);
    },
  );

  it('a file of GraphiQL is not sent again to who has it', async () => {
    const ask = async (known: string) => {
      const answer = await send(linkTo('page.js'), accepting('br', { 'if-none-match': known }));
      const kept = ['cache-control', 'etag', 'vary'].map((name) => answer.headers.get(name));
      return [answer.status, (await answer.text()) !== '', ...kept];
    };
    const [, , ...kept] = await ask('');
    const tag = String(kept[1]);
    for (const known of [tag, `W/${tag}`, `"another", ${tag}`, '*'])
      expect([known, ...(await ask(known))]).toEqual([known, 304, false, ...kept]);
    for (const other of ['"another"', tag.replace('br', 'gzip'), tag.replaceAll('"', '')])
      expect([other, ...(await ask(other))]).toEqual([other, 200, true, ...kept]);
  });

  it('a file of GraphiQL is not found by another hash, name or way', async () => {
    const link = linkTo('page.js');
    for (const path of [
      ...[link.replace(/[0-9a-f]{16}/, '0'.repeat(16)), link.replace('page.js', 'graphiql.js')],
      ...[link.replace('page.js', ''), `${link}/`, link.replace('page.js', '%70age.js')],
      ...[link.replace('page.js', 'constructor'), '/graphql/graphiql/..%2f..%2fpackage.json'],
    ]) {
      const { status, headers } = await send(path);
      expect([path, status, headers.get('cache-control')]).toEqual([path, 404, 'no-store']);
    }
    expect((await send(`${link}?x=1`)).status).toBe(200);
  });

  it('a file of GraphiQL leaves what CORS_ORIGINS needs to say as it is', async () => {
    const origin = 'https://app.example';
    const { url } = await startGateway({ CORS_ORIGINS: origin });
    const { headers } = await sendSized(new URL(linkTo('page.js'), url), { headers: { origin } });
    expect(headers.get('vary')).toBe('origin, accept-encoding');
    expect(headers.get('access-control-allow-origin')).toBe(origin);
  });
});
