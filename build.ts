// Adds to dist/ what the compiled code reads by path. `npm run build` runs it after the compiler.
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { loadFiles } from './src/graphiql/files.ts';

const from = (path: string): URL => new URL(path, import.meta.url);
const to = (path: string): URL => from(`dist/${path}`);

const copied = [
  ...['schema', 'operations/agents', 'operations/screens', 'src/preload.js', 'src/redis/scripts'],
];
for (const path of copied) {
  cpSync(from(path), to(path), { recursive: true });
}

const { version, license } = JSON.parse(readFileSync(from('package.json'), 'utf8'));
writeFileSync(to('package.json'), JSON.stringify({ version, license, type: 'module' }));

// The packed files make a package of 18 MB needless where the gateway is installed.
const packed = to('src/graphiql/packed/');
mkdirSync(packed, { recursive: true });
const files = [...(await loadFiles()).values()];
for (const { name, br, gzip } of files) {
  writeFileSync(new URL(`${name}.br`, packed), br);
  writeFileSync(new URL(`${name}.gz`, packed), gzip);
}
const facts = files.map(({ name, mediaType, hash, bytes }) => ({ name, mediaType, hash, bytes }));
writeFileSync(new URL('files.json', packed), JSON.stringify(facts));
