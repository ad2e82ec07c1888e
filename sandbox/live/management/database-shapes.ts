import * as reference from '../../management/pipe-shapes.ts';
import {
  anything,
  both,
  broken,
  decimal,
  flag,
  integerBetween,
  list,
  object,
  oneOf,
  type Reader,
  text,
} from '../../rules.ts';

/** A secret only has to be an object, and is then dropped: its form depends on the way to log in. */
export const secret = object({}, {});

/** How a connection to a database is encrypted. */
export const tls = {
  tlsHost: text,
  caCertificate: text,
  disableTls: flag,
  skipCertVerification: flag,
};

/** How a source in Google Cloud logs in. */
export const googleAuthentication = oneOf('SERVICE_ACCOUNT', 'SERVICE_ACCOUNT_WORKLOAD_IDENTITY');

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

const pace = {
  syncIntervalSeconds: integerBetween(1, Infinity),
  pullBatchSize: integerBetween(1, Infinity),
};

const copying = {
  snapshotNumRowsPerPartition: integerBetween(1000, Infinity),
  snapshotNumberOfParallelTables: integerBetween(1, Infinity),
};

const login = { username: text, password: text };

const mysqlNames = { sourceSchemaName: text, sourceTable: text, targetTable: text };

const mysqlMapping = object(mysqlNames, {
  excludedColumns: list(text),
  useCustomSortingKey: flag,
  sortingKeys: list(text),
  ...engines,
});

const mysqlAddress = { host: text, port: integerBetween(1, 65_535) };

const mysqlAccess = {
  authentication: databaseAuthentication,
  iamRole: text,
  serverId: integerBetween(1, 4_294_967_295),
  ...tls,
};

/** A MySQL source. */
export const mysql = object(
  {
    ...mysqlAddress,
    settings: object(
      { replicationMode },
      {
        ...pace,
        ...copying,
        replicationMechanism: oneOf('GTID', 'FILE_POS'),
        useCompression: flag,
        allowNullableColumns: flag,
        initialLoadParallelism: integerBetween(1, Infinity),
        deleteOnMerge: flag,
      },
    ),
    tableMappings: list(mysqlMapping),
  },
  { type: oneOf('mysql', 'rdsmysql', 'auroramysql', 'mariadb', 'rdsmariadb'), ...mysqlAccess },
  { credentials: object({}, login) },
);

/** The changes for a MySQL source. */
export const mysqlChange = object(
  mysqlAddress,
  {
    ...mysqlAccess,
    settings: object({}, { ...pace, useCompression: flag }),
    tableMappingsToAdd: list(mysqlMapping),
    tableMappingsToRemove: list(object(mysqlNames, {})),
  },
  { credentials: object({}, login) },
);

/** The key of a service account of Google Cloud. */
export const serviceAccount = object({ serviceAccountFile: text }, {});

/** Reads a source that needs the key of its service account, unless it logs in without one. */
export const withKey =
  <T extends { readonly authentication?: string }>(key: string, source: Reader<T>): Reader<T> =>
  (value, at) => {
    const read = source(value, at);
    const isGiven = object({}, { [key]: anything })(value, at)[key] !== undefined;
    if (isGiven === (read.authentication !== 'SERVICE_ACCOUNT_WORKLOAD_IDENTITY')) return read;
    throw broken(`${at}.${key}`, isGiven ? 'must not be given' : 'is required for SERVICE_ACCOUNT');
  };

const keyedBigquery = object(
  {
    snapshotStagingPath: text,
    settings: object(
      { replicationMode: oneOf('snapshot') },
      {
        allowNullableColumns: flag,
        initialLoadParallelism: decimal,
        snapshotNumRowsPerPartition: decimal,
        snapshotNumberOfParallelTables: decimal,
      },
    ),
    tableMappings: list(
      object(
        { sourceDatasetName: text, sourceTable: text, targetTable: text },
        {
          excludedColumns: list(text),
          useCustomSortingKey: flag,
          sortingKeys: list(text),
          tableEngine: engines.tableEngine,
        },
      ),
    ),
  },
  { authentication: googleAuthentication, projectId: text },
  { credentials: serviceAccount },
);

const projectOf = object({ projectId: text }, {});

/** A BigQuery source. */
export const bigquery: typeof keyedBigquery = (value, at) => {
  const source = withKey('credentials', keyedBigquery)(value, at);
  if (source.authentication === 'SERVICE_ACCOUNT_WORKLOAD_IDENTITY') projectOf(value, at);
  return { authentication: 'SERVICE_ACCOUNT', ...source };
};

const mongoNames = { sourceDatabaseName: text, sourceCollection: text, targetTable: text };

const mongoMapping = object(mongoNames, { tableEngine: engines.tableEngine });

/** An address, without the user name and password in it. */
const redacted: Reader<string> = (value, at) =>
  text(value, at).replace(/:\/\/.*@/s, '://[REDACTED]:[REDACTED]@');

const mongoAddress = {
  uri: redacted,
  readPreference: oneOf(
    'primary',
    'primaryPreferred',
    'secondary',
    'secondaryPreferred',
    'nearest',
  ),
};

/** A MongoDB source. */
export const mongodb = object(
  {
    ...mongoAddress,
    settings: object(
      { replicationMode },
      { ...pace, ...copying, deleteOnMerge: flag, useJsonNativeFormat: flag },
    ),
    tableMappings: list(mongoMapping),
  },
  tls,
  { credentials: object({}, login) },
);

/** The changes for a MongoDB source. */
export const mongodbChange = object(
  mongoAddress,
  {
    ...tls,
    settings: object({}, pace),
    tableMappingsToAdd: list(mongoMapping),
    tableMappingsToRemove: list(object(mongoNames, {})),
  },
  { credentials: object({}, login) },
);
