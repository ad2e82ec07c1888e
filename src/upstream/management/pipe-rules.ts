import type { Problem } from '../error.ts';
import { filled } from '../filled.ts';
import type { CreatePipeRequest, KafkaCredentials, UpdatePipeRequest } from './requests.ts';

/** The rules for pipes that can be checked on a request alone. */

const sourceKinds = ['kafka', 'objectStorage', 'kinesis', 'postgres'] as const;

const oneSource = ({ source }: CreatePipeRequest): Problem[] =>
  sourceKinds.filter((kind) => source?.[kind]).length === 1
    ? []
    : [
        {
          field: ['source'],
          message: `source must be exactly one of ${sourceKinds.join(', ')}, got none.`,
        },
      ];

/** The most names that a message lists. */
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

/** Beyond the reference there are more kinds of credentials for Kafka; a source takes only one kind. */
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

/** Rule 6: a new pipe has one source, and its field mappings cover every column of its destination. */
export const createPipeRule = (body: CreatePipeRequest): Problem[] => [
  ...oneSource(body),
  ...oneLogin(body),
  ...allColumnsMapped(body),
];

/** The rule of ClickHouse Cloud: pipes that copy a database have table mappings instead of field mappings. */
export const cloudCreatePipeRule = (body: CreatePipeRequest): Problem[] => [
  ...oneSource(body),
  ...oneLogin(body),
  ...(body.source?.postgres ? [] : allColumnsMapped(body)),
];

export const updatePipeRule = filled<UpdatePipeRequest>(
  ['host', 'port', 'database'].map((name) => `source.postgres.${name}`),
  oneLogin,
);

/** The rule of ClickHouse Cloud, where settings are changed one by one. */
export const cloudUpdatePipeRule = (body: UpdatePipeRequest): Problem[] => [
  ...updatePipeRule(body),
  ...(body.settings === null
    ? [
        {
          field: ['settings'],
          message: 'settings must be an object, got null. To reset a setting, give it as null.',
        },
      ]
    : []),
];
