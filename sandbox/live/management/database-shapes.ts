import * as reference from '../../management/pipe-shapes.ts';
import { both, flag, integer, list, object, oneOf, text } from '../../rules.ts';

/** A secret only has to be an object, and is then dropped: its form depends on the way to log in. */
export const secret = object({}, {});

/** How a connection to a database is encrypted. */
export const tls = {
  tlsHost: text,
  caCertificate: text,
  disableTls: flag,
  skipCertVerification: flag,
};

const databaseAuthentication = oneOf('basic', 'IAM_ROLE');
const replicationMode = oneOf('cdc', 'snapshot', 'cdc_only');

const engines = {
  tableEngine: oneOf('MergeTree', 'ReplacingMergeTree', 'Null'),
  partitionKey: text,
  partitionByExpr: text,
};

/** A table that a Postgres source copies. */
export const postgresMapping = both(reference.tableMapping, object({}, engines));

/** A Postgres source. */
export const postgres = both(
  reference.postgres,
  object(
    {
      settings: both(
        reference.postgresSettings,
        object({ replicationMode }, { deleteOnMerge: flag }),
      ),
      tableMappings: list(postgresMapping),
    },
    {
      type: oneOf(
        'postgres',
        'supabase',
        'neon',
        'alloydb',
        'planetscale',
        'rdspostgres',
        'aurorapostgres',
        'cloudsqlpostgres',
        'azurepostgres',
        'crunchybridge',
        'tigerdata',
      ),
      authentication: databaseAuthentication,
      iamRole: text,
      ...tls,
    },
  ),
);

const pace = { syncIntervalSeconds: integer, pullBatchSize: integer };

/** A MySQL source. */
export const mysql = object(
  {
    host: text,
    settings: object(
      { replicationMode },
      { ...pace, replicationMechanism: oneOf('GTID', 'FILE_POS'), useCompression: flag },
    ),
    port: integer,
    tableMappings: list(postgresMapping),
  },
  {
    type: oneOf('mysql', 'rdsmysql', 'auroramysql', 'mariadb', 'rdsmariadb'),
    authentication: databaseAuthentication,
    iamRole: text,
    serverId: integer,
    ...tls,
  },
  { credentials: secret },
);

/** A BigQuery source. */
export const bigquery = object(
  {
    snapshotStagingPath: text,
    settings: object({ replicationMode }, {}),
    tableMappings: list(
      object(
        { sourceDatasetName: text, sourceTable: text, targetTable: text },
        {
          excludedColumns: list(text),
          useCustomSortingKey: flag,
          sortingKeys: list(text),
          ...engines,
        },
      ),
    ),
  },
  {},
  { credentials: object({ serviceAccountFile: text }, {}) },
);

/** A MongoDB source. */
export const mongodb = object(
  {
    uri: text,
    readPreference: oneOf(
      'primary',
      'primaryPreferred',
      'secondary',
      'secondaryPreferred',
      'nearest',
    ),
    settings: object({ replicationMode }, { ...pace, useJsonNativeFormat: flag }),
    tableMappings: list(
      object(
        { sourceDatabaseName: text, sourceCollection: text, targetTable: text },
        { tableEngine: engines.tableEngine },
      ),
    ),
  },
  tls,
  { credentials: secret },
);
