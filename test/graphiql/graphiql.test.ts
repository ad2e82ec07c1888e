import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import * as bundle from '@graphql-yoga/render-graphiql/graphiql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { linksOf, startGraphiql, startOf } from '../support/graphiql-gateway.ts';
import { sendSized } from '../support/http/requests.ts';

const asPage = { headers: { accept: 'text/html,application/xhtml+xml' } };

let gateway: Awaited<ReturnType<typeof startGraphiql>>;
let page: string;
let links: readonly string[];
beforeAll(async () => {
  gateway = await startGraphiql('demo');
  page = await (await sendSized(gateway.url, asPage)).text();
  links = linksOf(page, gateway.url);
});
afterAll(() => gateway.close());

const send = (
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = 'GET',
): Promise<Response> => sendSized(new URL(path, gateway.url), { method, headers });

const linkTo = (name: string): string => {
  const link = links.find((path) => path.endsWith(`/${name}`));
  if (link === undefined) throw new Error(`no link to ${name}`);
  return link;
};

const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

const headersOf = (answer: Response, ...names: readonly string[]): Record<string, string | null> =>
  Object.fromEntries(names.map((name) => [name, answer.headers.get(name)]));

const types: Readonly<Record<string, string>> = {
  js: 'text/javascript; charset=utf-8',
  css: 'text/css; charset=utf-8',
  ico: 'image/x-icon',
};

const names = [
  'editor-worker.js',
  'favicon.ico',
  'graphiql.css',
  'graphiql.js',
  'graphql-worker.js',
  'json-worker.js',
  'page.js',
];

describe('the page of GraphiQL', () => {
  it('is small, and links seven files below the endpoint', async () => {
    expect(Buffer.byteLength(page)).toBeLessThan(12_000);
    expect(links.map((link) => link.split('/').at(-1)).sort()).toEqual(names);
    for (const link of links) expect(link).toMatch(/^\/graphql\/graphiql\/[0-9a-f]{16}\/[\w.-]+$/);
  });

  it('finds them also with a slash behind the endpoint, and behind a prefix', async () => {
    const slashed = await (await sendSized(`${gateway.url}/`, asPage)).text();
    expect(linksOf(slashed, `${gateway.url}/`)).toEqual(links);
    const behind = linksOf(slashed, 'https://proxy.example/prefix/graphql/');
    expect(behind).toEqual(links.map((link) => `/prefix${link}`));
  });

  it('names the same files in every process', async () => {
    const { url } = await startGateway();
    expect(linksOf(await (await sendSized(url, asPage)).text(), url)).toEqual(links);
  });

  it('is where a browser gets to that asks for the address alone', async () => {
    const answer = await send('/', asPage.headers);
    expect(answer.status).toBe(302);
    expect(answer.headers.get('location')).toBe('graphql');
    expect((await send('/other', asPage.headers)).status).toBe(404);
  });

  it('is kept by nobody', async () => {
    const answer = await sendSized(gateway.url, asPage);
    expect(answer.headers.get('cache-control')).toBe('no-store');
    expect(answer.headers.get('content-type')).toBe('text/html; charset=utf-8');
  });

  it('is not found anywhere else, nor by another method', async () => {
    for (const path of ['/graphql/x', '/graphql//', '/graphqls']) {
      const answer = await send(path, asPage.headers);
      expect([path, answer.status]).toEqual([path, 404]);
    }
    const posted = await send('/graphql', asPage.headers, 'POST');
    expect(posted.headers.get('content-type')).not.toContain('text/html');
  });
});

describe('a file of GraphiQL', () => {
  it.each(names)('%s is what its path says, and may be kept for ever', async (name) => {
    const link = linkTo(name);
    const answer = await send(link);
    const bytes = await bytesOf(answer);
    const hash = createHash('sha256').update(bytes).digest('hex').slice(0, 16);
    expect(link).toContain(`/${hash}/`);
    expect(answer.status).toBe(200);
    expect(Object.fromEntries(answer.headers)).toMatchObject({
      'content-type': types[name.split('.').at(-1) ?? ''],
      'content-length': String(bytes.length),
      'cache-control': 'public, max-age=31536000, immutable',
      etag: `"${hash}"`,
      vary: 'accept-encoding',
      'x-content-type-options': 'nosniff',
      'referrer-policy': 'no-referrer',
      'content-security-policy': "default-src 'none'; frame-ancestors 'none'",
    });
    expect(answer.headers.has('content-encoding')).toBe(false);
  });

  it.each(names)('%s is the same in every coding, under a tag of its own', async (name) => {
    const plain = await send(linkTo(name));
    const raw = await bytesOf(plain);
    const codings = [
      ['br', brotliDecompressSync],
      ['gzip', gunzipSync],
    ] as const;
    const tags = new Set([plain.headers.get('etag')]);
    for (const [coding, decompress] of codings) {
      const answer = await send(linkTo(name), { 'accept-encoding': coding });
      const sent = await bytesOf(answer);
      expect(answer.headers.get('content-encoding')).toBe(coding);
      expect(answer.headers.get('content-length')).toBe(String(sent.length));
      expect(decompress(sent).equals(raw)).toBe(true);
      expect(sent.length).toBeLessThan(raw.length);
      tags.add(answer.headers.get('etag'));
    }
    expect(tags.size).toBe(3);
  });

  const accepted = [
    ['br', 'br'],
    ['gzip', 'gzip'],
    ['gzip, deflate, br, zstd', 'br'],
    ['gzip, deflate', 'gzip'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br ; q=0.5 , gzip;q=0.4', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', null],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['identity', null],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['zstd', null],
    ['', null],
    ['br;q=nonsense', null],
    ['br;level=3', 'br'],
  ] as const;

  it.each(accepted)('is sent to who accepts "%s" as %s', async (header, coding) => {
    const answer = await send(linkTo('page.js'), { 'accept-encoding': header });
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-encoding')).toBe(coding);
  });

  it.each(['identity;q=0', '*;q=0', 'zstd, *;q=0', 'br;q=0, gzip;q=0, identity;q=0'])(
    'is refused to who accepts "%s"',
    async (header) => {
      const answer = await send(linkTo('page.js'), { 'accept-encoding': header });
      expect(answer.status).toBe(406);
      expect(headersOf(answer, 'cache-control', 'etag', 'vary')).toEqual({
        'cache-control': 'no-store',
        etag: null,
        vary: 'accept-encoding',
      });
    },
  );

  it('is not sent again to who has it', async () => {
    const ask = (headers: Readonly<Record<string, string>>): Promise<Response> =>
      fetch(new URL(linkTo('graphiql.css'), gateway.url), {
        headers: { 'accept-encoding': 'br', ...headers },
      });
    const first = await ask({});
    const tag = first.headers.get('etag') ?? '';
    const kept = ['cache-control', 'etag', 'vary'] as const;
    for (const known of [tag, `W/${tag}`, `"another", ${tag}`, '*']) {
      const answer = await ask({ 'if-none-match': known });
      expect([known, answer.status, await answer.text()]).toEqual([known, 304, '']);
      expect(headersOf(answer, ...kept)).toEqual(headersOf(first, ...kept));
      expect(answer.headers.has('content-length')).toBe(false);
    }
    for (const other of ['"another"', tag.replace('br', 'gzip'), tag.replaceAll('"', '')]) {
      const answer = await ask({ 'if-none-match': other });
      expect([other, answer.status]).toEqual([other, 200]);
    }
  });

  it('answers HEAD with the same head and no body', async () => {
    for (const header of ['br', 'gzip', 'identity']) {
      const coding = { 'accept-encoding': header };
      const whole = await send(linkTo('graphiql.js'), coding);
      const head = await send(linkTo('graphiql.js'), coding, 'HEAD');
      expect((await bytesOf(head)).length).toBe(0);
      const but = ({ headers }: Response) => [...headers].filter(([name]) => name !== 'date');
      expect(but(head)).toEqual(but(whole));
    }
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])('refuses %s', async (method) => {
    const answer = await send(linkTo('page.js'), {}, method);
    expect(answer.status).toBe(405);
    expect(headersOf(answer, 'allow', 'cache-control')).toEqual({
      allow: 'GET, HEAD',
      'cache-control': 'no-store',
    });
  });

  it('is not found by another hash, name or way', async () => {
    const link = linkTo('page.js');
    const paths = [
      link.replace(/[0-9a-f]{16}/, '0'.repeat(16)),
      link.replace('page.js', 'graphiql.js'),
      link.replace('page.js', ''),
      `${link}/`,
      link.replace('page.js', '%70age.js'),
      link.replace('page.js', 'constructor'),
      '/graphql/graphiql/',
      '/graphql/graphiql/..%2f..%2fpackage.json',
    ];
    for (const path of paths) {
      const answer = await send(path);
      expect([path, answer.status]).toEqual([path, 404]);
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
    expect((await send(`${link}?x=1`)).status).toBe(200);
  });

  it('leaves what CORS_ORIGINS needs to say as it is', async () => {
    const { url } = await startGateway({ CORS_ORIGINS: 'https://app.example' });
    const ask = (origin: string): Promise<Response> =>
      sendSized(new URL(linkTo('page.js'), url), { headers: { origin } });
    const answer = await ask('https://app.example');
    expect(headersOf(answer, 'vary', 'access-control-allow-origin')).toEqual({
      vary: 'origin, accept-encoding',
      'access-control-allow-origin': 'https://app.example',
    });
    const other = await ask('https://other.example');
    expect(other.headers.has('access-control-allow-origin')).toBe(false);
  });

  it('takes 5 MB in both of its packed forms together with the others, as docs/operating.md says', async () => {
    let bytes = 0;
    for (const link of links) {
      for (const coding of ['br', 'gzip']) {
        const { headers } = await send(link, { 'accept-encoding': coding }, 'HEAD');
        bytes += Number(headers.get('content-length'));
      }
    }
    expect(Math.round(bytes / 1e6)).toBe(5);
  });

  it('does not exist where GraphiQL is off', async () => {
    const { url } = await startGateway({ GRAPHIQL: 'off' });
    for (const link of links) {
      expect((await sendSized(new URL(link, url))).status).toBe(404);
    }
  });
});

describe('the package that holds GraphiQL', () => {
  it('has the pieces that are sent, and no others', async () => {
    const sent = {
      js: 'graphiql.js',
      css: 'graphiql.css',
      editorWorkerService: 'editor-worker.js',
      graphqlWorker: 'graphql-worker.js',
      jsonWorker: 'json-worker.js',
    } as const;
    expect(Object.keys(bundle).sort()).toEqual([...Object.keys(sent), 'favicon'].sort());
    const texts = new Map(Object.entries(bundle));
    for (const [piece, name] of Object.entries(sent)) {
      const text = await (await send(linkTo(name))).text();
      // Not compared by `expect`, which would print all of it.
      expect([name, text === texts.get(piece)]).toEqual([name, true]);
    }
    const icon = await bytesOf(await send(linkTo('favicon.ico')));
    expect(icon.subarray(0, 4)).toEqual(Buffer.from([0, 0, 1, 0]));
  });

  it('starts GraphiQL as we do, with the same workers', async () => {
    const own = renderGraphiQL({ title: 'Sluice' });
    const [, workers = ''] = /const workers = \{([\s\S]*?)\n\s*\};\n\s*self\[/.exec(own) ?? [];
    const labels = [...workers.matchAll(/^\s*(\w+): prepareBlob\(/gm)].map(([, label]) => label);
    expect(labels.sort()).toEqual(Object.keys(startOf(page).workers).sort());
    expect(own).toContain('YogaGraphiQL.renderYogaGraphiQL(');
  });
});
