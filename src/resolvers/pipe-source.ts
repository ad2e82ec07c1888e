import type { PipeSourceKind } from '../generated/schema.ts';
import { isObject } from '../is-object.ts';
import type { SourceRecord } from '../upstream/management/source-records.ts';
import type {
  BigQuerySourceMapper,
  KafkaSourceMapper,
  KinesisSourceMapper,
  MongoDbSourceMapper,
  MySqlSourceMapper,
  ObjectStorageSourceMapper,
  PipeMapper,
  PostgresSourceMapper,
  PubSubSourceMapper,
  UnknownSourceMapper,
} from './mappers.ts';

/** The GraphQL types of sources by their wire names, in the order in which a record is searched for them. */
const sourceTypeNames = {
  kafka: 'KafkaSource',
  objectStorage: 'ObjectStorageSource',
  kinesis: 'KinesisSource',
  postgres: 'PostgresSource',
  mySql: 'MySqlSource',
  bigQuery: 'BigQuerySource',
  mongoDb: 'MongoDbSource',
  pubSub: 'PubSubSource',
} as const satisfies Record<PipeSourceKind, string>;

const kinds = Object.keys(sourceTypeNames) as PipeSourceKind[];

type SourceMapper =
  | KafkaSourceMapper
  | ObjectStorageSourceMapper
  | KinesisSourceMapper
  | PostgresSourceMapper
  | MySqlSourceMapper
  | BigQuerySourceMapper
  | MongoDbSourceMapper
  | PubSubSourceMapper
  | UnknownSourceMapper;

/** The kind of a pipe's source; undefined for a kind that the schema does not know. */
export const sourceKind = (source: SourceRecord | null | undefined): PipeSourceKind | undefined => {
  if (!isObject(source)) return undefined;
  for (const kind of kinds) if (isObject(source[kind])) return kind;
  return undefined;
};

/**
 * Converts the wire object, which has one member, to an object of the union's type. Throws an error that is stored in its
 * place.
 */
export const toSource = ({
  source,
  organizationId,
  serviceId,
}: Pick<PipeMapper, 'source' | 'organizationId' | 'serviceId'>): SourceMapper | null => {
  if (source === null || source === undefined) return null;
  if (source instanceof Error) throw source;
  if (!isObject(source)) throw new TypeError('Expected value of type "PipeSource"');
  const kind = sourceKind(source);
  if (kind !== undefined) {
    // The type name follows from the kind, but the compiler cannot follow a lookup through a union.
    const service = { organizationId, serviceId };
    return { ...source[kind], service, __typename: sourceTypeNames[kind] } as SourceMapper;
  }
  const [member] = Object.entries(source).find(([, value]) => isObject(value)) ?? [];
  return { kind: member, __typename: 'UnknownSource' };
};
