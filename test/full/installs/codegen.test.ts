import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { compile, createFolder, run, runScript, tsconfig } from '../../support/client/folder.ts';
import { blocks } from '../../support/docs/blocks.ts';
import { read } from '../../support/docs/pages.ts';
import { startSandboxStack } from '../../support/harness.ts';
import { variablesOf } from '../../support/operations.ts';
import '../../support/client/built.ts';

const documented = blocks.find(({ conditions }) =>
  conditions['run-by']?.endsWith('/codegen.test.ts'),
);

/** A folder with the schema, in which GraphQL Code Generator has done what docs/clients.md says. */
const generate = async (files: Readonly<Record<string, string>>, presetConfig = '{}') => {
  const config = documented?.text.replace("'client',", `'client', presetConfig: ${presetConfig},`);
  const folder = await createFolder(
    {
      ...{ 'codegen.ts': config ?? '', 'schema.graphql': read('schema.graphql'), ...files },
      'tsconfig.json': tsconfig({
        ...{ noEmit: true, allowImportingTsExtensions: true },
        // Apollo's own declarations have errors.
        skipLibCheck: true,
      }),
    },
    [
      ...['@graphql-codegen/cli', '@graphql-codegen/client-preset', '@types/node', 'rxjs'],
      ...['@graphql-typed-document-node/core', 'graphql', '@apollo/client', '@sluice/client'],
    ],
  );
  await runScript('@graphql-codegen/cli/esm/bin.js', ['--config', 'codegen.ts'], folder);
  return folder;
};

it('the documented settings generate what compiles strictly: string ids, optimistic responses', async () => {
  const folder = await generate({
    'src/pipes.ts': `
      import type { ApolloClient } from '@apollo/client';
      import { graphql } from './gql/index.ts';
      export const document = graphql(\`query Alert($id: ID!) { alert(alertId: $id) { id } }\`);
      type Variables = typeof document extends { __apiType?: (variables: infer V) => unknown } ? V : never;
      export const ids: Variables[] = [{ id: 'a' },
        // @ts-expect-error an identifier is a string
        { id: 1 }];
      const remove = graphql(\`mutation Remove($input: DeletePipeInput!) { deletePipe(input: $input) { deletedPipeId } }\`);
      export const optimistic = (client: ApolloClient) => client.mutate({
        mutation: remove,
        variables: { input: { organizationId: 'o', serviceId: 's', pipeId: 'p' } },
        optimisticResponse: {
          __typename: 'Mutation',
          deletePipe: { __typename: 'DeletePipePayload', deletedPipeId: 'p' },
        },
      });
    `,
  });
  expect((await compile(folder)).stdout).toBe('');
});

it('Apollo Client has all data of operations that the client preset has stored', async () => {
  const folder = await generate(
    {
      'src/ask.ts': `
        import { ApolloClient, ApolloLink, HttpLink, InMemoryCache } from '@apollo/client';
        import { PersistedQueryLink } from '@apollo/client/link/persisted-queries';
        import { possibleTypes, typePolicies } from '@sluice/client/apollo';
        import { graphql } from './gql/index.ts';
        const query = graphql(\`query Pipe($organizationId: ID!, $serviceId: ID!, $pipeId: ID!) {
          pipe(organizationId: $organizationId, serviceId: $serviceId, pipeId: $pipeId) {
            id source { ... on KafkaSource { brokers } ... on PostgresSource { host } }
          }
        }\`);
        const [uri = '', authorization = '', variables = ''] = process.argv.slice(2);
        const generateHash = (document: object) => String(Object(document).__meta__.hash);
        const sent = new HttpLink({ uri, headers: { authorization } });
        const client = new ApolloClient({
          link: ApolloLink.from([new PersistedQueryLink({ generateHash }), sent]),
          cache: new InMemoryCache({ possibleTypes, typePolicies }),
        });
        const { data } = await client.query({ query, variables: JSON.parse(variables) });
        console.log(JSON.stringify([data?.pipe, Object.keys(Object(client.extract()))]));
      `,
    },
    '{ persistedDocuments: true }',
  );
  expect((await compile(folder)).stdout).toBe('');
  const persistedOperationsFile = join(folder, 'src/gql/persisted-documents.json');
  const stack = await startSandboxStack({
    config: { persistedOperations: 'only', persistedOperationsFile },
  });
  onTestFinished(() => stack.close());
  const variables = variablesOf('Pipe');
  const { header } = stack.sandbox.credentials.management.admin;
  const asked = ['src/ask.ts', stack.url, header, JSON.stringify(variables)];
  const { stdout } = await run(process.execPath, asked, folder);
  const { pipeId: id } = variables;
  const source = { __typename: 'PostgresSource', host: 'orders.pg.northwind.example' };
  expect(JSON.parse(stdout)).toEqual([
    { __typename: 'Pipe', id, source },
    expect.arrayContaining([`Pipe:${id}`]),
  ]);
});
