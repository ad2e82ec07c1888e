import { createHash } from 'node:crypto';
import { brotliDecompressSync, gunzipSync } from 'node:zlib';
import { renderGraphiQL } from '@graphql-yoga/render-graphiql';
import * as bundle from '@graphql-yoga/render-graphiql/graphiql';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { linksOf, startGraphiql, startOf } from '../support/graphiql-gateway.ts';
import { sendSized } from '../support/http/requests.ts';

const asPage = { accept: 'text/html,application/xhtml+xml' };
/** The files, their media types, and the pieces of the package that they are. */
const files = [
  ['editor-worker.js', 'text/javascript; charset=utf-8', bundle.editorWorkerService],
  ['favicon.ico', 'image/x-icon', undefined],
  ['graphiql.css', 'text/css; charset=utf-8', bundle.css],
  ['graphiql.js', 'text/javascript; charset=utf-8', bundle.js],
  ['graphql-worker.js', 'text/javascript; charset=utf-8', bundle.graphqlWorker],
  ['json-worker.js', 'text/javascript; charset=utf-8', bundle.jsonWorker],
  ['page.js', 'text/javascript; charset=utf-8', undefined],
] as const;

let gateway: Awaited<ReturnType<typeof startGraphiql>>;
let page: string;
let links: readonly string[];
beforeAll(async () => {
  gateway = await startGraphiql('demo');
  page = await (await sendSized(gateway.url, { headers: asPage })).text();
  links = linksOf(page, gateway.url);
});
afterAll(() => gateway.close());

const send = (path: string, headers: Readonly<Record<string, string>> = {}, method = 'GET') =>
  sendSized(new URL(path, gateway.url), { method, headers });
const linkTo = (name: string): string => links.find((path) => path.endsWith(`/${name}`)) ?? name;
const bytesOf = async (answer: Response) => Buffer.from(await answer.arrayBuffer());

describe('the page of GraphiQL', () => {
  it('is small, kept by nobody, and links seven files below the endpoint', async () => {
    const { headers } = await send('/graphql', asPage);
    expect([headers.get('cache-control'), headers.get('content-type')]).toEqual([
      'no-store',
      'text/html; charset=utf-8',
    ]);
    expect(Buffer.byteLength(page)).toBeLessThan(12_000);
    expect(links.map((link) => link.split('/').at(-1)).sort()).toEqual(files.map(([name]) => name));
    for (const link of links) expect(link).toMatch(/^\/graphql\/graphiql\/[0-9a-f]{16}\/[\w.-]+$/);
  });

  it('finds them with a slash behind the endpoint, behind a prefix, and in every process', async () => {
    const slashed = await (await send('/graphql/', asPage)).text();
    expect(linksOf(slashed, `${gateway.url}/`)).toEqual(links);
    const behind = linksOf(slashed, 'https://proxy.example/prefix/graphql/');
    expect(behind).toEqual(links.map((link) => `/prefix${link}`));
    const { url } = await startGateway();
    const other = await (await sendSized(url, { headers: asPage })).text();
    expect(linksOf(other, url)).toEqual(links);
  });

  it('is not found anywhere else, nor by another method, and may be switched off', async () => {
    for (const path of ['/graphql/x', '/graphql//', '/graphqls'])
      expect([path, (await send(path, asPage)).status]).toEqual([path, 404]);
    const posted = await send('/graphql', asPage, 'POST');
    expect(posted.headers.get('content-type')).not.toContain('text/html');
    const { url } = await startGateway({ GRAPHIQL: 'off' });
    for (const link of links) expect((await sendSized(new URL(link, url))).status).toBe(404);
    expect(await (await sendSized(url, { headers: asPage })).text()).not.toContain('<script');
  });
});

describe('a file of GraphiQL', () => {
  it.each(files)(
    '%s is what its path says, the same in every coding, and kept for ever',
    async (...row) => {
      const [name, type, text] = row;
      const plain = await send(linkTo(name));
      const raw = await bytesOf(plain);
      const hash = createHash('sha256').update(raw).digest('hex').slice(0, 16);
      expect(linkTo(name)).toContain(`/${hash}/`);
      // Not compared by `expect`, which would print all of it.
      if (text !== undefined) expect(raw.equals(Buffer.from(text))).toBe(true);
      const tags = new Set<string | null>();
      const codings = {
        identity: (bytes: Buffer) => bytes,
        br: brotliDecompressSync,
        gzip: gunzipSync,
      };
      for (const [coding, decompress] of Object.entries(codings)) {
        const answer = await send(linkTo(name), { 'accept-encoding': coding });
        const sent = await bytesOf(answer);
        const { headers } = await send(linkTo(name), { 'accept-encoding': coding }, 'HEAD');
        for (const each of [headers, answer.headers]) {
          each.delete('date');
          expect(Object.fromEntries(each)).toMatchObject({
            ...{ 'content-type': type, 'content-length': String(sent.length) },
            'cache-control': 'public, max-age=31536000, immutable',
            ...{ vary: 'accept-encoding', 'x-content-type-options': 'nosniff' },
          });
          expect(each.get('content-encoding')).toBe(coding === 'identity' ? null : coding);
        }
        expect([...headers]).toEqual([...answer.headers]);
        expect(decompress(sent).equals(raw)).toBe(true);
        tags.add(answer.headers.get('etag'));
      }
      expect(tags.size).toBe(3);
      expect(plain.headers.get('etag')).toBe(`"${hash}"`);
    },
  );

  it.each([
    ['gzip, deflate, br, zstd', 'br'],
    ['GZIP', 'gzip'],
    ['br;q=0.5, gzip', 'gzip'],
    ['br ; q=0.5 , gzip;q=0.4', 'br'],
    ['br;q=0, gzip', 'gzip'],
    ['br;q=0, gzip;q=0', null],
    ['*', 'br'],
    ['br;q=0, *', 'gzip'],
    ['*;q=0, gzip', 'gzip'],
    ['identity, gzip;q=0.5', null],
    ['identity;q=0.5, gzip', 'gzip'],
    ['zstd', null],
    ['', null],
    ['br;q=nonsense', null],
  ])('is sent to who accepts "%s" as %s', async (header, coding) => {
    const answer = await send(linkTo('page.js'), { 'accept-encoding': header });
    expect([answer.status, answer.headers.get('content-encoding')]).toEqual([200, coding]);
  });

  it.each([
    ['identity;q=0', 'GET', 406, { vary: 'accept-encoding' }],
    ['zstd, *;q=0', 'GET', 406, { vary: 'accept-encoding' }],
    ['br', 'POST', 405, { allow: 'GET, HEAD' }],
    ['br', 'OPTIONS', 405, { allow: 'GET, HEAD' }],
  ])('is refused to who accepts %s by %s with %d', async (header, method, status, expected) => {
    const answer = await send(linkTo('page.js'), { 'accept-encoding': header }, method);
    expect(answer.status).toBe(status);
    const headers = Object.fromEntries(answer.headers);
    expect(headers).toMatchObject({ 'cache-control': 'no-store', ...expected });
    expect(headers.etag).toBeUndefined();
  });

  it('is not sent again to who has it', async () => {
    const ask = (known: string) =>
      send(linkTo('graphiql.css'), { 'accept-encoding': 'br', 'if-none-match': known });
    const first = await ask('');
    const tag = first.headers.get('etag') ?? '';
    const kept = ({ headers }: Response) =>
      ['cache-control', 'etag', 'vary'].map((name) => headers.get(name));
    for (const known of [tag, `W/${tag}`, `"another", ${tag}`, '*']) {
      const answer = await ask(known);
      expect([known, answer.status, await answer.text()]).toEqual([known, 304, '']);
      expect(kept(answer)).toEqual(kept(first));
    }
    for (const other of ['"another"', tag.replace('br', 'gzip'), tag.replaceAll('"', '')])
      expect([other, (await ask(other)).status]).toEqual([other, 200]);
  });

  it('is not found by another hash, name or way', async () => {
    const link = linkTo('page.js');
    for (const path of [
      ...[link.replace(/[0-9a-f]{16}/, '0'.repeat(16)), link.replace('page.js', 'graphiql.js')],
      ...[link.replace('page.js', ''), `${link}/`, link.replace('page.js', '%70age.js')],
      ...[link.replace('page.js', 'constructor'), '/graphql/graphiql/'],
      '/graphql/graphiql/..%2f..%2fpackage.json',
    ]) {
      const answer = await send(path);
      expect([path, answer.status, answer.headers.get('cache-control')]).toEqual([
        ...[path, 404, 'no-store'],
      ]);
    }
    expect((await send(`${link}?x=1`)).status).toBe(200);
  });

  it('leaves what CORS_ORIGINS needs to say as it is', async () => {
    const origin = 'https://app.example';
    const { url } = await startGateway({ CORS_ORIGINS: origin });
    const { headers } = await sendSized(new URL(linkTo('page.js'), url), { headers: { origin } });
    expect(headers.get('vary')).toBe('origin, accept-encoding');
    expect(headers.get('access-control-allow-origin')).toBe(origin);
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
});

it('the package that holds GraphiQL has the pieces that are sent, and starts with the same workers', async () => {
  const pieces = ['css', 'editorWorkerService', 'favicon', 'graphqlWorker', 'js', 'jsonWorker'];
  expect(Object.keys(bundle).sort()).toEqual(pieces);
  const icon = await bytesOf(await send(linkTo('favicon.ico')));
  expect(icon.subarray(0, 4)).toEqual(Buffer.from([0, 0, 1, 0]));
  const own = renderGraphiQL({ title: 'Sluice' });
  const [, workers = ''] = /const workers = \{([\s\S]*?)\n\s*\};\n\s*self\[/.exec(own) ?? [];
  const labels = [...workers.matchAll(/^\s*(\w+): prepareBlob\(/gm)].map(([, label]) => label);
  expect(labels.sort()).toEqual(Object.keys(startOf(page).workers).sort());
  expect(own).toContain('YogaGraphiQL.renderYogaGraphiQL(');
});
