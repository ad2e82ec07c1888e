import { expect, it } from 'vitest';
import { ids, paths, startStory, type Value } from './stories.ts';

const { organization, keys, production, staging, trial, pipes, clickpipes, alerts, boards } = paths;

type Request = readonly [method: string, path: string, good?: Value];
/** By what is said: a change of requests that would do, or of empty ones. */
type Refusals = Readonly<Record<string, readonly [change: Value, ...Request[]]>>;
const none = undefined;

const columns = [{ name: 'id', type: 'UUID' }];
const fieldMappings = [{ sourceField: 'a', destinationField: 'id' }];
const pipe = { name: 'n', destination: { columns }, fieldMappings };

const newKey: Request = ['POST', keys, { name: 'x', roles: ['admin'] }];
const ofScaling: Request = ['PATCH', `${production}/scaling`];
const ofPassword: Request = ['PATCH', `${production}/password`];
const command: Request = ['PATCH', `${pipes}/${ids.clickstream}/state`];
const newPipe: Request = ['POST', pipes, { ...pipe, source: { kafka: {} } }];
const newBoard: Request = ['POST', boards, { name: 'x' }];
const ofAlert: Request = ['PUT', `${alerts}/${ids.errorRate}`];

const documented: Refusals = {
  'roles[0]: must be one of admin, developer, query_endpoints': [{ roles: ['owner'] }, newKey],
  'minTotalMemoryGb: must be an integer from 24 to 1068 and a multiple of 12': [
    { minTotalMemoryGb: 30 },
    ofScaling,
  ],
  'newPasswordHash: must be the base64 encoding of a raw SHA-256 digest (32 bytes)': [
    { newPasswordHash: 'canary' },
    ofPassword,
  ],
  'command: must be one of start, stop, resync': [{ command: 'pause' }, command],
  'resync applies only to Postgres pipes': [{ command: 'resync' }, command],
  'fieldMappings: must include all destination columns': [{ fieldMappings: none }, newPipe],
  'source: must have exactly one of kafka, objectStorage, kinesis, postgres': [
    { source: { kafka: {}, kinesis: {} } },
    newPipe,
  ],
  'source.kafka.credentials.password: must be a string': [
    { source: { kafka: { credentials: { username: 'u', password: ['canary'] } } } },
    newPipe,
  ],
  'name: is required; tags[0]: must be a string': [{ name: none, tags: [1] }, newBoard],
  'thresholdType: must be one of above, below': [{ thresholdType: 'over' }, ofAlert],
};

const format = { format: 'JSONEachRow', authentication: 'PLAIN' };
const tile = { name: 't', x: 0, y: 0, w: 6, h: 3 };
const line = { displayType: 'line', sourceId: ids.logs, select: [{ aggFn: 'count' }] };
const channel = { type: 'webhook', webhookId: ids.oncall };
const tileAlert = {
  ...{ source: 'tile', dashboardId: ids.checkout, tileId: ids.checkoutOrders, channel },
  ...{ threshold: 0.5, interval: '1h', thresholdType: 'above' },
};

const ofKey: Request = ['PATCH', `${keys}/${ids.developerKey}`];
const ofReplicas: Request = ['PATCH', `${production}/replicaScaling`];
const ofBackups: Request = ['PATCH', `${production}/backupConfiguration`];
const days = { from_date: '2026-11-01', to_date: '2026-12-02' };
const costs: Request = ['GET', `${organization}/usageCost`, days];
const newClickpipe: Request = ['POST', clickpipes, pipe];
const ofClickpipe: Request = ['PATCH', `${clickpipes}/${ids.clickstream}/scaling`];
const newTiles: Request = ['POST', boards, { name: 'x', tiles: [] }];
const newAlert: Request = ['POST', alerts, tileAlert];
const changedAlert: Request = ['PUT', `${alerts}/${ids.errorRate}`, tileAlert];

const ofAlerts = [newAlert, changedAlert] as const;
const workload = { authentication: 'SERVICE_ACCOUNT_WORKLOAD_IDENTITY' };
const bigquery = { snapshotStagingPath: 'gs://b', settings: {}, tableMappings: [] };
const warehouse = { ...bigquery, settings: { replicationMode: 'snapshot' } };
const keyFile = { serviceAccountFile: 'canary' };
const pubsub = {
  ...{ projectId: 'p', topic: 't', format: 'Avro', seekType: 'latest' },
  ...{ authentication: 'SERVICE_ACCOUNT', serviceAccountKey: keyFile },
};
const noTimestamp =
  'source.pubsub.seekTimestamp: is required for timestamp, and must be absent otherwise';
const changedClickpipe: Request = ['PATCH', `${clickpipes}/${ids.clickstream}`];
const live: Refusals = {
  'source.mysql.settings.replicationMode: is required': [
    { source: { mysql: { host: 'h', port: 3306, settings: {}, tableMappings: [] } } },
    newClickpipe,
  ],
  'source.bigquery.settings.replicationMode: must be one of snapshot': [
    { source: { bigquery: { ...bigquery, settings: { replicationMode: 'cdc' } } } },
    newClickpipe,
  ],
  'source.bigquery.credentials: is required for SERVICE_ACCOUNT': [
    { source: { bigquery: warehouse } },
    newClickpipe,
  ],
  'source.bigquery.projectId: is required': [
    { source: { bigquery: { ...warehouse, ...workload } } },
    newClickpipe,
  ],
  'source.pubsub.serviceAccountKey: must not be given': [
    { source: { pubsub: { ...pubsub, ...workload } } },
    newClickpipe,
  ],
  [noTimestamp]: [{ source: { pubsub: { ...pubsub, seekType: 'timestamp' } } }, newClickpipe],
  'source.pubsub.filter: must have at most 256 characters': [
    { source: { pubsub: { ...pubsub, filter: 'x'.repeat(257) } } },
    newClickpipe,
  ],
  'source.mysql.host: is required; source.mysql.port: is required': [
    { source: { mysql: { credentials: { username: 'canary' } } } },
    changedClickpipe,
  ],
  'source.bigquery: cannot be changed': [{ source: { bigquery } }, changedClickpipe],
  'assignedRoleIds[0]: must be the identifier of a role': [{ assignedRoleIds: ['nobody'] }, ofKey],
  'ipAccessList[0].source: must be an IP address, or a range of addresses as in 192.0.2.0/24': [
    { ipAccessList: [{ source: '203.0.113.7/33' }] },
    ofKey,
  ],
  'region: is required': [{ name: 'x', provider: 'aws' }, ['POST', `${organization}/services`]],
  'minReplicas: must not be above maxReplicas': [
    { autoscalingMode: 'horizontal', minReplicas: 3, maxReplicas: 2 },
    ofReplicas,
  ],
  'backupPeriodInHours: must be 24 or 48 if backupStartTime is set': [
    { backupStartTime: '03:00', backupPeriodInHours: 12 },
    ofBackups,
  ],
  'to_date must be at most 31 days after from_date': [{ to_date: '2026-12-03' }, costs],
  'source.kafka.type: is required': [{ source: { kafka: format } }, newClickpipe],
  'the body must have replicas, replicaCpuMillicores or replicaMemoryGb': [{}, ofClickpipe],
  'replicaMemoryGb: must be an integer from 4 to 128 and a multiple of 4': [
    { replicaMemoryGb: 6 },
    ['PATCH', `${production}/clickpipesCdcScaling`],
  ],
  'tiles[0]: must have config or series': [{ tiles: [tile] }, newTiles],
  'Source not found': [
    { tiles: [{ ...tile, config: { ...line, sourceId: ids.foreignSource } }] },
    newTiles,
  ],
  'threshold: is required': [{ threshold: none }, ...ofAlerts],
  'interval: must be one of 1m, 5m, 15m, 30m, 1h, 6h, 12h, 1d': [{ interval: '2m' }, ...ofAlerts],
  'Saved search not found': [{ source: 'saved_search', savedSearchId: ids.api }, ...ofAlerts],
  'Dashboard not found': [{ dashboardId: ids.foreignDashboard }, ...ofAlerts],
  'Tile not found': [{ tileId: ids.apiErrors }, ...ofAlerts],
  'Webhook not found': [{ channel: { ...channel, webhookId: ids.foreignWebhook } }, ...ofAlerts],
  'thresholdMax: is required for between': [{ thresholdType: 'between' }, ...ofAlerts],
  'message: must have from 1 to 4096 characters': [{ message: 'x'.repeat(4097) }, ...ofAlerts],
};

it.each([
  ['reference', documented, pipes],
  ['live', live, clickpipes],
] as const)(
  'with the profile %s what breaks a rule is refused, and changes nothing',
  async (...row) => {
    const [profile, refusals, list] = row;
    const { ask } = await startStory({ profile });
    const everything = [organization, production, staging, trial, boards, alerts, keys, list];
    const readAll = () =>
      Promise.all(everything.map(async (path) => (await ask('GET', path)).value));
    const before = await readAll();
    const asked = Object.entries(refusals).flatMap(([words, [change, ...requests]]) =>
      requests.map((request) => [words, change, request] as const),
    );
    for (const [words, change, [method, path, good]] of asked) {
      const given = JSON.parse(JSON.stringify({ ...good, ...change }));
      const reply = await (method === 'GET'
        ? ask(method, `${path}?${new URLSearchParams(given)}`)
        : ask(method, path, given));
      const told = path.startsWith('/v1') ? `BAD_REQUEST: ${words}` : words;
      expect([change, reply.status, reply.value]).toEqual([change, 400, told]);
      expect(reply.text).not.toContain('canary');
    }
    expect(await readAll()).toEqual(before);
  },
);
