import { expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { section, table } from '../support/docs/pages.ts';
import { type Answer, json, result, startStack } from '../support/harness.ts';
import { describeOperations, type OperationRow } from '../support/operation-row.ts';
import { changing } from '../support/profiles/changing.ts';
import { kinds, pipe } from '../support/profiles/cloud-pipes.ts';
import {
  apiKey,
  backupConfiguration,
  cloud,
  invitation,
  organization,
  organizationId,
  organizationPath,
  pipeId,
  pipePath,
  pipesPath,
  service,
  serviceId,
  servicePath,
} from '../support/profiles/cloud-records.ts';
import { shownOf } from '../support/profiles/shown.ts';

const config: Partial<Config> = { managementProfile: 'clickhouse-cloud' };

const of = (typeName: string, record: object) => shownOf(typeName, record, cloud);

const organizationShown = of('Organization', organization);
const invitationShown = of('Invitation', invitation);
const apiKeyShown = of('ApiKey', apiKey);
const serviceShown = of('Service', service);
const backupShown = of('BackupConfiguration', backupConfiguration);

const inOrganization = `organizationId: "${organizationId}"`;
const inService = `${inOrganization}, serviceId: "${serviceId}"`;

/** A row for a read of one thing, or a list. */
const reading = (
  title: string,
  call: string,
  answer: Answer,
  document: string,
  data: unknown,
): OperationRow => ({ title, document, call: `GET ${call}`, answer, data });

describeOperations(
  'each read is one exact call, and shows every member that the schema has:',
  'management',
  [
    reading(
      'list the organizations',
      '/v1/organizations',
      result([organization]),
      `{ organizations { ${organizationShown.selection} } }`,
      { organizations: [organizationShown.data] },
    ),
    reading(
      'read an organization',
      organizationPath,
      result(organization),
      `{ organization(id: "${organizationId}") { ${organizationShown.selection} } }`,
      { organization: organizationShown.data },
    ),
    reading(
      'list the invitations',
      `${organizationPath}/invitations`,
      result([invitation]),
      `{ organization(id: "${organizationId}") { invitations { ${invitationShown.selection} } } }`,
      { organization: { invitations: [invitationShown.data] } },
    ),
    reading(
      'list the services',
      `${organizationPath}/services`,
      result([service]),
      `{ organization(id: "${organizationId}") { services { ${serviceShown.selection} } } }`,
      { organization: { services: [serviceShown.data] } },
    ),
    reading(
      'read a service',
      servicePath,
      result(service),
      `{ service(${inService}) { ${serviceShown.selection} } }`,
      { service: serviceShown.data },
    ),
    reading(
      'read the backup configuration',
      `${servicePath}/backupConfiguration`,
      result(backupConfiguration),
      `{ service(${inService}) { backupConfiguration { ${backupShown.selection} } } }`,
      { service: { backupConfiguration: backupShown.data } },
    ),
    ...kinds.map((kind) => {
      const shown = of('Pipe', pipe(kind));
      return reading(
        `list the pipes, ${kind}`,
        pipesPath,
        result([pipe(kind)]),
        `{ service(${inService}) { pipes { ${shown.selection} } } }`,
        { service: { pipes: [shown.data] } },
      );
    }),
    ...kinds.map((kind) => {
      const shown = of('Pipe', pipe(kind));
      return reading(
        `read a pipe, ${kind}`,
        pipePath,
        result(pipe(kind)),
        `{ pipe(${inService}, pipeId: "${pipeId}") { ${shown.selection} } }`,
        { pipe: shown.data },
      );
    }),
  ],
  config,
);

const pipeShown = of('Pipe', pipe('postgres'));

const serviceIds = { organizationId, serviceId };
const asPipe = ['pipe', pipeShown.selection, pipeShown.data] as const;

describeOperations(
  'each change is one exact call, and shows every member that the schema has:',
  'management',
  [
    changing(
      'updateOrganization',
      { organizationId, name: 'Northwind' },
      `PATCH ${organizationPath}`,
      { name: 'Northwind' },
      organization,
      ['organization', organizationShown.selection, organizationShown.data],
    ),
    changing(
      'createApiKey',
      { organizationId, name: 'reporting', roles: ['DEVELOPER'] },
      `POST ${organizationPath}/keys`,
      { name: 'reporting', roles: ['developer'] },
      { key: apiKey },
      ['apiKey', apiKeyShown.selection, apiKeyShown.data],
    ),
    changing(
      'updateServiceScaling',
      { ...serviceIds, numReplicas: 3, idleScaling: false },
      `PATCH ${servicePath}/scaling`,
      { numReplicas: 3, idleScaling: false },
      service,
      ['service', serviceShown.selection, serviceShown.data],
    ),
    {
      title: 'updateServicePassword',
      document: `mutation { updateServicePassword(input: { ${inService} }) { password } }`,
      call: `PATCH ${servicePath}/password`,
      body: '{}',
      answer: result({ password: 'made there' }),
      data: { updateServicePassword: { password: 'made there' } },
    },
    ...(['start', 'stop', 'resync'] as const).map((command) =>
      changing(
        `${command}Pipe`,
        { ...serviceIds, pipeId },
        `PATCH ${pipePath}/state`,
        { command },
        pipe('postgres'),
        asPipe,
      ),
    ),
  ],
  config,
);

describeOperations(
  'what the reference lacks is one exact call:',
  'management',
  [
    changing(
      'scalePipe',
      { ...serviceIds, pipeId, replicas: 4, replicaCpuMillicores: 250, replicaMemoryGb: 0.5 },
      `PATCH ${pipePath}/scaling`,
      { replicas: 4, replicaCpuMillicores: 250, replicaMemoryGb: 0.5 },
      pipe('postgres'),
      asPipe,
    ),
    {
      title: 'deletePipe, whose answer has no result',
      document: `mutation { deletePipe(input: { ${inService}, pipeId: "${pipeId}" }) {
        deletedPipeId userErrors { code }
      } }`,
      call: `DELETE ${pipePath}`,
      answer: json({ status: 200, requestId: 'de1e7e00-0000-4000-8000-000000000001' }),
      data: { deletePipe: { deletedPipeId: pipeId, userErrors: [] } },
    },
    ...(
      [
        ['startService', 'start'],
        ['stopService', 'stop'],
        ['wakeService', 'awake'],
      ] as const
    ).map(([field, command]) =>
      changing(field, serviceIds, `PATCH ${servicePath}/state`, { command }, service, [
        'service',
        serviceShown.selection,
        serviceShown.data,
      ]),
    ),
  ],
  config,
);

describeOperations(
  'settings are sent under the names that they have there:',
  'management',
  [
    changing(
      'createPipe',
      {
        ...serviceIds,
        source: { postgres: { host: 'pg.example' } },
        settings: { engineMaxThreads: 16, objectStorageConcurrency: 8 },
      },
      `POST ${pipesPath}`,
      {
        source: { postgres: { host: 'pg.example' } },
        settings: { object_storage_concurrency: 8, clickhouse_max_threads: 16 },
      },
      pipe('postgres'),
      asPipe,
    ),
  ],
  config,
);

it('finds the pipes of a kind that the reference lacks, and offers to resync those of MySQL and MongoDB', async () => {
  const stack = await startStack({
    management: () => result(kinds.map((kind) => ({ ...pipe(kind), name: kind }))),
    observability: () => result({}),
    config,
  });
  const filtered = (kind: string) =>
    `pipes(filter: { source: ${kind} }) { name availableCommands }`;
  const { body } = await stack.query(`{ service(${inService}) {
    mysql: ${filtered('MYSQL')} bigquery: ${filtered('BIGQUERY')}
    mongodb: ${filtered('MONGODB')} pubsub: ${filtered('PUBSUB')}
  } }`);
  await stack.close();
  expect(body).toEqual({
    data: {
      service: {
        mysql: [{ name: 'mysql', availableCommands: ['STOP', 'RESYNC'] }],
        bigquery: [{ name: 'bigquery', availableCommands: ['STOP'] }],
        mongodb: [{ name: 'mongodb', availableCommands: ['STOP', 'RESYNC'] }],
        pubsub: [{ name: 'pubsub', availableCommands: ['STOP'] }],
      },
    },
  });
});

it('shows every member of a record but for those that the documentation lists', () => {
  const unshown = [
    ...organizationShown.unshown.map((path) => `Organization ${path}`),
    ...invitationShown.unshown.map((path) => `Invitation ${path}`),
    ...apiKeyShown.unshown.map((path) => `ApiKey ${path}`),
    ...serviceShown.unshown.map((path) => `Service ${path}`),
    ...backupShown.unshown.map((path) => `BackupConfiguration ${path}`),
    ...new Set(
      kinds.flatMap((kind) => of('Pipe', pipe(kind)).unshown.map((path) => `Pipe ${path}`)),
    ),
  ];
  const text = section('docs/live-services.md', 'ClickHouse Cloud');
  const listed = table(text, 'Object', 'Not shown').flatMap(([object = '', members = '']) =>
    members
      .replaceAll('`', '')
      .split(', ')
      .map((path) => `${object} ${path}`),
  );
  expect(listed.sort()).toEqual(unshown.sort());
});

it('EXTENDED_READS does not switch off what ClickHouse Cloud documents', async () => {
  const answers = [
    [pipePath, pipe('postgres')],
    [`${organizationPath}/services`, [service]],
    [organizationPath, organization],
    ['/v1/organizations', [organization]],
  ] as const;
  const stack = await startStack({
    management: ({ path }) => result(answers.find(([start]) => path === start)?.[1]),
    observability: () => json({ data: {} }),
    config: { ...config, extendedReads: false },
  });
  onTestFinished(() => stack.close());
  const { body } = await stack.query(
    `{ organizations { id } organization(id: "${organizationId}") { id services { id } }
      pipe(${inService}, pipeId: "${pipeId}") { id } }`,
  );
  expect(body).toEqual({
    data: {
      organizations: [{ id: organizationId }],
      organization: { id: organizationId, services: [{ id: serviceId }] },
      pipe: { id: pipeId },
    },
  });
});
