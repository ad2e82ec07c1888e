import type { Wire } from '../operation.ts';
import type { Encryption, TableMapping } from './source-parts.ts';

/** Sources of ClickHouse Cloud that the reference lacks, under the names that the profile gives them. */

type Copying = Wire<{
  replicationMode: string;
  snapshotNumRowsPerPartition: number;
  snapshotNumberOfParallelTables: number;
}>;

type CopyingTables = Copying &
  Wire<{ allowNullableColumns: boolean; initialLoadParallelism: number }>;

type Following = Wire<{
  syncIntervalSeconds: number;
  pullBatchSize: number;
  deleteOnMerge: boolean;
}>;

type InService = Omit<TableMapping, 'sourceSchemaName' | 'partitionKey' | 'partitionByExpr'>;

export type CloudSourceRecord = Wire<{
  mySql: Wire<{
    type: string;
    host: string;
    port: number;
    authentication: string;
    iamRole: string;
    serverId: number;
    settings: CopyingTables &
      Following &
      Wire<{ replicationMechanism: string; useCompression: boolean }>;
    tableMappings: readonly TableMapping[];
  }> &
    Encryption;
  bigQuery: Wire<{
    snapshotStagingPath: string;
    projectId: string;
    authentication: string;
    settings: CopyingTables;
    tableMappings: readonly (InService & Wire<{ sourceDatasetName: string }>)[];
  }>;
  mongoDb: Wire<{
    uri: string;
    readPreference: string;
    settings: Copying & Following & Wire<{ useJsonNativeFormat: boolean }>;
    tableMappings: readonly Wire<{
      sourceDatabaseName: string;
      sourceCollection: string;
      targetTable: string;
      tableEngine: string;
    }>[];
  }> &
    Encryption;
  pubSub: Wire<{
    projectId: string;
    topic: string;
    format: string;
    authentication: string;
    seekType: string;
    seekAt: string;
    filter: string;
    enableOrdering: boolean;
    ackDeadline: number;
  }>;
}>;
