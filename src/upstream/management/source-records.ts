import type { Wire } from '../operation.ts';
import type { CloudSourceRecord } from './cloud-source-records.ts';
import type { Encryption, TableMapping } from './source-parts.ts';

/** Wire shapes of a pipe's source, with the members that only ClickHouse Cloud has. */

export type SourceRecord = Wire<{
  kafka: Wire<{
    brokers: string;
    topics: string;
    consumerGroup: string;
    iamRole: string;
    offset: Wire<{
      timestamp: string;
      // beyond the reference
      strategy: string;
    }>;
    schemaRegistry: Wire<{
      url: string;
      caCertificate: string;
      // beyond the reference
      authentication: string;
    }>;
    caCertificate: string;
    reversePrivateEndpointIds: readonly string[];
    // beyond the reference
    type: string;
    format: string;
    authentication: string;
    exactlyOnce: boolean;
  }>;
  objectStorage: Wire<{
    url: string;
    delimiter: string;
    compression: string;
    isContinuous: boolean;
    queueUrl: string;
    iamRole: string;
    connectionString: string;
    path: string;
    azureContainerName: string;
    // beyond the reference
    type: string;
    format: string;
    authentication: string;
    skipInitialLoad: boolean;
    startAfter: string;
  }>;
  kinesis: Wire<{
    streamName: string;
    region: string;
    useEnhancedFanOut: boolean;
    timestamp: number;
    iamRole: string;
    // beyond the reference
    format: string;
    iteratorType: string;
    authentication: string;
  }>;
  postgres: Wire<{
    host: string;
    port: number;
    database: string;
    settings: Wire<{
      syncIntervalSeconds: number;
      pullBatchSize: number;
      publicationName: string;
      replicationSlotName: string;
      allowNullableColumns: boolean;
      initialLoadParallelism: number;
      snapshotNumRowsPerPartition: number;
      snapshotNumberOfParallelTables: number;
      enableFailoverSlots: boolean;
      // beyond the reference
      replicationMode: string;
      deleteOnMerge: boolean;
    }>;
    tableMappings: readonly TableMapping[];
    // beyond the reference
    type: string;
    authentication: string;
    iamRole: string;
  }> &
    Encryption;
}> &
  CloudSourceRecord;
