import '../support/client/built.ts';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { compile, createFolder, root, runScript, tsconfig } from '../support/client/folder.ts';

const read = (path: string): string => readFileSync(join(root, path), 'utf8');

const [, section = ''] = read('README.md').split(/^## (?=Typed clients$)/m);
const [typedClients = ''] = section.split(/^## /m);

const blocksOf = (text: string, language: string): readonly string[] =>
  [...text.matchAll(/^```(\w+)\n([\s\S]*?)^```$/gm)].flatMap(([, name, block = '']) =>
    name === language ? [block] : [],
  );

describe('code of the READMEs', () => {
  it.each([
    ['client/README.md', read('client/README.md'), 4],
    ['README.md, Typed clients', typedClients, 2],
  ])('%s: every block of TypeScript compiles strictly', async (_, text, least) => {
    const blocks = blocksOf(text, 'ts');
    expect(blocks.length).toBeGreaterThanOrEqual(least);
    const given = 'declare const keyId: string;\ndeclare const keySecret: string;\n';
    const files = blocks.map((block, index) => [`block-${index + 1}.ts`, given + block]);
    const folder = await createFolder(
      {
        ...Object.fromEntries(files),
        // Apollo's own declarations have errors.
        'tsconfig.json': tsconfig({ noEmit: true, skipLibCheck: true }),
      },
      ['@sluice/client', '@apollo/client', '@types/node', 'graphql', 'rxjs'],
    );
    expect((await compile(folder)).stdout).toBe('');
  });

  it('codegen.yml: its documents compile strictly, and an ID takes strings alone', async () => {
    const [config = '', ...others] = blocksOf(typedClients, 'yaml');
    expect(others).toEqual([]);
    const folder = await createFolder(
      {
        'codegen.yml': config,
        'schema.graphql': read('schema.graphql'),
        'src/pipes.ts': `
          import { graphql } from './gql/index.ts';
          export const document = graphql(\`query Alert($id: ID!) { alert(id: $id) { id } }\`);
          type Variables = typeof document extends { __apiType?: (variables: infer V) => unknown } ? V : never;
          export const ids: Variables[] = [{ id: 'a' },
            // @ts-expect-error an identifier is a string
            { id: 1 }];
        `,
        'tsconfig.json': tsconfig({ noEmit: true, allowImportingTsExtensions: true }),
      },
      [
        '@graphql-codegen/cli',
        '@graphql-codegen/client-preset',
        '@graphql-typed-document-node/core',
        '@types/node',
        'graphql',
      ],
    );
    await runScript('@graphql-codegen/cli/esm/bin.js', ['--config', 'codegen.yml'], folder);
    expect((await compile(folder)).stdout).toBe('');
  });
});
