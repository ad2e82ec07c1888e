import { join } from 'node:path';
import { expect, it } from 'vitest';
import {
  compile,
  createFolder,
  run as runNode,
  runScript,
  tsconfig,
} from '../../support/client/folder.ts';
import { generated } from '../../support/docs/blocks.ts';
import { read } from '../../support/docs/pages.ts';
import { asJson } from '../../support/http/operations.ts';
import { answered, sendAlerts, startMain } from '../../support/process/run-main.ts';

/** A folder with the schema, in which GraphQL Code Generator has done what `config` says. */
const generate = async (config: string, files: Readonly<Record<string, string>>) => {
  const folder = await createFolder(
    { 'codegen.yml': config, 'schema.graphql': read('schema.graphql'), ...files },
    [
      ...['@graphql-codegen/cli', '@graphql-codegen/client-preset', '@types/node'],
      ...['@graphql-typed-document-node/core', 'graphql'],
    ],
  );
  await runScript('@graphql-codegen/cli/esm/bin.js', ['--config', 'codegen.yml'], folder);
  return folder;
};

it.each(generated)(
  '$page:$line generates documents that compile strictly; an ID takes strings alone',
  async ({ text }) => {
    const folder = await generate(text, {
      'src/pipes.ts': `
        import { graphql } from './gql/index.ts';
        export const document = graphql(\`query Alert($id: ID!) { alert(id: $id) { id } }\`);
        type Variables = typeof document extends { __apiType?: (variables: infer V) => unknown } ? V : never;
        export const ids: Variables[] = [{ id: 'a' },
          // @ts-expect-error an identifier is a string
          { id: 1 }];
      `,
      'tsconfig.json': tsconfig({ noEmit: true, allowImportingTsExtensions: true }),
    });
    expect((await compile(folder)).stdout).toBe('');
  },
);

it('the gateway takes the manifest of the client preset, and the hashes in the documents it writes', async () => {
  const config = `
schema: schema.graphql
documents: src/alerts.ts
generates:
  src/gql/:
    preset: client
    presetConfig: { persistedDocuments: true }
    config: { useTypeImports: true, importExtension: .ts }
`;
  const folder = await generate(config, {
    'src/alerts.ts':
      "import { graphql } from './gql/index.ts';\nexport const document = graphql(`query Alerts { alerts { name } }`);\n",
    'src/print.ts':
      "import { AlertsDocument } from './gql/graphql.ts';\nprocess.stdout.write(JSON.stringify(AlertsDocument.__meta__));\n",
  });
  const { stdout } = await runNode(process.execPath, ['src/print.ts'], folder);
  const { url } = await startMain(sendAlerts, {
    PERSISTED_OPERATIONS: 'only',
    PERSISTED_OPERATIONS_FILE: join(folder, 'src/gql/persisted-documents.json'),
  });
  const body = JSON.stringify({ documentId: JSON.parse(stdout).hash });
  const answer = await fetch(url, { method: 'POST', headers: asJson, body });
  expect(await answer.json()).toEqual(answered);
});
