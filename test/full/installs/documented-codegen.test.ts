import { expect, it } from 'vitest';
import { compile, createFolder, runScript, tsconfig } from '../../support/client/folder.ts';
import { generated } from '../../support/docs/code.ts';
import { read } from '../../support/docs/pages.ts';

it.each(generated)(
  '$page:$line generates documents that compile strictly; an ID takes strings alone',
  async ({ text: config }) => {
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
  },
);
