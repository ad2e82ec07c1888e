import { expect, it } from 'vitest';
import { startStory, storiesOf } from './stories.ts';

const key = '{"keyId":"?id","keySecret":"?secret"}';
const hashed = `{"name":"x","roles":["admin"],"hashData":{"keyIdHash":"$hashOfId",
    "keyIdSuffix":"y-id","keySecretHash":"$hashOfSecret"}}`;
const tile = '"name":"Old","x":0,"y":0,"w":6,"h":3';

/** What the demo does beyond test/operations/table.ts: a story each, of steps as stories.ts has them. */
const stories = storiesOf(`
a key expires (reference)
  POST $keys {"name":"x","roles":["admin"],"expireAt":"2026-11-21T14:00:01+02:00"} -> 200 ${key}
  wait 999
  PATCH $organization as $id:$secret {} -> 200
  wait 1
  PATCH $organization as $id:$secret {} -> 401
a key whose halves the caller made is not shown, and works (reference)
  POST $keys ${hashed} -> 200 = {"key":"?key"} & {"key":{"keySuffix":"y-id"}}
  GET $organization as my-id:my-secret -> 200
  POST $keys ${hashed} -> 409
a key of ClickHouse Cloud is made with identifiers of roles, and stops working once deleted (live)
  POST $keys {"name":"x","assignedRoleIds":["$adminRole"]} -> 200 ${key} &
    {"key":{"id":"?made","state":"enabled","expireAt":"","roles":["admin"]}}
  GET $organization as $id:$secret -> 200
  DELETE $keys/$made -> 200
  GET $organization as $id:$secret -> 401
  DELETE $keys/$foreignKey -> 404
a key of ClickHouse Cloud is changed: it expires, does not, and is switched off (live)
  POST $keys {"name":"x","roles":["admin"]} -> 200 ${key} & {"key":{"id":"?made"}}
  PATCH $keys/$made {"name":"y","assignedRoleIds":["$adminRole"],"ipAccessList":[
    {"source":"127.0.0.0/8"}],"expireAt":"2026-11-21T12:00:01Z"} -> 200 ?changed & {"name":"y",
    "roles":["admin"],"ipAccessList":[{"source":"127.0.0.0/8","description":""}],
    "expireAt":"2026-11-21T12:00:01Z"}
  GET $organization as $id:$secret -> 200
  wait 1000
  GET $organization as $id:$secret -> 401
  PATCH $keys/$made {"expireAt":null} -> 200 = {"...":"$changed","expireAt":""}
  GET $organization as $id:$secret -> 200
  PATCH $keys/$made {"state":"disabled"} -> 200 {"state":"disabled","name":"y"}
  GET $organization as $id:$secret -> 401
  PATCH $keys/$foreignKey {} -> 404
a service of ClickHouse Cloud is changed in what is given (live)
  GET $production -> 200 ?before & {"ipAccessList":["?office","?scheduler"]}
  PATCH $production {"ipAccessList":{"add":[{"source":"192.0.2.1"}]}} -> 200
    {"ipAccessList":["$office","$scheduler",{"source":"192.0.2.1","description":""}]}
  PATCH $production {"name":"new","releaseChannel":"slow","ipAccessList":{"add":[
    {"source":"192.0.2.9","description":"Build"}],"remove":[{"source":"192.0.2.1"}]},
    "tags":{"add":[{"key":"owner","value":"web"},{"key":"team","value":"b"}],
    "remove":[{"key":"environment","value":"production"}]}} -> 200 ?changed
  GET $production -> 200 = $changed & = {"...":"$before","name":"new","releaseChannel":"slow",
    "tags":[{"key":"owner","value":"web"},{"key":"team","value":"b"}],
    "ipAccessList":["$office","$scheduler",{"source":"192.0.2.9","description":"Build"}]}
  PATCH $foreignService {} -> 404
a service of ClickHouse Cloud is scaled by each replica, or by their number (live)
  PATCH $production/replicaScaling {"minReplicaMemoryGb":8,"maxReplicaMemoryGb":356} -> 200
    {"minReplicaMemoryGb":8,"maxReplicaMemoryGb":356,"minTotalMemoryGb":24,"maxTotalMemoryGb":1068,
    "autoscalingMode":"vertical"}
  PATCH $production/replicaScaling {"autoscalingMode":"horizontal","minReplicas":2,"maxReplicas":4}
    -> 200
  GET $production -> 200 ?after & {"autoscalingMode":"horizontal","minReplicas":2,"maxReplicas":4}
    & = {"...":"$after","numReplicas":"$none"}
a null resets a member of a backup configuration (live)
  PATCH $production/backupConfiguration {"backupPeriodInHours":48,
    "backupRetentionPeriodInHours":1080,"backupStartTime":"23:00"} -> 200 ?changed
  PATCH $production/backupConfiguration {"backupStartTime":null} -> 200
  GET $production/backupConfiguration -> 200 = {"...":"$changed","backupStartTime":null}
  PATCH $production/backupConfiguration {"backupPeriodInHours":null,
    "backupRetentionPeriodInHours":null} -> 200
    {"backupPeriodInHours":24,"backupRetentionPeriodInHours":24}
each change is an activity of its key (live)
  PATCH $organization {"name":"Northwind"} -> 200
  PATCH $production/replicaScaling {"numReplicas":2} -> 200
  PATCH $clickpipes/$clickstream/state {"command":"stop"} -> 200
  PATCH $keys/$foreignKey {} -> 404
  DELETE $keys/$developerKey -> 200
  GET $organization/activities?from_date=2026-11-21T12:00:00Z -> 200 [
    {"type":"key_delete","targetKeyId":"$developerKey","actorType":"api"},
    {"type":"clickpipe_stop"},{"type":"service_update_replica_scaling"},
    {"type":"organization_update"}]
an organization is changed by an admin alone, and seen by its own keys alone (reference)
  PATCH $organization as developer {"privateEndpoints":{"add":[{"id":"new",
    "description":"New"}]}} -> 403
  PATCH $organization {"privateEndpoints":{"add":[{"id":"new","description":"New"}],
    "remove":[{"id":"vpce-0a41c7d2e9b85f310"}]}} -> 200 ?changed &
    {"privateEndpoints":[{"id":"vpce-0f92b6a3c1d74e856"},{"id":"new","description":"New"}]}
  GET $organization -> 200 = $changed
  GET $organization as second -> 404
  GET $organization/services as second -> 404
  GET $production as second -> 404
  GET $foreignService -> 404
  GET $pipes/0$clickstream -> 400
scaling takes the bounds of rule 3 (reference)
  PATCH $production/scaling {"minTotalMemoryGb":24,"maxTotalMemoryGb":1068,"numReplicas":2}
    -> 200 {"minTotalMemoryGb":24,"maxTotalMemoryGb":1068,"numReplicas":2,"minReplicaMemoryGb":8,
    "maxReplicaMemoryGb":356}
  PATCH $trial/scaling {"maxTotalMemoryGb":360} -> 200 {"maxTotalMemoryGb":360}
  PATCH $reporting/scaling {"numReplicas":1} -> 200 {"numReplicas":1}
  PATCH $staging/scaling {"numReplicas":20,"idleTimeoutMinutes":5} -> 200
    {"numReplicas":20,"idleTimeoutMinutes":5}
a password is made anew, or kept by its hash (reference)
  PATCH $production/password {"newDoubleSha1Hash":"ignored"} -> 200 {"password":"?first"}
  PATCH $production/password {} -> 200 {"password":"!first"}
  PATCH $production/password {"newPasswordHash":"$hashOfSecret"} -> 200 = {}
rule 5: a pipe is not started while it runs or changes (reference)
  PATCH $pipes/$clickstream/state {"command":"start"}
    -> 409 "CONFLICT: start is allowed in state Stopped or Failed, the pipe is Running"
  PATCH $pipes/$clickstream/state {"command":"stop"} -> 200
  PATCH $pipes/$clickstream/state {"command":"start"}
    -> 409 "CONFLICT: start is allowed in state Stopped or Failed, the pipe is Stopping"
rule 7: of a pipe changes what may be changed, and nothing else (reference)
  GET $pipes/$orders -> 200 ?before & {"source":{"postgres":"?postgres"}} &
    {"source":{"postgres":{"tableMappings":["?dropped","?left"]}}}
  PATCH $pipes/$orders {"name":null,"state":"Failed","scaling":{"replicas":9},
    "source":{"postgres":{"host":"h","tableMappingsToAdd":[{"sourceSchemaName":"s",
    "sourceTable":"t","targetTable":"u"}],"tableMappingsToRemove":["$dropped"]}}} -> 200
  GET $pipes/$orders -> 200 = {"...":"$before","source":{"postgres":{"...":"$postgres","host":"h",
    "tableMappings":["$left",{"sourceSchemaName":"s","sourceTable":"t","targetTable":"u"}]}},
    "updatedAt":"2026-11-21T12:00:00.000Z"}
a dashboard takes its alerts along, and an update replaces an alert (reference)
  GET $alerts/$search as second -> 404
  DELETE $boards/$api as second -> 200 = {}
  GET $alerts -> 200 10 items
  PUT $alerts/$search {"threshold":1} -> 200 {"name":null,"savedSearch":"$savedSearch",
    "groupBy":"host"}
  GET $alerts/$search -> 200 ?replaced & = {"...":"$replaced","interval":"$none"}
  DELETE $boards/$api -> 200
  GET $boards/$api -> 404
  GET $alerts -> 200 7 items
alerts of HyperDX come in pages, and lose what an update leaves out (live)
  GET $alerts?limit=4&offset=9 -> 200 3 items
  GET $alerts/$errorRate -> 200 ?rate
  PUT $alerts/$errorRate $rate -> 200 {"updatedAt":"?then"} & = {"...":"$rate","updatedAt":"$then"}
  GET $alerts/$slowQueries -> 200 ?slow
  PUT $alerts/$slowQueries $slow -> 200 {"updatedAt":"?now"} & = {"...":"$slow","updatedAt":"$now"}
  PUT $alerts/$slowQueries {"...":"$slow","name":"$none","note":"$none"} -> 200 =
    {"...":"$slow","name":null,"note":null,"updatedAt":"$now"}
a tile of HyperDX loses its alerts with its identifier (live)
  GET $boards/$api -> 200 ?before & {"tiles":["?one","?two","?three","?four"]}
  PUT $boards/$api $before -> 200 = $before
  PUT $boards/$api {"name":"API","tiles":["$one",{"...":"$two","id":"$none"},"$three",
    "$four"]} -> 200 {"tiles":["$one",{"id":"!apiErrors"},"$three","$four"]}
  GET $alerts -> 200 11 items
  GET $alerts/$errorRate -> 404
  GET $boards/$foreignDashboard -> 404
ClickHouse Cloud has the pipes of the reference, and further sources (live)
  GET $clickpipes/$clickstream -> 200 {"name":"clickstream","source":{"kafka":{}}}
  GET $clickpipes/$telemetry -> 200 {"source":{"kinesis":{},"kafka":null}}
  GET $clickpipes/$shop -> 200 {"source":{"mysql":{}}}
  GET $clickpipes/$warehouse -> 200 {"source":{"bigquery":{}}}
  GET $staging/clickpipes/$profiles -> 200 {"source":{"mongodb":{}}}
  GET $staging/clickpipes/$invoices -> 200 {"source":{"objectStorage":{}}}
  GET $trial/clickpipes/$events -> 200 {"source":{"pubsub":{}}}
  GET $trial/clickpipes/$crm -> 200 {"source":{"postgres":{}}}
settings and scaling of a pipe have paths of their own (live)
  GET $clickpipes/$archive/settings -> 200 ?before &
    {"clickhouse_max_download_threads":8,"object_storage_concurrency":8}
  PATCH $clickpipes/$archive {"settings":{"clickhouse_max_threads":9},
    "scaling":{"replicas":9}} -> 200
  GET $clickpipes/$archive/settings -> 200 = $before
  PUT $clickpipes/$archive/settings {"clickhouse_max_insert_threads":2} -> 200
  GET $clickpipes/$archive -> 200 ?pipe & = {"...":"$pipe","settings":{"...":"$before",
    "clickhouse_max_insert_threads":2}}
  PATCH $clickpipes/$archive/scaling {"replicas":6} -> 200
  GET $clickpipes/$archive -> 200 {"scaling":{"replicas":6}}
  PUT $trial/clickpipes/$events/settings {"clickhouse_max_threads":2} -> 200
  GET $trial/clickpipes/$events/settings -> 200 = {"clickhouse_max_threads":2}
  GET $clickpipes/$orders/settings -> 404
  GET $pipes/$orders -> 404
  DELETE $clickpipes/$archive -> 200
  GET $clickpipes/$archive -> 404
pipes of ClickHouse Cloud that copy a database pause, and can be started before that (live)
  PATCH $clickpipes/$orders/state {"command":"stop"} -> 200 {"state":"Pausing"}
  PATCH $clickpipes/$orders/state {"command":"start"} -> 200 {"state":"Provisioning"}
  PATCH $clickpipes/$orders/state {"command":"stop"} -> 200
  wait 1000
  GET $clickpipes/$orders -> 200 {"state":"Paused"}
  PATCH $clickpipes/$orders/state {"command":"start"} -> 200 {"state":"Provisioning"}
services of ClickHouse Cloud have tags, while they sleep too (live)
  GET $foreignOrganization/services as second -> 200
    [{},{"state":"idle","tags":[{"key":"owner"},{"key":"environment"}]}]
services of ClickHouse Cloud stop and start by the clock, and their pipes are a 424 until they run (live)
  PATCH $production/state {"command":"stop"} -> 200 {"state":"stopping"}
  GET $clickpipes -> 424
  POST $clickpipes {} -> 424
  DELETE $clickpipes/$clickstream -> 424
  wait 1000
  GET $production -> 200 {"state":"stopped","clickhouseVersion":"26.8"}
  GET $clickpipes -> 424
  PATCH $production/state {"command":"awake"} -> 200 {"state":"awaking"}
  PATCH $production/state {"command":"start"} -> 200 {"state":"awaking"}
  wait 1000
  GET $production -> 200 {"state":"running"}
  GET $clickpipes -> 200
`);

it.each(stories)('%s %j', async (_, options, steps) => {
  await (await startStory(options)).run(steps);
});

it.each([
  ['{}', 200],
  ['{"expireAt":""}', 200],
  ['{"state":"disabled"}', 401],
  ['{"roles":["developer"]}', 403],
  ['{"ipAccessList":[{"source":"127.0.0.0/8"}]}', 200],
  ['{"ipAccessList":[{"source":"10.0.0.0/8"}]}', 403],
])('a key made with %s changes its organization: %i', async (members, status) => {
  const { run } = await startStory();
  const body = JSON.stringify({ name: 'x', roles: ['admin'], ...JSON.parse(members) });
  await run(`POST $keys ${body} -> 200 ${key}
    PATCH $organization as $id:$secret {} -> ${status}`);
});

it.each([
  ['stop', '$pipes', '$clickstream', 'Stopping', 'Stopped'],
  ['stop', '$staging/pipes', '$stagingClickstream', 'Stopping', 'Stopped'],
  ['start', '$trial/pipes', '$crm', 'Provisioning', 'Running'],
  ['start', '$staging/pipes', '$stagingClickstream', 'Provisioning', 'Running'],
  ['resync', '$pipes', '$orders', 'Resync', 'Running'],
])('rule 5: %s of %s/%s goes through %s to %s', async (command, pipes, id, through, to) => {
  const { run } = await startStory();
  await run(`PATCH ${pipes}/${id}/state {"anyName":"${command}"} -> 200 {"state":"${through}"}
    wait 999
    GET ${pipes}/${id} -> 200 {"state":"${through}"}
    wait 1
    GET ${pipes}/${id} -> 200 {"state":"${to}"}`);
  expect(await run(`GET ${pipes} -> 200`)).toContain(`"state":"${to}"`);
});

const withUser = '"credentials":{"username":"canary","password":"canary"}';
const withKey = '"accessKey":{"accessKeyId":"canary","secretKey":"canary"}';

it.each([
  `{"kafka":{"brokers":"b",${withUser},"schemaRegistry":{"url":"r",${withUser}}}}`,
  `{"objectStorage":{"url":"s",${withKey}}}`,
  `{"kinesis":{"streamName":"s",${withKey}}}`,
  `{"postgres":{"host":"h",${withUser}}}`,
])('rule 6: a pipe comes up with defaults, and forgets its secrets: %s', async (source) => {
  const { run } = await startStory();
  const body = `"name":"n","destination":{"roles":["canary"]}`;
  const sampled = source.replace(/}$/, ',"validateSamples":true}');
  const texts = await run(`POST $pipes {${body},"source":${sampled}} -> 200
      {"id":"?id","state":"Provisioning","scaling":{"replicas":1,"replicaMemoryGb":1}}
    PATCH $pipes/$id {"source":${source}} -> 200
    wait 1000
    GET $pipes/$id -> 200 {"state":"Running"}`);
  expect(texts).not.toMatch(/canary|credentials|accessKey|validate|roles/);
});

it.each([
  ['{"type":"time","groupBy":["c","d"]}', '{"displayType":"line","groupBy":"c, d"}'],
  ['{"type":"table","groupBy":[]}', '{"displayType":"table"}'],
  ['{"type":"number"}', '{"displayType":"number"}'],
  ['{"type":"search","fields":["a","b"]}', '{"displayType":"search","select":"a, b"}'],
  ['{"type":"markdown","content":"# A"}', '{"displayType":"markdown","markdown":"# A"}'],
])('HyperDX takes a series %s, and answers it as a config %s', async (series, config) => {
  const { run } = await startStory({ profile: 'live' });
  const whole = series.replace('{', '{"sourceId":"$logs","aggFn":"count","where":"",');
  const body = `{"name":"New","tiles":[{${tile},"series":[${whole}]}]}`;
  expect(await run(`POST $boards ${body} -> 200 {"tiles":[{"config":${config}}]}`)).not.toContain(
    '"series"',
  );
});
