import { expect, it } from 'vitest';
import { startStory, storiesOf } from './stories.ts';

const addresses = 'an IP address, or a range of addresses as in 192.0.2.0/24';
const columns = [{ name: 'id', type: 'UUID' }];
const fieldMappings = [{ sourceField: 'a', destinationField: 'id' }];
const pipeMembers = { name: 'n', destination: { columns }, fieldMappings };
const newPipe = JSON.stringify({ ...pipeMembers, source: { kafka: {} } });
const hash = `"${Buffer.alloc(32).toString('base64')}"`;
const tile = '"name":"t","x":0,"y":0,"w":6,"h":3';
const kafka = '"type":"kafka","format":"JSONEachRow","authentication":"PLAIN"';
const source = { kafka: JSON.parse(`{${kafka}}`) };
const livePipe = JSON.stringify({ ...pipeMembers, source });
const oncall = `{"type":"webhook","webhookId":"$oncall"}`;
const liveAlert = JSON.stringify({
  ...{ source: 'tile', dashboardId: '$checkout', tileId: '$checkoutOrders' },
  ...{ threshold: 0.5, interval: '1h', thresholdType: 'above', channel: JSON.parse(oncall) },
});
const alertChanges = `  threshold: -> threshold: is required
  interval: "2m" -> interval: must be one of 1m, 5m, 15m, 30m, 1h, 6h, 12h, 1d
  source: "search" -> source: must be one of tile, saved_search
  source: -> savedSearchId: is required
  source: "saved_search"; savedSearchId: "$api" -> Saved search not found
  dashboardId: "x" -> dashboardId: must be an identifier of 24 hexadecimal digits
  dashboardId: "$foreignDashboard" -> Dashboard not found
  tileId: "$apiErrors" -> Tile not found
  channel: -> channel: is required, or channels
  channel: {"type":"email"} -> channel.type: must be one of webhook; channel.webhookId: is required
  channel: {"type":"webhook","webhookId":"$foreignWebhook"} -> Webhook not found
  channels: [{"type":"webhook","webhookId":"$channel"}] -> channel: must be the
    first of channels
  channel:; channels: [${Array(11).fill(oncall)}] -> channels: must have at most 10 elements
  thresholdType: "between" -> thresholdMax: is required for between
  message: "${'x'.repeat(4097)}" -> message: must have from 1 to 4096 characters`;

/**
 * Requests that are refused with a 400: one that would do, and below it changes of its body (of a GET, its query), each with what
 * the refusal says. A member without a value is left out.
 */
const groups = storiesOf(`
rule 1: an organization (reference)
  PATCH $organization {}
  privateEndpoints: {"add":{}} -> privateEndpoints.add: must be an array
  privateEndpoints: {"add":[{"id":"a"}]} -> privateEndpoints.add[0].description: is required
  privateEndpoints: {"remove":[{}]} -> privateEndpoints.remove[0].id: is required
rule 2: a key (reference)
  POST $keys {"name":"x","roles":["admin"]}
  name: -> name: is required
  roles: [] -> roles: must have at least 1 element
  roles: ["owner"] -> roles[0]: must be one of admin, developer, query_endpoints
  state: "paused" -> state: must be one of enabled, disabled
  expireAt: "2026-02-30T00:00:00Z" -> expireAt: must be an ISO 8601 date-time
  hashData: {"keyIdHash":"x"} -> hashData.keyIdSuffix: is required;
    hashData.keySecretHash: is required
  ipAccessList: [{}] -> ipAccessList[0].source: is required
rule 3: the scaling of a paid service (reference)
  PATCH $production/scaling {}
  minTotalMemoryGb: 12 -> minTotalMemoryGb: must be an integer from 24 to 1068 and a multiple of 12
  minTotalMemoryGb: 30 -> minTotalMemoryGb: must be an integer from 24 to 1068 and a multiple of 12
  maxTotalMemoryGb: 1080 -> maxTotalMemoryGb: must be an integer from 24 to 1068 and a multiple of 12
  numReplicas: 1 -> numReplicas: must be from 2 to 20 for the first service in a warehouse
  numReplicas: 21 -> numReplicas: must be an integer from 1 to 20
  idleTimeoutMinutes: 4 -> idleTimeoutMinutes: must be an integer of at least 5
  idleScaling: "true" -> idleScaling: must be a boolean
rule 3: the scaling of a trial (reference)
  PATCH $trial/scaling {}
  maxTotalMemoryGb: 372 -> maxTotalMemoryGb: must be at most 360 for a non-paid service
rule 3: the scaling of a development service (reference)
  PATCH $staging/scaling {}
  minTotalMemoryGb: 24 -> minTotalMemoryGb: is available only for production services
rule 4: a password (reference)
  PATCH $production/password {}
  newPasswordHash: "canary" -> newPasswordHash: must be the base64 encoding of a raw SHA-256 digest
    (32 bytes)
  newPasswordHash: "AAAA" -> newPasswordHash: must be the base64 encoding of a raw SHA-256 digest (32
    bytes)
  newPasswordHash: ${hash}; newDoubleSha1Hash: "${'g'.repeat(40)}" -> newDoubleSha1Hash: must be the
    hexadecimal form of a SHA-1 digest (40 digits)
rule 5: a command (reference)
  PATCH $pipes/$clickstream/state {}
  {} -> the body must carry one command: start, stop or resync
  state: "stop"; action: "stop" -> the body must carry one command: start, stop or resync
  command: "pause" -> command: must be one of start, stop, resync
  command: "resync" -> resync applies only to Postgres pipes
rule 6: a new pipe (reference)
  POST $pipes ${newPipe}
  name: -> name: is required
  destination: -> destination: is required
  source: {"validateSamples":true} -> source: must have exactly one of kafka, objectStorage, kinesis,
    postgres
  source: {"kafka":{},"kinesis":{}} -> source: must have exactly one of kafka, objectStorage,
    kinesis, postgres
  fieldMappings: -> fieldMappings: must include all destination columns
  source: {"kinesis":{"timestamp":"1"}} -> source.kinesis.timestamp: must be an integer
  source: {"kafka":{"credentials":{"username":"u","password":["canary"]}}} ->
    source.kafka.credentials.password: must be a string
  source: {"postgres":{"tableMappings":[{"sourceTable":"t","targetTable":"t"}]}} ->
    source.postgres.tableMappings[0].sourceSchemaName: is required
  scaling: {"replicaMemoryGb":"512Mi"} -> scaling.replicaMemoryGb: must be a number
rule 7: a changed pipe (reference)
  PATCH $pipes/$clickstream {}
  source: {"kafka":{},"kinesis":{}} -> source: must have at most one kind
  source: {"kinesis":{}} -> source.kinesis: does not fit the source of this pipe
  destination: {"columns":[{"name":"x"}]} -> destination.columns[0].type: is required
  source: {"validateSamples":"no"} -> source.validateSamples: must be a boolean
a new dashboard (reference)
  POST $boards {"name":"x"}
  name: -> name: is required
  tags: [1] -> tags[0]: must be a string
  tiles: [{"name":"t","x":0,"y":0,"w":"6","h":3}] -> tiles[0].w: must be an integer
  name:; tiles: [{"x":"0"},{},{"w":1.5}] -> name: is required; tiles[0].x: must be an integer;
    tiles[2].w: must be an integer
a changed alert (reference)
  PUT $alerts/$errorRate {}
  threshold: "1" -> threshold: must be a number
  interval: "5 minutes" -> interval: must be a number followed by a unit letter, such as 5m
  interval: "0m" -> interval: must be a number followed by a unit letter, such as 5m
  thresholdType: "over" -> thresholdType: must be one of above, below
  source: "saved_search" -> source: must be one of tile, search
  channel: {"webhookId":1} -> channel.webhookId: must be a string
a key of ClickHouse Cloud (live)
  POST $keys {"name":"x"}
  {} -> roles: must have at least 1 element
  assignedRoleIds: ["nobody"] -> assignedRoleIds[0]: must be the identifier of a role
a changed key of ClickHouse Cloud (live)
  PATCH $keys/$developerKey {}
  expireAt: "" -> expireAt: must be an ISO 8601 date-time
  state: "paused" -> state: must be one of enabled, disabled
  roles: ["owner"] -> roles[0]: must be one of admin, developer, query_endpoints
  assignedRoleIds: ["nobody"] -> assignedRoleIds[0]: must be the identifier of a role
  ipAccessList: [{"source":"203.0.113.7/33"}] -> ipAccessList[0].source: must be ${addresses}
a changed service (live)
  PATCH $production {}
  releaseChannel: "newest" -> releaseChannel: must be one of slow, default, fast
  tags: {"add":[{"key":"team"}]} -> tags.add[0].value: is required
  ipAccessList: {"remove":[{}]} -> ipAccessList.remove[0].source: is required
  ipAccessList: {"add":[{"source":"999.1.1.1/64"}]} -> ipAccessList.add[0].source: must be ${addresses}
  name: "${'n'.repeat(51)}" -> name: must be at most 50 characters long
the scaling of each replica (live)
  PATCH $production/replicaScaling {}
  minReplicaMemoryGb: 13 -> minReplicaMemoryGb: must be an integer from 8 to 356 and a multiple of 4
  maxReplicas: 51 -> maxReplicas: must be an integer from 1 to 50
  autoscalingMode: "diagonal"; numReplicas: 2 -> autoscalingMode: must be one of vertical, horizontal
  minReplicaMemoryGb: 24; maxReplicaMemoryGb: 16 -> minReplicaMemoryGb: must not be above
    maxReplicaMemoryGb
  autoscalingMode: "horizontal" -> minReplicas: is required for horizontal scaling
  autoscalingMode: "horizontal"; minReplicas: 1 -> maxReplicas: is required for horizontal scaling
  autoscalingMode: "horizontal"; minReplicas: 3; maxReplicas: 2 -> minReplicas: must not be above
    maxReplicas
a changed backup configuration (live)
  PATCH $production/backupConfiguration {}
  backupRetentionPeriodInHours: 25; backupStartTime: null -> backupRetentionPeriodInHours: must be an
    integer from 24 to 1080 and a multiple of 24
  backupStartTime: "25:00" -> backupStartTime: must be a full hour as HH:00
  backupStartTime: "03:30" -> backupStartTime: must be a full hour as HH:00
  backupStartTime: "03:00"; backupPeriodInHours: 12 -> backupPeriodInHours: must be 24 or 48 if
    backupStartTime is set
  backupPeriodInHours: 8 -> backupPeriodInHours: must be 24 or 48 if backupStartTime is set
the costs of some days (live)
  GET $organization/usageCost {"from_date":"2026-11-01","to_date":"2026-12-02"}
  from_date: -> from_date is missing, or has another form
  from_date: "2026-11-01T00:00:00Z" -> from_date is missing, or has another form
  to_date: "2026-12-03" -> to_date must be at most 31 days after from_date
  to_date: "2026-10-31" -> to_date must be at most 31 days after from_date
the activities of some time (live)
  GET $organization/activities {"to_date":"2026-11-21T00:00:00Z"}
  from_date: "2026-11-01" -> from_date is missing, or has another form
a command of a service (live)
  PATCH $production/state {}
  state: "stop" -> command: is required
a new pipe of ClickHouse Cloud (live)
  POST $clickpipes ${livePipe}
  source: {"kafka":{"format":"JSONEachRow","authentication":"PLAIN"}} -> source.kafka.type: is
    required
  source: {"kafka":{${kafka},"offset":{"strategy":"from_timestamp"}}} ->
    source.kafka.offset.timestamp: is required for from_timestamp
  source: {"postgres":{}} -> source.postgres.settings: is required;
    source.postgres.tableMappings: is required
  scaling: {"replicas":0} -> scaling.replicas: must be an integer from 1 to 40
the scaling of a pipe (live)
  PATCH $clickpipes/$clickstream/scaling {}
  {} -> the body must have replicas, replicaCpuMillicores or replicaMemoryGb
  replicas: 41 -> replicas: must be an integer from 1 to 40
  replicaCpuMillicores: 100 -> replicaCpuMillicores: must be an integer from 125 to 2000
  replicaMemoryGb: 9 -> replicaMemoryGb: must be a number from 0.5 to 8
the settings of a pipe (live)
  PUT $clickpipes/$archive/settings {}
  streaming_max_insert_wait_ms: 1 -> streaming_max_insert_wait_ms: does not fit the source of this
    pipe
a new dashboard of HyperDX (live)
  POST $boards {"name":"x","tiles":[]}
  tiles: -> tiles: is required
  tiles: [{"w":1,"h":0}] -> tiles[0].name: is required; tiles[0].x: is required; tiles[0].y: is
    required; tiles[0].h: must be an integer of at least 1
  tiles: [{${tile}}] -> tiles[0]: must have config or series
  tiles: [{${tile},"series":[]}] -> tiles[0].series: must have at least 1 element
  tiles: [{${tile}, "series":[{"type":"time","sourceId":"$logs","aggFn":"count","where":""}]}] ->
    tiles[0].series[0].groupBy: is required
  tiles: [{${tile},"series":[{"type":"time","aggFn":"count","where":"","groupBy":[]}]}] ->
    tiles[0].series[0].sourceId: is required
  tiles: [{${tile}, "config":{"displayType":"line","sourceId":"$foreignSource",
    "select":[{"aggFn":"count"}]}}] -> Source not found
  tiles: [{"name":"t","x":24,"y":0,"w":6,"h":3, "config":{"displayType":"line","sourceId":"$logs",
    "select":[{"aggFn":"count"}]}}] -> tiles[0].x: must be an integer from 0 to 23
a new alert (live)
  POST $alerts ${liveAlert}
${alertChanges}
a changed alert of HyperDX (live)
  PUT $alerts/$errorRate ${liveAlert}
${alertChanges}
`);

const everything = `$organization $production $staging $trial $pipes $staging/pipes $trial/pipes
  $clickpipes $staging/clickpipes $trial/clickpipes $boards $alerts $keys
  $production/backupConfiguration $organization/activities`;

it.each(groups)('%s %j is refused, and changes nothing', async (_, options, text) => {
  const { ask, inText } = await startStory(options);
  const readAll = () =>
    Promise.all(
      inText(everything)
        .split(/\s+/)
        .map(async (path) => (await ask('GET', path)).value),
    );
  const before = await readAll();
  const [request = '', ...rows] = inText(text)
    .trim()
    .split(/\n {2}(?=\S)/);
  const [method = '', path = '', good = ''] = request.split(/ (.*?) (.*)/);
  for (const row of rows) {
    const [members = '', words = ''] = row.replaceAll(/\n\s+/g, ' ').split(' -> ');
    const changes = members.split('; ').map((member) => {
      const [, name = '', value = ''] = /^(\w*): ?(.*)$/.exec(member) ?? [];
      return [name, value === '' ? undefined : JSON.parse(value)];
    });
    const change = members === '{}' ? {} : Object.fromEntries(changes);
    const given = JSON.parse(JSON.stringify({ ...JSON.parse(good), ...change }));
    const reply = await (method === 'GET'
      ? ask(method, `${path}?${new URLSearchParams(given)}`)
      : ask(method, path, given));
    const told = path.startsWith('/v1') ? `BAD_REQUEST: ${words}` : words;
    expect([row, reply.status, reply.value]).toEqual([row, 400, told]);
    expect(reply.text).not.toContain('canary');
  }
  expect(await readAll()).toEqual(before);
});
