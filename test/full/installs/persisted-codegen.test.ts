import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { createFolder, root, run as runNode, runScript } from '../../support/client/folder.ts';
import { asJson } from '../../support/http/operations.ts';
import { answered, listen, run, sendAlerts } from '../../support/process/run-main.ts';

const config = `
schema: schema.graphql
documents: src/alerts.ts
generates:
  src/gql/:
    preset: client
    presetConfig:
      persistedDocuments: true
    config:
      useTypeImports: true
      importExtension: .ts
`;

it('takes the manifest of the client preset, and the hashes of the documents it writes', async () => {
  const folder = await createFolder(
    {
      'codegen.yml': config,
      'schema.graphql': readFileSync(join(root, 'schema.graphql'), 'utf8'),
      'src/alerts.ts':
        "import { graphql } from './gql/index.ts';\nexport const document = graphql(`query Alerts { alerts { name } }`);\n",
      'src/print.ts':
        "import { AlertsDocument } from './gql/graphql.ts';\nprocess.stdout.write(JSON.stringify(AlertsDocument.__meta__));\n",
    },
    [
      '@graphql-codegen/cli',
      '@graphql-codegen/client-preset',
      '@graphql-typed-document-node/core',
      'graphql',
    ],
  );
  await runScript('@graphql-codegen/cli/esm/bin.js', ['--config', 'codegen.yml'], folder);
  const { stdout } = await runNode(process.execPath, ['src/print.ts'], folder);
  const { hash } = JSON.parse(stdout);
  const backend = await listen(sendAlerts);
  const gateway = run({
    MANAGEMENT_URL: backend.url,
    OBSERVABILITY_URL: backend.url,
    PORT: '0',
    PERSISTED_OPERATIONS: 'only',
    PERSISTED_OPERATIONS_FILE: join(folder, 'src/gql/persisted-documents.json'),
  });
  const { host, port, path } = await gateway.logged('listening');
  const answer = await fetch(`http://${host}:${port}${path}`, {
    method: 'POST',
    headers: asJson,
    body: JSON.stringify({ documentId: hash }),
  });
  expect(await answer.json()).toEqual(answered);
});
