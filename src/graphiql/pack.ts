// Runs in its own process, which ends after this work: GraphiQL is 9 MB of text, and compressing it takes some 70 MB
// that the gateway's process would not give back.
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';
import { brotliCompress, constants, gzip } from 'node:zlib';
import * as bundle from '@graphql-yoga/render-graphiql/graphiql';
import type { PackedFile } from './files.ts';

const script = 'text/javascript; charset=utf-8';

const icon = Buffer.from(bundle.favicon.replace(/^data:[^,]*,/, ''), 'base64');

const sources = {
  'page.js': [script, await readFile(new URL('./page.js', import.meta.url))],
  'graphiql.js': [script, Buffer.from(bundle.js)],
  'graphiql.css': ['text/css; charset=utf-8', Buffer.from(bundle.css)],
  'editor-worker.js': [script, Buffer.from(bundle.editorWorkerService)],
  'graphql-worker.js': [script, Buffer.from(bundle.graphqlWorker)],
  'json-worker.js': [script, Buffer.from(bundle.jsonWorker)],
  'favicon.ico': ['image/x-icon', icon],
} as const;

// Higher levels make each file a few percent smaller, and take up to twenty times as long.
const level = { [constants.BROTLI_PARAM_QUALITY]: 6 };

const pack = async ([name, [mediaType, raw]]: [
  string,
  readonly [string, Buffer],
]): Promise<PackedFile> => {
  const params = { ...level, [constants.BROTLI_PARAM_SIZE_HINT]: raw.length };
  const [br, gzipped] = await Promise.all([
    promisify(brotliCompress)(raw, { params }),
    promisify(gzip)(raw),
  ]);
  const hash = createHash('sha256').update(raw).digest('hex').slice(0, 16);
  return { name, mediaType, hash, bytes: raw.length, br, gzip: gzipped };
};

const { send } = process;
if (!send) throw new TypeError('src/graphiql/pack.ts is run by src/graphiql/files.ts');
const files = await Promise.all(Object.entries(sources).map(pack));
send.call(process, files, () => process.disconnect());
