import * as reference from '../../management/pipe-shapes.ts';
import {
  both,
  broken,
  flag,
  integerBetween,
  list,
  object,
  oneOf,
  type Reader,
  text,
} from '../../rules.ts';
import {
  bigquery,
  googleAuthentication,
  mongodb,
  mongodbChange,
  mysql,
  mysqlChange,
  postgres,
  postgresMapping,
  secret,
  serviceAccount,
  tls,
  withKey,
} from './database-shapes.ts';

/** How a Kafka source logs in. */
export const kafkaAuthentication = oneOf(
  'PLAIN',
  'SCRAM-SHA-256',
  'SCRAM-SHA-512',
  'IAM_ROLE',
  'IAM_USER',
  'MUTUAL_TLS',
  'SERVICE_ACCOUNT_WORKLOAD_IDENTITY',
);

/** How a source of files logs in; absent for a public one. */
export const storageAuthentication = oneOf(
  'IAM_ROLE',
  'IAM_USER',
  'CONNECTION_STRING',
  'SERVICE_ACCOUNT',
  'SERVICE_ACCOUNT_WORKLOAD_IDENTITY',
);

/** How a Kinesis source logs in. */
export const kinesisAuthentication = oneOf('IAM_ROLE', 'IAM_USER');

const kafka = both(
  reference.kafka,
  object(
    {
      type: oneOf(
        'kafka',
        'redpanda',
        'msk',
        'gcmk',
        'confluent',
        'warpstream',
        'azureeventhub',
        'dokafka',
      ),
      format: oneOf('JSONEachRow', 'Avro', 'AvroConfluent', 'Protobuf'),
      authentication: kafkaAuthentication,
    },
    {
      exactlyOnce: flag,
      offset: object(
        { strategy: oneOf('from_beginning', 'from_latest', 'from_timestamp') },
        { timestamp: text },
      ),
      schemaRegistry: object(
        { authentication: oneOf('PLAIN') },
        { url: text, caCertificate: text },
        { credentials: secret },
      ),
    },
    { protobufSchema: text },
  ),
);

const objectStorage = both(
  reference.objectStorage,
  object(
    {
      type: oneOf('s3', 'gcs', 'dospaces', 'azureblobstorage', 'cloudflarer2', 'ovhobjectstorage'),
      format: oneOf(
        'JSONEachRow',
        'JSONAsObject',
        'CSV',
        'CSVWithNames',
        'TabSeparated',
        'TabSeparatedWithNames',
        'Parquet',
        'Avro',
      ),
    },
    {
      authentication: storageAuthentication,
      compression: oneOf('none', 'gzip', 'gz', 'brotli', 'br', 'xz', 'LZMA', 'zstd', 'auto'),
      skipInitialLoad: flag,
      startAfter: text,
    },
    { serviceAccountKey: text },
  ),
);

const kinesis = both(
  reference.kinesis,
  object(
    {
      format: oneOf('JSONEachRow', 'Avro', 'AvroConfluent'),
      iteratorType: oneOf('TRIM_HORIZON', 'LATEST', 'AT_TIMESTAMP'),
      authentication: kinesisAuthentication,
    },
    {},
  ),
);

const ackDeadline = integerBetween(10, 600);

const filter: Reader<string> = (value, at) => {
  if (text(value, at).length > 256) throw broken(at, 'must have at most 256 characters');
  return text(value, at);
};

const pubsub = withKey(
  'serviceAccountKey',
  object(
    {
      format: oneOf('JSONEachRow', 'Avro', 'Protobuf'),
      projectId: text,
      topic: text,
      authentication: googleAuthentication,
      seekType: oneOf('latest', 'earliest', 'timestamp'),
    },
    { seekTimestamp: text, filter, enableOrdering: flag, ackDeadline },
    { serviceAccountKey: serviceAccount },
  ),
);

/** The eight kinds of source; each pipe has one. */
export const sources = {
  kafka,
  objectStorage,
  kinesis,
  postgres,
  mysql,
  bigquery,
  mongodb,
  pubsub,
};

/** The changes for each kind of source that can be changed here. */
export const sourceChanges = {
  kafka: both(reference.sourceChanges.kafka, object({}, { authentication: kafkaAuthentication })),
  objectStorage: both(
    reference.sourceChanges.objectStorage,
    object(
      {},
      { authentication: storageAuthentication, skipInitialLoad: flag, startAfter: text },
      { serviceAccountKey: text },
    ),
  ),
  kinesis: both(
    reference.sourceChanges.kinesis,
    object({}, { authentication: kinesisAuthentication }),
  ),
  postgres: both(
    reference.sourceChanges.postgres,
    object({}, { ...tls, tableMappingsToAdd: list(postgresMapping) }),
  ),
  mysql: mysqlChange,
  mongodb: mongodbChange,
  pubsub: object(
    { authentication: googleAuthentication },
    { ackDeadline },
    { serviceAccountKey: serviceAccount },
  ),
};
