import { describe, expect, it } from 'vitest';
import { liveWorld } from '../../sandbox/live/world/ids.ts';
import { open, organization, pipe, service, world } from '../support/sandbox/harness.ts';

const { main, second } = world.observability;

type Profile = 'reference' | 'live';

/** Requests that are refused with a 400: a body that would do, changes that make it wrong, and what the refusal says. */
type Group = readonly [
  title: string,
  profile: Profile,
  method: string,
  path: string,
  good: object,
  changes: readonly (readonly [change: object, words: string])[],
];

const key = { name: 'x', roles: ['admin'] };
const oldMemory = 'must be an integer from 24 to 1068 and a multiple of 12';
const hash = Buffer.alloc(32).toString('base64');
const digest = 'must be the base64 encoding of a raw SHA-256 digest (32 bytes)';
const hex = 'must be the hexadecimal form of a SHA-1 digest (40 digits)';
const columns = [{ name: 'id', type: 'UUID' }];
const fieldMappings = [{ sourceField: 'a', destinationField: 'id' }];
const newPipe = { name: 'n', source: { kafka: {} }, destination: { columns }, fieldMappings };
const oneSource = 'source must have exactly one of kafka, objectStorage, kinesis, postgres';
const tile = { name: 't', x: 0, y: 0, w: 6, h: 3 };
const interval = 'interval must be a number followed by a unit letter, such as 5m';
const command = 'the body must carry one command: start, stop or resync';

const kafka = { type: 'kafka', format: 'JSONEachRow', authentication: 'PLAIN' };
const livePipe = { ...newPipe, source: { kafka } };
const chart = {
  displayType: 'line',
  sourceId: liveWorld.sources.logs,
  select: [{ aggFn: 'count' }],
};
const series = { type: 'time', sourceId: liveWorld.sources.logs, aggFn: 'count', where: '' };
const oncall = { type: 'webhook', webhookId: main.webhooks.oncall };
const liveAlert = {
  ...{ source: 'tile', dashboardId: main.dashboards.checkout, tileId: main.tiles.checkoutOrders },
  ...{ threshold: 0.5, interval: '1h', thresholdType: 'above', channel: oncall },
};
const liveAlertChanges: Group[5] = [
  [{ threshold: undefined }, 'threshold is required'],
  [{ interval: '2m' }, 'interval must be one of 1m, 5m, 15m, 30m, 1h, 6h, 12h, 1d'],
  [{ source: 'search' }, 'source must be one of tile, saved_search'],
  [{ source: undefined }, 'savedSearchId is required'],
  [{ source: 'saved_search', savedSearchId: main.dashboards.api }, 'Saved search not found'],
  [{ dashboardId: 'x' }, 'dashboardId must be an identifier of 24 hexadecimal digits'],
  [{ dashboardId: second.dashboards.meters }, 'Dashboard not found'],
  [{ tileId: main.tiles.apiErrors }, 'Tile not found'],
  [{ channel: undefined }, 'channel is required, or channels'],
  [{ channel: { type: 'email' } }, 'channel.type must be one of webhook'],
  [{ channel: { ...oncall, webhookId: second.webhooks.oncall } }, 'Webhook not found'],
  [
    { channels: [{ ...oncall, webhookId: main.webhooks.channel }] },
    'channel must be the first of channels',
  ],
  [
    { channel: undefined, channels: Array(11).fill(oncall) },
    'channels must have at most 10 elements',
  ],
  [{ thresholdType: 'between' }, 'thresholdMax is required for between'],
  [{ message: 'x'.repeat(4097) }, 'message must have from 1 to 4096 characters'],
];
const clickpipes = `${service('production')}/clickpipes`;
const { clickstream, archive } = world.management.main.pipes;

const groups: readonly Group[] = [
  [
    'rule 1: an organization',
    ...(['reference', 'PATCH', organization, {}] as const),
    [
      [{ name: 7 }, 'name must be a string'],
      [{ privateEndpoints: { add: {} } }, 'privateEndpoints.add must be an array'],
      [
        { privateEndpoints: { add: [{ id: 'a' }] } },
        'privateEndpoints.add[0].description is required',
      ],
      [{ privateEndpoints: { remove: [{}] } }, 'privateEndpoints.remove[0].id is required'],
    ],
  ],
  [
    'rule 2: a key',
    ...(['reference', 'POST', `${organization}/keys`, key] as const),
    [
      [{ name: undefined }, 'name is required'],
      [{ roles: [] }, 'roles must have at least 1 element'],
      [{ roles: ['owner'] }, 'roles[0] must be one of admin, developer, query_endpoints'],
      [{ state: 'paused' }, 'state must be one of enabled, disabled'],
      [{ expireAt: '2026-02-30T00:00:00Z' }, 'expireAt must be an ISO 8601 date-time'],
      [{ expireAt: '2026-11-21' }, 'expireAt must be an ISO 8601 date-time'],
      [{ hashData: { keyIdHash: 'x' } }, 'hashData.keyIdSuffix is required'],
      [{ ipAccessList: [{}] }, 'ipAccessList[0].source is required'],
    ],
  ],
  [
    'rule 3: the scaling of a paid service, the first of its warehouse',
    ...(['reference', 'PATCH', `${service('production')}/scaling`, {}] as const),
    [
      [{ minTotalMemoryGb: 12 }, `minTotalMemoryGb ${oldMemory}`],
      [{ minTotalMemoryGb: 30 }, `minTotalMemoryGb ${oldMemory}`],
      [{ maxTotalMemoryGb: 1080 }, `maxTotalMemoryGb ${oldMemory}`],
      [{ numReplicas: 1 }, 'numReplicas must be from 2 to 20 for the first service in a warehouse'],
      [{ numReplicas: 21 }, 'numReplicas must be an integer from 1 to 20'],
      [{ idleTimeoutMinutes: 4 }, 'idleTimeoutMinutes must be an integer of at least 5'],
      [{ idleScaling: 'true' }, 'idleScaling must be a boolean'],
    ],
  ],
  [
    'rule 3: the scaling of a service that is not paid for',
    ...(['reference', 'PATCH', `${service('trial')}/scaling`, {}] as const),
    [[{ maxTotalMemoryGb: 372 }, 'maxTotalMemoryGb must be at most 360 for a non-paid service']],
  ],
  [
    'rule 3: the scaling of a development service',
    ...(['reference', 'PATCH', `${service('staging')}/scaling`, {}] as const),
    [[{ minTotalMemoryGb: 24 }, 'minTotalMemoryGb is available only for production services']],
  ],
  [
    'rule 4: a password',
    ...(['reference', 'PATCH', `${service('production')}/password`, {}] as const),
    [
      [{ newPasswordHash: 'canary' }, `newPasswordHash ${digest}`],
      [{ newPasswordHash: Buffer.alloc(31).toString('base64') }, `newPasswordHash ${digest}`],
      [{ newPasswordHash: hash, newDoubleSha1Hash: 'f'.repeat(39) }, `newDoubleSha1Hash ${hex}`],
      [{ newPasswordHash: hash, newDoubleSha1Hash: 'g'.repeat(40) }, `newDoubleSha1Hash ${hex}`],
    ],
  ],
  [
    'rule 5: a command',
    ...(['reference', 'PATCH', `${pipe('production', 'clickstream')}/state`, {}] as const),
    [
      [{}, command],
      [{ state: 'stop', action: 'stop' }, command],
      [{ command: 'pause' }, 'the command must be one of start, stop, resync'],
      [{ command: 'resync' }, 'resync applies only to Postgres pipes'],
    ],
  ],
  [
    'rule 6: a new pipe',
    ...(['reference', 'POST', `${service('production')}/pipes`, newPipe] as const),
    [
      [{ name: undefined }, 'name is required'],
      [{ destination: undefined }, 'destination is required'],
      [{ source: { validateSamples: true } }, oneSource],
      [{ source: { kafka: {}, kinesis: {} } }, oneSource],
      [{ fieldMappings: undefined }, 'fieldMappings must include all destination columns'],
      [{ source: { kinesis: { timestamp: '1' } } }, 'source.kinesis.timestamp must be an integer'],
      [
        { source: { kafka: { credentials: { username: 'u', password: ['canary'] } } } },
        'source.kafka.credentials.password must be a string',
      ],
      [
        { source: { postgres: { tableMappings: [{ sourceTable: 't' }] } } },
        'source.postgres.tableMappings[0].sourceSchemaName is required',
      ],
      [{ scaling: { replicaMemoryGb: '512Mi' } }, 'scaling.replicaMemoryGb must be a number'],
      [
        { settings: { engine_max_threads: true } },
        'settings.engine_max_threads must be an integer',
      ],
    ],
  ],
  [
    'rule 7: a changed pipe',
    ...(['reference', 'PATCH', pipe('production', 'clickstream'), {}] as const),
    [
      [{ source: { kafka: {}, kinesis: {} } }, 'source must have at most one kind'],
      [{ source: { kinesis: {} } }, 'source.kinesis does not fit the source of this pipe'],
      [{ destination: { columns: [{ name: 'x' }] } }, 'destination.columns[0].type is required'],
      [{ source: { validateSamples: 'no' } }, 'source.validateSamples must be a boolean'],
    ],
  ],
  [
    'a new dashboard',
    ...(['reference', 'POST', '/api/v2/dashboards', { name: 'x' }] as const),
    [
      [{ name: undefined }, 'name is required'],
      [{ tags: [1] }, 'tags[0] must be a string'],
      [{ tiles: [{ ...tile, w: '6' }] }, 'tiles[0].w must be an integer'],
      [{ tiles: [{ series: [{ type: 1 }] }] }, 'tiles[0].series[0].type must be a string'],
    ],
  ],
  [
    'a changed alert',
    ...(['reference', 'PUT', `/api/v2/alerts/${main.alerts.errorRate}`, {}] as const),
    [
      [{ threshold: '1' }, 'threshold must be a number'],
      [{ interval: '5 minutes' }, interval],
      [{ interval: '0m' }, interval],
      [{ thresholdType: 'over' }, 'thresholdType must be one of above, below'],
      [{ source: 'saved_search' }, 'source must be one of tile, search'],
      [{ channel: { webhookId: 1 } }, 'channel.webhookId must be a string'],
    ],
  ],
  [
    'a key of ClickHouse Cloud',
    ...(['live', 'POST', `${organization}/keys`, { name: 'x' }] as const),
    [
      [{}, 'roles must have at least 1 element'],
      [{ assignedRoleIds: ['nobody'] }, 'assignedRoleIds[0] must be the identifier of a role'],
    ],
  ],
  [
    'a command of a service',
    ...(['live', 'PATCH', `${service('production')}/state`, {}] as const),
    [
      [{ state: 'stop' }, 'command is required'],
      [{ command: 'pause' }, 'command must be one of start, stop, awake'],
    ],
  ],
  [
    'a new pipe of ClickHouse Cloud',
    ...(['live', 'POST', clickpipes, livePipe] as const),
    [
      [{ source: { kafka: { ...kafka, type: undefined } } }, 'source.kafka.type is required'],
      [
        { source: { kafka: { ...kafka, offset: { strategy: 'from_timestamp' } } } },
        'source.kafka.offset.timestamp is required for from_timestamp',
      ],
      [{ source: { postgres: {} } }, 'source.postgres.settings is required'],
      [{ source: { mysql: {} } }, 'source.mysql.host is required'],
      [{ scaling: { replicas: 0 } }, 'scaling.replicas must be an integer from 1 to 40'],
    ],
  ],
  [
    'the scaling of a pipe',
    ...(['live', 'PATCH', `${clickpipes}/${clickstream}/scaling`, {}] as const),
    [
      [{}, 'the body must have replicas, replicaCpuMillicores or replicaMemoryGb'],
      [{ replicas: 41 }, 'replicas must be an integer from 1 to 40'],
      [{ replicaCpuMillicores: 100 }, 'replicaCpuMillicores must be an integer from 125 to 2000'],
      [{ replicaMemoryGb: 9 }, 'replicaMemoryGb must be a number from 0.5 to 8'],
    ],
  ],
  [
    'the settings of a pipe',
    ...(['live', 'PUT', `${clickpipes}/${archive}/settings`, {}] as const),
    [
      [
        { streaming_max_insert_wait_ms: 1 },
        'streaming_max_insert_wait_ms does not fit the source of this pipe',
      ],
    ],
  ],
  [
    'a new dashboard of HyperDX',
    ...(['live', 'POST', '/api/v2/dashboards', { name: 'x', tiles: [] }] as const),
    [
      [{ tiles: undefined }, 'tiles is required'],
      [{ tiles: [tile] }, 'tiles[0] must have config or series'],
      [{ tiles: [{ ...tile, series: [] }] }, 'tiles[0].series must have at least 1 element'],
      [{ tiles: [{ ...tile, series: [series] }] }, 'tiles[0].series[0].groupBy is required'],
      [
        { tiles: [{ ...tile, series: [{ ...series, groupBy: [], sourceId: undefined }] }] },
        'tiles[0].series[0].sourceId is required',
      ],
      [
        { tiles: [{ ...tile, config: { ...chart, sourceId: liveWorld.secondSources.metrics } }] },
        'Source not found',
      ],
      [
        { tiles: [{ ...tile, config: chart, x: 24 }] },
        'tiles[0].x must be an integer from 0 to 23',
      ],
    ],
  ],
  ['a new alert', 'live', 'POST', '/api/v2/alerts', liveAlert, liveAlertChanges],
  [
    'a changed alert of HyperDX',
    'live',
    'PUT',
    `/api/v2/alerts/${main.alerts.errorRate}`,
    liveAlert,
    liveAlertChanges,
  ],
];

/** Everything that the first team and the first organization have. */
const everything = async ({ management, observability }: Awaited<ReturnType<typeof open>>) => {
  const lists = (['production', 'staging', 'trial'] as const).flatMap((name) => [
    management('GET', service(name)),
    management('GET', `${service(name)}/pipes`),
    management('GET', `${service(name)}/clickpipes`),
  ]);
  const replies = await Promise.all([management('GET', organization), ...lists]);
  const boards = ['/api/v2/dashboards', '/api/v2/alerts'].map((path) => observability('GET', path));
  return [
    ...replies.map(({ body }) => body.result),
    ...(await Promise.all(boards)).map(({ body }) => body.data),
  ];
};

describe('the sandbox refuses, and changes nothing:', () => {
  it.each(groups)('%s (%s)', async (_, profile, method, path, good, changes) => {
    const sandbox = await open({ profile });
    const before = await everything(sandbox);
    for (const [change, words] of changes) {
      const body = { ...good, ...change };
      const isManaged = path.startsWith('/v1');
      const reply = await (isManaged
        ? sandbox.management(method, path, body)
        : sandbox.observability(method, path, body));
      const told = isManaged ? { error: `BAD_REQUEST: ${words}` } : { message: words };
      expect([change, reply.status, reply.body]).toMatchObject([change, 400, told]);
      expect(reply.text).not.toContain('canary');
    }
    expect(await everything(sandbox)).toEqual(before);
  });
});
