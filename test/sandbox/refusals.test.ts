import { expect, it } from 'vitest';
import { ids, paths, startStory, type Value } from './stories.ts';

const { organization, keys, production, staging, trial, pipes, clickpipes, alerts, boards } = paths;

type Request = readonly [method: string, path: string, good?: Value];
type Refusal = readonly [request: Request, change: Value, words: string];
const none = undefined;

const columns = [{ name: 'id', type: 'UUID' }];
const fieldMappings = [{ sourceField: 'a', destinationField: 'id' }];
const pipe = { name: 'n', destination: { columns }, fieldMappings };

const _ofOrganization: Request = ['PATCH', organization];
const newKey: Request = ['POST', keys, { name: 'x', roles: ['admin'] }];
const ofScaling: Request = ['PATCH', `${production}/scaling`];
const ofTrial: Request = ['PATCH', `${trial}/scaling`];
const ofDevelopment: Request = ['PATCH', `${staging}/scaling`];
const ofPassword: Request = ['PATCH', `${production}/password`];
const command: Request = ['PATCH', `${pipes}/${ids.clickstream}/state`];
const newPipe: Request = ['POST', pipes, { ...pipe, source: { kafka: {} } }];
const ofPipe: Request = ['PATCH', `${pipes}/${ids.clickstream}`];
const newBoard: Request = ['POST', boards, { name: 'x' }];
const ofAlert: Request = ['PUT', `${alerts}/${ids.errorRate}`];

/** Changes of a request that would do, or of an empty one, and what is said. */
const documented: readonly Refusal[] = [
  [newKey, { roles: [] }, 'roles: must have at least 1 element'],
  [newKey, { roles: ['owner'] }, 'roles[0]: must be one of admin, developer, query_endpoints'],
  [
    ...([ofScaling, { minTotalMemoryGb: 30 }] as const),
    'minTotalMemoryGb: must be an integer from 24 to 1068 and a multiple of 12',
  ],
  [
    ...([ofScaling, { numReplicas: 1 }] as const),
    'numReplicas: must be from 2 to 20 for the first service in a warehouse',
  ],
  [
    ...([ofTrial, { maxTotalMemoryGb: 372 }] as const),
    'maxTotalMemoryGb: must be at most 360 for a non-paid service',
  ],
  [
    ...([ofDevelopment, { minTotalMemoryGb: 24 }] as const),
    'minTotalMemoryGb: is available only for production services',
  ],
  [
    ...([ofPassword, { newPasswordHash: 'canary' }] as const),
    'newPasswordHash: must be the base64 encoding of a raw SHA-256 digest (32 bytes)',
  ],
  [command, {}, 'the body must carry one command: start, stop or resync'],
  [command, { command: 'pause' }, 'command: must be one of start, stop, resync'],
  [command, { command: 'resync' }, 'resync applies only to Postgres pipes'],
  [newPipe, { fieldMappings: none }, 'fieldMappings: must include all destination columns'],
  [
    ...([newPipe, { source: { kafka: {}, kinesis: {} } }] as const),
    'source: must have exactly one of kafka, objectStorage, kinesis, postgres',
  ],
  [
    ...([
      newPipe,
      { source: { kafka: { credentials: { username: 'u', password: ['canary'] } } } },
    ] as const),
    'source.kafka.credentials.password: must be a string',
  ],
  [ofPipe, { source: { kinesis: {} } }, 'source.kinesis: does not fit the source of this pipe'],
  [newBoard, { name: none, tags: [1] }, 'name: is required; tags[0]: must be a string'],
  [ofAlert, { thresholdType: 'over' }, 'thresholdType: must be one of above, below'],
];

const format = { format: 'JSONEachRow', authentication: 'PLAIN' };
const tile = { name: 't', x: 0, y: 0, w: 6, h: 3 };
const line = { displayType: 'line', sourceId: ids.logs, select: [{ aggFn: 'count' }] };
const channel = { type: 'webhook', webhookId: ids.oncall };
const tileAlert = {
  ...{ source: 'tile', dashboardId: ids.checkout, tileId: ids.checkoutOrders, channel },
  ...{ threshold: 0.5, interval: '1h', thresholdType: 'above' },
};

const ofKey: Request = ['PATCH', `${keys}/${ids.developerKey}`];
const ofService: Request = ['PATCH', production];
const ofReplicas: Request = ['PATCH', `${production}/replicaScaling`];
const ofBackups: Request = ['PATCH', `${production}/backupConfiguration`];
const days = { from_date: '2026-11-01', to_date: '2026-12-02' };
const costs: Request = ['GET', `${organization}/usageCost`, days];
const newClickpipe: Request = ['POST', clickpipes, pipe];
const ofClickpipe: Request = ['PATCH', `${clickpipes}/${ids.clickstream}/scaling`];
const newTiles: Request = ['POST', boards, { name: 'x', tiles: [] }];
const newAlert: Request = ['POST', alerts, tileAlert];
const changedAlert: Request = ['PUT', `${alerts}/${ids.errorRate}`, tileAlert];

/** The same as the live services say it. */
const live: readonly Refusal[] = [
  [
    ...([ofKey, { assignedRoleIds: ['nobody'] }] as const),
    'assignedRoleIds[0]: must be the identifier of a role',
  ],
  [
    ...([ofKey, { ipAccessList: [{ source: '203.0.113.7/33' }] }] as const),
    'ipAccessList[0].source: must be an IP address, or a range of addresses as in 192.0.2.0/24',
  ],
  [ofService, { releaseChannel: 'newest' }, 'releaseChannel: must be one of slow, default, fast'],
  [ofService, { tags: { add: [{ key: 'team' }] } }, 'tags.add[0].value: is required'],
  [
    ...([ofReplicas, { autoscalingMode: 'horizontal', minReplicas: 3, maxReplicas: 2 }] as const),
    'minReplicas: must not be above maxReplicas',
  ],
  [
    ...([ofBackups, { backupStartTime: '03:00', backupPeriodInHours: 12 }] as const),
    'backupPeriodInHours: must be 24 or 48 if backupStartTime is set',
  ],
  [costs, { to_date: '2026-12-03' }, 'to_date must be at most 31 days after from_date'],
  [newClickpipe, { source: { kafka: format } }, 'source.kafka.type: is required'],
  [ofClickpipe, {}, 'the body must have replicas, replicaCpuMillicores or replicaMemoryGb'],
  [newTiles, { tiles: [tile] }, 'tiles[0]: must have config or series'],
  [
    ...([
      newTiles,
      { tiles: [{ ...tile, config: { ...line, sourceId: ids.foreignSource } }] },
    ] as const),
    'Source not found',
  ],
  ...[newAlert, changedAlert].flatMap((request): readonly Refusal[] => [
    [request, { threshold: none }, 'threshold: is required'],
    [request, { interval: '2m' }, 'interval: must be one of 1m, 5m, 15m, 30m, 1h, 6h, 12h, 1d'],
    [request, { source: 'saved_search', savedSearchId: ids.api }, 'Saved search not found'],
    [request, { dashboardId: ids.foreignDashboard }, 'Dashboard not found'],
    [request, { tileId: ids.apiErrors }, 'Tile not found'],
    [request, { channel: { ...channel, webhookId: ids.foreignWebhook } }, 'Webhook not found'],
    [request, { thresholdType: 'between' }, 'thresholdMax: is required for between'],
    [request, { message: 'x'.repeat(4097) }, 'message: must have from 1 to 4096 characters'],
  ]),
];

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
    for (const [[method, path, good], change, words] of refusals) {
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
