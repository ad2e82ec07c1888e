import { getNamedType, isLeafType, isObjectType, isRequiredArgument } from 'graphql';
import { describe, expect, it, onTestFinished } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../../src/config.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import { unavailableFieldsOf } from '../../src/schema/unavailable.ts';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { type AnswerError, data, paced, result, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { cloud, hyperdx, startProfile } from './rows.ts';

const schema = createSchema();

const rows = Object.entries({ ...managementOperations('command'), ...observabilityOperations });

/** What the documented list replaces, what a mutation can do without, and what reads a record or an entity. */
const unnamed = [
  ...['getPipe', 'getPipeSettings', 'replacePipeSettings', 'updateReplicaScaling'],
  ...['getOrganization', 'getDashboard'],
];

it('each operation that may be missing is named by a field that does not work without it', () => {
  const optional = rows.filter(([, { documented, onlyIn }]) => !documented || onlyIn);
  const withoutField = optional
    .map(([name]) => name)
    .filter((name) => {
      return unavailableFieldsOf(schema, new Set([name]), true).length === 0;
    });
  expect(withoutField.sort()).toEqual(unnamed.sort());
});

const document = `{ gateway { version unavailableFields alertIntervals
  rates { management { calls seconds } observability { calls seconds } } } }`;
const inCloud = [
  ...['updateApiKey', 'deleteApiKey', 'deletePipe', 'scalePipe', 'startService', 'stopService'],
  ...['wakeService', 'updateService', 'updateBackupConfiguration'],
];
const ofCloud = [
  ...inCloud.map((name) => `Mutation.${name}`),
  ...['activities', 'apiKeys', 'usageCost'].map((name) => `Organization.${name}`),
  ...['Pipe.usageCost', 'Service.backups', 'Service.lastBackup', 'Service.usageCost'],
];
const ofHyperdx = [
  ...['createAlert', 'deleteAlert', 'updateDashboard'].map((name) => `Mutation.${name}`),
  ...['dataSources', 'webhooks', 'savedSearches'].map((name) => `Query.${name}`),
  ...['Alert.savedSearch', 'AlertChannel.webhook', 'TileSeries.source', 'SavedSearch.source'],
];
const extended = [
  ...['Query.organizations', 'Query.dashboards'],
  ...['services', 'serviceCount', 'pipes'].map((name) => `Organization.${name}`),
  // The test of handles below tells which these are.
  ...['createdAt', 'name', 'privateEndpoints', 'byocConfig', 'enableCoreDumps'].map(
    (name) => `Organization.${name}`,
  ),
  ...['name', 'tiles', 'tags'].map((name) => `Dashboard.${name}`),
  ...['name', 'x', 'y', 'w', 'h', 'asRatio', 'series', 'where', 'whereLanguage'].map(
    (name) => `Tile.${name}`,
  ),
];
const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {}).map(
  (name) => `Mutation.${name}`,
);
const extendedReads = false;
const intervals = ['1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d'];

const startQuiet = async (config: Partial<Config>) => {
  const stack = await startStack({ management: result, observability: data, config });
  onTestFinished(() => stack.close());
  return stack;
};

describe('Query.gateway', () => {
  it.each([
    ['no profile', {}, [...ofCloud, ...ofHyperdx], null],
    ['extended reads off', { extendedReads }, [...ofCloud, ...ofHyperdx, ...extended], null],
    ['the profile clickhouse-cloud', cloud, ofHyperdx, null],
    ['the profile hyperdx', hyperdx, ofCloud, intervals],
    ['both profiles', { ...cloud, ...hyperdx }, [], intervals],
    ['mutations off', { ...cloud, ...hyperdx, mutations: false }, mutations, intervals],
    ['both, which document all reads', { ...cloud, ...hyperdx, extendedReads }, [], intervals],
  ] as const)('lists what does not work with %s', async (_, config, fields, alertIntervals) => {
    const stack = await startQuiet({ ...paced, ...config });
    const headers = { 'management-authorization': '', 'observability-authorization': '' };
    const { body } = await stack.query(document, { headers });
    const { unavailableFields, ...rest } = body.data.gateway;
    expect([...unavailableFields].sort()).toEqual([...fields].sort());
    expect(rest).toEqual({
      ...{ version: packageJson.version, alertIntervals },
      rates: {
        management: { calls: 10, seconds: 10 },
        observability: { calls: 100, seconds: 60 },
      },
    });
    expect(stack.calls).toEqual([]);
  });

  it('MUTATIONS=off refuses each document with a mutation, and no other', async () => {
    const stack = await startQuiet({ mutations: false });
    const write =
      'mutation Write { stopPipe(input: { organizationId: "o", serviceId: "s", pipeId: "p" }) { userErrors { code } } }';
    for (const [text, operationName] of [
      [write],
      [`${write} query Read { gateway { version } }`, 'Read'],
    ]) {
      const { status, body } = await stack.query(
        text ?? '',
        operationName ? { operationName } : {},
      );
      expect([
        status,
        body.data,
        body.errors.map(({ extensions: { code, setting } }: AnswerError) => [code, setting]),
      ]).toEqual([200, undefined, expect.arrayContaining([['MUTATIONS_OFF', 'MUTATIONS']])]);
    }
    expect((await stack.query(document)).body.errors).toBeUndefined();
    expect(stack.calls).toEqual([]);
  });

  it('lists exactly the fields of a handle that fail', async () => {
    const alert = { id: 'a1', dashboard: 'd1', tileId: 't1' };
    const stack = await startStack({
      management: () => result([]),
      observability: ({ path }) => data(path.endsWith('/a1') ? alert : []),
      config: { extendedReads },
    });
    onTestFinished(() => stack.close());
    const days = '(from: "2026-11-01", to: "2026-11-02")';
    /** All fields of a type, but for those that take an identifier. */
    const all = (typeName: string): string => {
      const type = schema.getType(typeName);
      const fields = isObjectType(type) ? Object.values(type.getFields()) : [];
      const selections = fields.map(({ name, type: of, args }) => {
        if (args.some((arg) => isRequiredArgument(arg) && arg.name === 'id')) return '';
        const given = args.some(isRequiredArgument) ? days : '';
        return isLeafType(getNamedType(of)) ? name : `${name}${given} { __typename }`;
      });
      return `{ ${selections.join(' ')} }`;
    };
    const { body } = await stack.query(
      withIds(`{ gateway { unavailableFields } alert(id: "a1") { Tile: tile ${all('Tile')} }
        Organization: organization(id: "organization-1") ${all('Organization')}
        Dashboard: dashboard(id: "d1") ${all('Dashboard')} }`),
    );
    const failed = body.errors.map(({ path, extensions }: AnswerError) => {
      expect(extensions.code).toBe('OPERATION_UNAVAILABLE');
      return path.slice(-2).join('.');
    });
    const listed = body.data.gateway.unavailableFields.filter((field: string) =>
      /^(Organization|Dashboard|Tile)\./.test(field),
    );
    expect(failed.sort()).toEqual(listed.sort());
  });

  it('has no rates where calls are not counted', async () => {
    const stack = await startQuiet({});
    const { body } = await stack.query(document);
    expect(body.data.gateway.rates).toEqual({ management: null, observability: null });
  });
});

describe('joins', () => {
  const link = { id: 'a1', channel: { type: 'webhook', webhookId: 'w2' }, savedSearch: 's1' };
  const alerts = [
    link,
    { ...link, id: 'a2', channels: [link.channel, { type: 'webhook', webhookId: 'gone' }] },
    { id: 'a3', channel: { type: 'email' }, savedSearch: 'gone' },
  ];
  const answers: Readonly<Record<string, unknown>> = {
    alerts,
    webhooks: ['w1', 'w2'].map((id) => ({ id, name: `Webhook ${id}` })),
    'saved-searches': [{ id: 's1', name: 'Killed', sourceId: 'd1' }],
    sources: [{ id: 'd1', name: 'Logs' }],
    dashboards: [
      { id: 'b1', tiles: [{ id: 't1', series: [{ sourceId: 'd1' }, { sourceId: 'gone' }, {}] }] },
    ],
  };

  it('take each list once, and are null where nothing is found', async () => {
    const stack = await startProfile({
      observability: ({ path }) => data(answers[/v2\/([\w-]+)/.exec(path)?.[1] ?? '']),
    });
    const { body } = await stack.query(`{
      alerts { id channel { webhook { name } } channels { webhook { name } } savedSearch { name source { name } } }
      dashboards { tiles { series { source { name } } } } }`);
    expect(body.errors).toBeUndefined();
    const webhook = { webhook: { name: 'Webhook w2' } };
    const savedSearch = { name: 'Killed', source: { name: 'Logs' } };
    const none = { webhook: null };
    expect(body.data.alerts).toEqual([
      { id: 'a1', channel: webhook, channels: null, savedSearch },
      { id: 'a2', channel: webhook, channels: [webhook, none], savedSearch },
      { id: 'a3', channel: none, channels: null, savedSearch: null },
    ]);
    const [{ series }] = body.data.dashboards[0].tiles;
    expect(series).toEqual([{ source: { name: 'Logs' } }, { source: null }, { source: null }]);
    expect(stack.callList().map((call) => call.replace(/\?.*/, ''))).toEqual([
      'GET /api/v2/alerts',
      'GET /api/v2/dashboards',
      'GET /api/v2/saved-searches',
      'GET /api/v2/sources',
      'GET /api/v2/webhooks',
    ]);
  });
});
