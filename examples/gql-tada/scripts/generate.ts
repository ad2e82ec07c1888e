import { mkdir, writeFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { load, minifyIntrospection, outputIntrospectionFile } from 'gql.tada/internal';
import { schemaUrl } from './schema-url.ts';

// `gql.tada generate-output` does these steps, but it reads tsconfig.json with a compiler API that TypeScript 7 no longer
// has: https://github.com/0no-co/gql.tada/issues/572
const at = (path: string): string => fileURLToPath(new URL(path, import.meta.url));

const origin = fileURLToPath(schemaUrl);
const { introspection } = (await load({ origin }).load()) ?? {};
if (introspection === undefined) throw new Error(`No schema in ${origin}`);

await mkdir(at('../src/generated'), { recursive: true });
await writeFile(
  at('../src/generated/introspection.d.ts'),
  outputIntrospectionFile(minifyIntrospection(introspection), {
    fileType: '.d.ts',
    shouldPreprocess: true,
  }),
);
