import { type Members, recordOf } from './record.ts';

/** Records as ClickHouse Cloud documents them, with every documented member, each with a different value. */

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const apiKeyId = '4e1f0000-0000-4000-8000-000000000001';
export const ids = { organizationId, serviceId, pipeId };

const organizationPath = `/v1/organizations/${organizationId}`;
const servicePath = `${organizationPath}/services/${serviceId}`;
const pipesPath = `${servicePath}/clickpipes`;
export const paths = {
  organization: organizationPath,
  service: servicePath,
  pipes: pipesPath,
  pipe: `${pipesPath}/${pipeId}`,
  apiKey: `${organizationPath}/keys/${apiKeyId}`,
};

const assignedRoles = 'assignedRoles[roleId roleName roleType]';
const ipAccessList = 'ipAccessList[source description]';

export const records = {
  organization: recordOf(`id=${organizationId} createdAt name enableCoreDumps?
    privateEndpoints[id description cloudProvider region]
    byocConfig[id state accountName regionId cloudProvider displayName]`),
  invitation: recordOf(`id role email createdAt expireAt ${assignedRoles}`),
  apiKey: recordOf(`id=${apiKeyId} name state keySuffix createdAt expireAt usedAt ${assignedRoles}
    roles=["admin","developer","query_endpoints"] ${ipAccessList}`),
  service:
    recordOf(`id=${serviceId} name provider region state clickhouseVersion tier autoscalingMode
    createdAt encryptionKey encryptionAssumedRoleIdentifier iamRole dataWarehouseId releaseChannel
    byocId profile transparentDataEncryptionKeyId encryptionRoleId complianceType minTotalMemoryGb#
    maxTotalMemoryGb# minReplicaMemoryGb# maxReplicaMemoryGb# numReplicas# replicaMemoryGb#
    minReplicas# maxReplicas# idleTimeoutMinutes# idleScaling=true isPrimary=false isReadonly=true
    hasTransparentDataEncryption=false enableCoreDumps=false tags[key value] ${ipAccessList}
    endpoints[protocol host port=9440 username=null] privateEndpointIds=["vpce-1"]
    availablePrivateEndpointIds=["vpce-1","vpce-2"] currentScaling{effectiveNumReplicas=3}
    scalingSchedule{entries[id] baseConfig{numReplicas=3} activeEntryId}`),
  backupConfiguration: recordOf(
    'backupPeriodInHours=24 backupRetentionPeriodInHours=null backupStartTime=02:00',
  ),
};

const copying = `initialLoadParallelism# replicationMode snapshotNumRowsPerPartition=5000000000
  snapshotNumberOfParallelTables=12`;
const tls = 'tlsHost caCertificate disableTls=true skipCertVerification=false';
const columns = 'excludedColumns=["note"] useCustomSortingKey=true sortingKeys=["id","day"]';
const mapping = `sourceSchemaName sourceTable targetTable tableEngine partitionKey ${columns}`;

/** The content of `source` in a pipe, for each kind of source. */
export const sources = {
  kafka: recordOf(`type format brokers topics consumerGroup authentication iamRole caCertificate
    offset{strategy timestamp} schemaRegistry{url authentication caCertificate} exactlyOnce=true
    reversePrivateEndpointIds=["rpe-1","rpe-2"]`),
  objectStorage: recordOf(`type format url delimiter compression queueUrl startAfter authentication
    iamRole connectionString path azureContainerName isContinuous=true skipInitialLoad=false`),
  kinesis: recordOf(`format streamName region iteratorType authentication iamRole
    useEnhancedFanOut=false timestamp=4102444800`),
  postgres: recordOf(`type host database authentication iamRole port=5432 ${tls}
    settings{${copying} syncIntervalSeconds# pullBatchSize# allowNullableColumns=true
      deleteOnMerge=false publicationName replicationSlotName enableFailoverSlots=false}
    tableMappings[${mapping} partitionByExpr=toYYYYMM(day)]`),
  mysql: recordOf(`type host authentication iamRole port=3306 serverId=4000000001 ${tls}
    tableMappings[${mapping}] settings{${copying} syncIntervalSeconds# pullBatchSize#
      allowNullableColumns=true deleteOnMerge=false replicationMechanism useCompression=true}`),
  bigquery: recordOf(`snapshotStagingPath=gs://bucket/staging
    settings{${copying} allowNullableColumns=true}
    tableMappings[sourceDatasetName sourceTable targetTable tableEngine ${columns}]`),
  mongodb: recordOf(`uri readPreference ${tls} settings{snapshotNumRowsPerPartition=5000000000
      snapshotNumberOfParallelTables=12 syncIntervalSeconds# pullBatchSize# deleteOnMerge=false
      replicationMode useJsonNativeFormat=false}
    tableMappings[sourceDatabaseName sourceCollection targetTable tableEngine]`),
  pubsub: recordOf(`format projectId topic authentication seekType seekTimestamp filter
    enableOrdering=true ackDeadline=60`),
};

export type Kind = keyof typeof sources;
export const kinds = Object.keys(sources) as readonly Kind[];

export const common = recordOf(`name="clicks → warehouse"
  scaling{replicas=2 concurrency=1 replicaCpuMillicores=125 replicaMemoryGb=0.5}
  destination{database table managedTable=true columns[name=id type=UInt64]
    tableDefinition{engine{type versionColumnId columnIds=["a","b"]} partitionBy primaryKey
      sortingKey=["id"]}}
  fieldMappings[sourceField=$.id destinationField=id]`);

/** A pipe of each kind: `source` has a member for every kind, and the members of other kinds are null. */
export const pipe = (kind: Kind): Members => ({
  ...recordOf(`id=${pipeId} serviceId=${serviceId} state=Running createdAt updatedAt
    settings{streaming_max_insert_wait_ms# object_storage_concurrency# clickhouse_max_threads#
      object_storage_polling_interval_ms# object_storage_max_file_count#
      clickhouse_max_insert_threads# clickhouse_max_download_threads#
      clickhouse_parallel_distributed_insert_select# clickhouse_parallel_view_processing=false
      object_storage_max_insert_bytes=53687091200 object_storage_use_cluster_function=true
      clickhouse_min_insert_block_size_bytes=10737418240}`),
  ...common,
  source: { ...Object.fromEntries(kinds.map((each) => [each, null])), [kind]: sources[kind] },
});
