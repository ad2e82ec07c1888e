import { expect, it } from 'vitest';
import packageJson from '../../package.json' with { type: 'json' };
import type { Config } from '../../src/config.ts';
import { createSchema } from '../../src/gateway/schema.ts';
import {
  type AnswerError,
  type Call,
  data,
  paced,
  result,
  stackInTest,
} from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';
import { cloud, hyperdx, startProfile } from './rows.ts';

const schema = createSchema();

const document = `{ gateway { version unavailableFields alertIntervals
  rates { management { calls seconds } observability { calls seconds } } } }`;
const below = (type: string, names: string) => names.split(/\s+/).map((name) => `${type}.${name}`);
const ofCloud = [
  ...below('Mutation', 'updateApiKey deleteApiKey deletePipe scalePipe startService stopService'),
  ...below('Mutation', 'wakeService updateService updateBackupConfiguration updateCdcScaling'),
  ...below('Organization', 'activities apiKeys creditBalances members notifications quotas'),
  ...[
    'Activity.actorKey',
    'Query.whoAmI',
    'Pipe.usageCost',
    'UsageCost.previous',
    'KafkaSource.reversePrivateEndpoints',
  ],
  ...below('Service', 'backups cdcScaling lastBackup reversePrivateEndpoints scalingSchedule'),
  ...below('Service', 'upgradeWindow usageCost'),
  'Organization.usageCost',
];
const ofHyperdx = [
  ...below('Mutation', 'createAlert deleteAlert updateDashboard validateDashboard'),
  ...below('Query', 'dataSources webhooks savedSearches'),
  ...['Alert.savedSearch', 'AlertChannel.webhook', 'TileSeries.source', 'SavedSearch.source'],
];
/** What only `clickstack-cloud` has. */
const ofOneTree = [
  'Dashboard.service',
  ...below('Service', 'alerts dashboards dataSources savedSearches webhooks'),
];
const extended = [
  ...below('Query', 'organizations dashboards'),
  ...below('Organization', 'services serviceCount pipes createdAt name privateEndpoints'),
  ...below('Organization', 'byocConfig enableCoreDumps'),
  ...below('Dashboard', 'name tiles tags filters savedFilterValues'),
  ...below('Tile', 'name x y w h asRatio series where whereLanguage formulas showOperandSeries'),
];
const mutations = Object.keys(schema.getMutationType()?.getFields() ?? {}).map(
  (name) => `Mutation.${name}`,
);
const extendedReads = false;
const intervals = ['1m', '5m', '15m', '30m', '1h', '6h', '12h', '1d'];

const startQuiet = async (config: Partial<Config>) => {
  const stack = await stackInTest({ management: result, observability: data, config });
  return stack;
};

it.each([
  ['no profile', {}, [...ofCloud, ...ofHyperdx], null],
  ['extended reads off', { extendedReads }, [...ofCloud, ...ofHyperdx, ...extended], null],
  ['the profile clickhouse-cloud', cloud, ofHyperdx, null],
  ['the profile hyperdx', hyperdx, ofCloud, intervals],
  ['mutations off', { ...cloud, ...hyperdx, mutations: false }, mutations, intervals],
  ['both, which document all reads', { ...cloud, ...hyperdx, extendedReads }, [], intervals],
] as const)(
  'Query.gateway lists what does not work with %s',
  async (_, config, fields, alertIntervals) => {
    const stack = await startQuiet({ ...paced, ...config });
    const headers = { 'management-authorization': '', 'observability-authorization': '' };
    const { body } = await stack.query(document, { headers });
    const { unavailableFields, ...rest } = body.data.gateway;
    expect([...unavailableFields].sort()).toEqual([...fields, ...ofOneTree].sort());
    expect(rest).toEqual({
      ...{ version: packageJson.version, alertIntervals },
      rates: {
        management: { calls: 10, seconds: 10 },
        observability: { calls: 100, seconds: 60 },
      },
    });
    expect(stack.calls).toEqual([]);
  },
);

it('Query.gateway MUTATIONS=off refuses each document with a mutation, and no other', async () => {
  const stack = await startQuiet({ mutations: false });
  const write = 'mutation Write { wakeService(input: { organizationId: "o" }) { __typename } }';
  for (const [text, operationName] of [
    [write, 'Write'],
    [`${write} query Read { gateway { version } }`, 'Read'],
  ] as const) {
    const { status, body } = await stack.query(text, { operationName });
    const refusal = { code: 'MUTATIONS_OFF', setting: 'MUTATIONS' };
    const told = body.errors.map(({ extensions }: AnswerError) => extensions);
    expect([status, body.data]).toEqual([200, undefined]);
    expect(told).toContainEqual(expect.objectContaining(refusal));
  }
  // Where calls are not counted, there are no rates.
  const rates = { management: null, observability: null };
  expect((await stack.query(document)).body.data.gateway).toMatchObject({ rates });
  expect(stack.calls).toEqual([]);
});

it('with both profiles EXTENDED_READS switches nothing off', async () => {
  const management = ({ path }: Call) => result(path.endsWith('s') ? [{ id: 'o' }] : { name: 'n' });
  const observability = () => data([{ id: 'd1', name: 'n' }]);
  const stack = await startProfile({ management, observability }, { extendedReads });
  const { body } = await stack.query(
    withIds(`{ organizations { name } organization(organizationId: "organization-1") { name services { name } }
      pipe(@service-1, pipeId: "pipe-1") { name } dashboards { name } }`),
  );
  expect([body.errors, stack.calls.length]).toEqual([undefined, 5]);
});

it('joins take each list once, and are null where nothing is found', async () => {
  const channel = { webhookId: 'w2' };
  const channels = [channel, { webhookId: 'gone' }];
  const tiles = [{ id: 't1', series: [{ sourceId: 'd1' }, { sourceId: 'gone' }, {}] }];
  const lists: Readonly<Record<string, unknown>> = {
    alerts: [
      { id: 'a1', channel, savedSearch: 's1' },
      { id: 'a1', channel, channels, savedSearch: 'x' },
    ],
    webhooks: ['w1', 'w2'].map((id) => ({ id, name: id })),
    'saved-searches': [{ id: 's1', name: 'Killed', sourceId: 'd1' }],
    sources: [{ id: 'd1', name: 'Logs' }],
    dashboards: [{ id: 'b1', tiles }],
  };
  const nameOf = (path: string): string => path.split(/[/?]/)[3] ?? '';
  const stack = await startProfile({ observability: ({ path }) => data(lists[nameOf(path)]) });
  const { body } = await stack.query(`{
    alerts { channel { webhook { name } } channels { webhook { name } } savedSearch { name source { name } } }
    dashboards { tiles { series { source { name } } } } }`);
  const found = { webhook: { name: 'w2' } };
  const savedSearch = { name: 'Killed', source: { name: 'Logs' } };
  const series = [{ source: { name: 'Logs' } }, { source: null }, { source: null }];
  expect(body).toEqual({
    data: {
      alerts: [
        { channel: found, channels: null, savedSearch },
        { channel: found, channels: [found, { webhook: null }], savedSearch: null },
      ],
      dashboards: [{ tiles: [{ series }] }],
    },
  });
  expect(stack.calls.map(({ path }) => nameOf(path)).sort()).toEqual(Object.keys(lists).sort());
});
