/** The texts of the four operations. */

export const q1 = /* GraphQL */ `
query Q1($organizationId: ID!, $serviceId: ID!) {
  service(organizationId: $organizationId, serviceId: $serviceId) {
    name
    engineVersion
    numReplicas
    createdAt
  }
}`;

export const q2 = /* GraphQL */ `
query Q2($organizationId: ID!, $serviceId: ID!) {
  service(organizationId: $organizationId, serviceId: $serviceId) {
    id
    name
    engineVersion
    numReplicas
    idleScaling
    createdAt
    endpoints { protocol host port username }
    backupConfiguration {
      backupPeriodInHours
      backupRetentionPeriodInHours
      backupStartTime
    }
    pipes {
      id
      name
      state
      scaling { replicas concurrency replicaCpuMillicores replicaMemoryGb }
      source {
        __typename
        ... on KafkaSource {
          brokers
          topics
          consumerGroup
          iamRole
          offset { timestamp }
          schemaRegistry { url }
          reversePrivateEndpointIds
        }
        ... on ObjectStorageSource { url delimiter compression isContinuous queueUrl iamRole path }
        ... on KinesisSource { streamName region useEnhancedFanOut timestamp iamRole }
        ... on PostgresSource {
          host
          port
          database
          settings { syncIntervalSeconds pullBatchSize publicationName allowNullableColumns }
          tableMappings { sourceSchemaName sourceTable targetTable excludedColumns }
        }
      }
      destination {
        database
        table
        managedTable
        tableDefinition {
          engine { versionColumnId columnIds }
          sortingKey
          partitionBy
          primaryKey
        }
        columns { name type }
      }
      fieldMappings { sourceField destinationField }
      settings {
        streamingMaxInsertWaitMs
        objectStorageConcurrency
        objectStoragePollingIntervalMs
        objectStorageMaxInsertBytes
        objectStorageMaxFileCount
        objectStorageUseClusterFunction
        engineMaxThreads
        engineMaxInsertThreads
        engineMinInsertBlockSizeBytes
        engineMaxDownloadThreads
        engineParallelDistributedInsertSelect
        engineParallelViewProcessing
      }
      createdAt
      updatedAt
    }
  }
  organization(id: $organizationId) {
    invitations { id email createdAt expireAt }
  }
}`;

export const q3 = /* GraphQL */ `
query Q3 {
  alerts {
    id
    name
    state
    threshold
    interval
    dashboard {
      name
      tiles { name }
    }
  }
}`;

/** Q4 asks for each of ten alerts twice, under aliases `a0` to `a19`. */
export const aliasCount = 20;
export const distinctAlerts = 10;

const indexes = (length: number): readonly number[] => Array.from({ length }, (_, index) => index);

export const q4 = /* GraphQL */ `
query Q4(${indexes(distinctAlerts)
  .map((index) => `$id${index}: ID!`)
  .join(', ')}) {
${indexes(aliasCount)
  .map(
    (index) => `  a${index}: alert(id: $id${index % distinctAlerts}) {
    id
    name
    state
    threshold
    interval
  }`,
  )
  .join('\n')}
}`;
