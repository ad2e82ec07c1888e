import type { Problem } from '../../error.ts';
import { filled } from '../../filled.ts';
import { type FurtherMembers, patch, post, type Wire } from '../../operation.ts';
import { cloudProfiles, inService } from '../row-parts.ts';
import type { Encryption, TableMapping } from '../source-parts.ts';
import type { SourceRecord } from '../source-records.ts';
import type { FieldMapping, PipeDestinationRecord, PipeRecord, PipeWithIds } from './pipe.ts';
import type { PipeSettingsRecord } from './pipe-settings.ts';

type UsernamePassword = Wire<{ username: string; password: string }>;

type AccessKey = Wire<{ accessKeyId: string; secretKey: string }>;

/** A source takes one kind of credentials. The documented interface has only the first kind. */
export type KafkaCredentials = UsernamePassword &
  AccessKey &
  Wire<{ connectionString: string; certificate: string; privateKey: string }>;

/** Not in the documented interface. */
type ServiceAccount = Wire<{ serviceAccountKey: string }>;

type Sources = Required<{ [Kind in keyof SourceRecord]: NonNullable<SourceRecord[Kind]> }>;

/** Documented rule 6. Answers never contain the credentials. */
type CreatePipeRequest = Wire<{
  name: string;
  source: Wire<{
    kafka: Omit<Sources['kafka'], 'schemaRegistry'> &
      Wire<{
        schemaRegistry: Sources['kafka']['schemaRegistry'] &
          Wire<{ credentials: UsernamePassword }>;
        credentials: KafkaCredentials;
        // beyond the reference
        protobufSchema: string;
      }>;
    objectStorage: Sources['objectStorage'] & Wire<{ accessKey: AccessKey }> & ServiceAccount;
    kinesis: Sources['kinesis'] & Wire<{ accessKey: AccessKey }>;
    postgres: Sources['postgres'] & Wire<{ credentials: UsernamePassword }>;
    mySql: Sources['mySql'] & Wire<{ credentials: UsernamePassword }>;
    bigQuery: Sources['bigQuery'] & ServiceAccount;
    mongoDb: Sources['mongoDb'] & Wire<{ credentials: UsernamePassword }>;
    pubSub: Sources['pubSub'] & ServiceAccount;
    validateSamples: boolean;
  }>;
  destination: PipeDestinationRecord & Wire<{ roles: readonly string[] }>;
  fieldMappings: readonly FieldMapping[];
  scaling: PipeRecord['scaling'];
  settings: PipeSettingsRecord;
}>;

/** Documented rule 7. */
type UpdatePipeRequest = Wire<{
  name: string;
  source: Wire<{
    kafka: Pick<
      Sources['kafka'],
      'iamRole' | 'caCertificate' | 'reversePrivateEndpointIds' | 'authentication'
    > &
      Wire<{ credentials: KafkaCredentials }>;
    objectStorage: Pick<
      Sources['objectStorage'],
      | 'iamRole'
      | 'connectionString'
      | 'path'
      | 'azureContainerName'
      | 'authentication'
      | 'skipInitialLoad'
      | 'startAfter'
    > &
      Wire<{ accessKey: AccessKey }> &
      ServiceAccount;
    kinesis: Pick<Sources['kinesis'], 'iamRole' | 'authentication'> &
      Wire<{ accessKey: AccessKey }>;
    postgres: Pick<Sources['postgres'], 'host' | 'port' | 'database'> &
      Encryption &
      Wire<{
        credentials: UsernamePassword;
        settings: Wire<{ syncIntervalSeconds: number; pullBatchSize: number }>;
        tableMappingsToAdd: readonly TableMapping[];
        tableMappingsToRemove: readonly Pick<
          TableMapping,
          'sourceSchemaName' | 'sourceTable' | 'targetTable'
        >[];
      }>;
    mySql: Pick<Sources['mySql'], 'host' | 'port' | 'authentication' | 'iamRole' | 'serverId'> &
      Encryption &
      Wire<{
        credentials: UsernamePassword;
        settings: Wire<{
          syncIntervalSeconds: number;
          pullBatchSize: number;
          useCompression: boolean;
        }>;
        tableMappingsToAdd: readonly TableMapping[];
        tableMappingsToRemove: readonly Pick<
          TableMapping,
          'sourceSchemaName' | 'sourceTable' | 'targetTable'
        >[];
      }>;
    mongoDb: Pick<Sources['mongoDb'], 'uri' | 'readPreference'> &
      Encryption &
      Wire<{
        credentials: UsernamePassword;
        settings: Wire<{ syncIntervalSeconds: number; pullBatchSize: number }>;
        tableMappingsToAdd: Sources['mongoDb']['tableMappings'];
        tableMappingsToRemove: Sources['mongoDb']['tableMappings'];
      }>;
    pubSub: Pick<Sources['pubSub'], 'authentication' | 'ackDeadline'> & ServiceAccount;
    validateSamples: boolean;
  }>;
  destination: Pick<PipeDestinationRecord, 'columns'>;
  fieldMappings: readonly FieldMapping[];
  settings: PipeSettingsRecord;
}>;

const cloudKinds = ['mySql', 'bigQuery', 'mongoDb', 'pubSub'] as const;

/** A source of a kind that only ClickHouse Cloud has. */
const cloudSource: FurtherMembers<{ readonly source?: object | null | undefined }> = {
  onlyIn: cloudProfiles,
  namesIn: ({ source }) =>
    Object.keys(source ?? {})
      .filter((name) => cloudKinds.some((kind) => kind === name))
      .map((kind) => `source.${kind}`),
};

/** The maximum number of names in a message. */
const maxNames = 20;

const allColumnsMapped = ({ destination, fieldMappings }: CreatePipeRequest): Problem[] => {
  const mapped = new Set(fieldMappings?.map((mapping) => mapping.destinationField));
  const missing = (destination?.columns ?? [])
    .map((column) => column.name)
    .filter((name) => typeof name === 'string' && !mapped.has(name));
  if (missing.length === 0) return [];
  const shown = missing.slice(0, maxNames).map((name) => JSON.stringify(name?.slice(0, 64)));
  const names = shown.join(', ') + (missing.length > maxNames ? ' and others' : '');
  return [
    {
      field: ['fieldMappings'],
      message: `fieldMappings must include every destination column, and lacks ${names}.`,
    },
  ];
};

/** The members of each kind of credentials for Kafka. */
const kafkaCredentials: readonly (readonly (keyof KafkaCredentials)[])[] = [
  ['username', 'password'],
  ['accessKeyId', 'secretKey'],
  ['connectionString'],
  ['certificate', 'privateKey'],
];

/** ClickHouse Cloud has several kinds of credentials for Kafka; a source takes only one kind. */
const oneLogin = ({ source }: CreatePipeRequest | UpdatePipeRequest): Problem[] => {
  const { credentials } = source?.kafka ?? {};
  const given = kafkaCredentials.filter((names) =>
    names.some((name) => credentials?.[name] !== undefined),
  );
  return given.length <= 1
    ? []
    : [
        {
          field: ['source', 'kafka'],
          message:
            'kafka must have at most one of credentials, accessKey, connectionString and clientCertificate, got more.',
        },
      ];
};

/** Documented rule 6: a new pipe has one source, and its field mappings cover every column of its destination. */
const createPipeRule = (body: CreatePipeRequest): Problem[] => [
  ...oneLogin(body),
  ...allColumnsMapped(body),
];

const copyingKinds = ['postgres', 'mySql', 'bigQuery', 'mongoDb'] as const;

/** A DateTime may be an empty string, which is no moment. */
const seekRule = ({ source }: CreatePipeRequest): Problem[] =>
  source?.pubSub?.seekAt === ''
    ? [
        {
          field: ['source', 'pubSub', 'seekAt'],
          message: 'source.pubSub.seekAt must be an ISO 8601 date-time, or null, got "".',
        },
      ]
    : [];

/** MongoDB has no other addresses, and a login in another text would not be known as a secret. */
const uriRule = ({ source }: CreatePipeRequest | UpdatePipeRequest): Problem[] => {
  const { uri } = source?.mongoDb ?? {};
  return typeof uri !== 'string' || /^\s*mongodb(?:\+srv)?:\/\//i.test(uri)
    ? []
    : [
        {
          field: ['source', 'mongoDb', 'uri'],
          message:
            'source.mongoDb.uri must begin with mongodb:// or mongodb+srv://, got another text.',
        },
      ];
};

/** The rule of ClickHouse Cloud: pipes that copy a database have table mappings instead of field mappings. */
export const cloudCreatePipeRule = (body: CreatePipeRequest): Problem[] => [
  ...oneLogin(body),
  ...seekRule(body),
  ...uriRule(body),
  ...(copyingKinds.some((kind) => body.source?.[kind]) ? [] : allColumnsMapped(body)),
];

const updatePipeRule = filled<UpdatePipeRequest>(
  ['host', 'port', 'database'].map((name) => `source.postgres.${name}`),
  oneLogin,
);

/** The rule of ClickHouse Cloud, where settings are changed one by one. */
export const cloudUpdatePipeRule = (body: UpdatePipeRequest): Problem[] => [
  ...updatePipeRule(body),
  ...uriRule(body),
  ...(body.settings === null
    ? [
        {
          field: ['settings'],
          message: 'settings must be an object, got null. To reset a setting, give it as null.',
        },
      ]
    : []),
];

export const rows = {
  /** Documented rule 6. */
  createPipe: post('/v1/organizations/{organizationId}/services/{serviceId}/pipes', {
    permission: 'control-plane:service:manage-clickpipes',
    changes: ['listPipes', 'listActivities'],
  })
    .body<CreatePipeRequest>({ rule: createPipeRule, further: cloudSource })
    .one<PipeWithIds>(inService),

  /** Documented rule 7. */
  updatePipe: patch('/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}', {
    permission: 'control-plane:service:manage-clickpipes',
    changes: ['getPipe', 'listPipes', 'listActivities'],
  })
    .body<UpdatePipeRequest>({ rule: updatePipeRule, further: cloudSource })
    .oneOrNone<PipeWithIds>(inService),
};
