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
  PostgresSourceMapper,
  PubSubSourceMapper,
  UnknownSourceMapper,
} from './mappers.ts';

/** The types of sources by their kinds, in the order in which they are looked for. */
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

/** The kind of source that a pipe has, or undefined for one that the schema does not know. */
export const sourceKind = (source: SourceRecord | null | undefined): PipeSourceKind | undefined => {
  if (!isObject(source)) return undefined;
  for (const kind of kinds) if (isObject(source[kind])) return kind;
  return undefined;
};

/** The wire's object of one member → a member of the union. Throws the error that stands in its place. */
export const toSource = (source: SourceRecord | null | undefined): SourceMapper | null => {
  if (source === null || source === undefined) return null;
  if (source instanceof Error) throw source;
  if (!isObject(source)) throw new TypeError('Expected value of type "PipeSource"');
  const kind = sourceKind(source);
  if (kind !== undefined) {
    // The name follows from the kind; the compiler does not follow a lookup through a union.
    return { ...source[kind], __typename: sourceTypeNames[kind] } as SourceMapper;
  }
  const [member] = Object.entries(source).find(([, value]) => isObject(value)) ?? [];
  return { kind: member, __typename: 'UnknownSource' };
};
