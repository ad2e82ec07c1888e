import type { Pipe, Source } from '../../management/pipe-shapes.ts';
import type { LivePipe, LiveSource } from '../management/pipe-shapes.ts';

type Of<Kind extends keyof Source> = NonNullable<Source[Kind]>;
type LiveOf<Kind extends keyof LiveSource> = NonNullable<LiveSource[Kind]>;

const kafka = ({ offset, schemaRegistry, ...source }: Of<'kafka'>): LiveOf<'kafka'> => ({
  ...source,
  type: 'kafka',
  format: schemaRegistry ? 'AvroConfluent' : 'JSONEachRow',
  authentication: source.iamRole === undefined ? 'PLAIN' : 'IAM_ROLE',
  exactlyOnce: false,
  offset: offset ? { strategy: 'from_timestamp', ...offset } : { strategy: 'from_latest' },
  ...(schemaRegistry && { schemaRegistry: { ...schemaRegistry, authentication: 'PLAIN' } }),
});

const objectStorage = ({
  compression,
  ...source
}: Of<'objectStorage'>): LiveOf<'objectStorage'> => ({
  ...source,
  type: source.azureContainerName === undefined ? 's3' : 'azureblobstorage',
  format: source.delimiter === undefined ? 'JSONEachRow' : 'CSV',
  compression: compression === 'gzip' ? 'gzip' : 'none',
  skipInitialLoad: false,
  ...(source.iamRole !== undefined && { authentication: 'IAM_ROLE' }),
  ...(source.connectionString !== undefined && { authentication: 'CONNECTION_STRING' }),
});

const kinesis = (source: Of<'kinesis'>): LiveOf<'kinesis'> => ({
  ...source,
  format: 'JSONEachRow',
  iteratorType: source.timestamp === undefined ? 'LATEST' : 'AT_TIMESTAMP',
  authentication: 'IAM_ROLE',
});

const postgres = ({
  settings,
  tableMappings = [],
  ...source
}: Of<'postgres'>): LiveOf<'postgres'> => ({
  ...source,
  type: 'postgres',
  authentication: 'basic',
  disableTls: false,
  skipCertVerification: false,
  settings: { ...settings, replicationMode: 'cdc', deleteOnMerge: false },
  tableMappings: tableMappings.map((mapping) => ({
    ...mapping,
    tableEngine: 'ReplacingMergeTree',
  })),
});

const liveSource = (source: Source): LiveSource => ({
  ...(source.kafka && { kafka: kafka(source.kafka) }),
  ...(source.objectStorage && { objectStorage: objectStorage(source.objectStorage) }),
  ...(source.kinesis && { kinesis: kinesis(source.kinesis) }),
  ...(source.postgres && { postgres: postgres(source.postgres) }),
});

const liveDestination = ({
  tableDefinition,
  ...destination
}: Pipe['destination']): LivePipe['destination'] => {
  if (!tableDefinition) return destination;
  const { engine } = tableDefinition;
  return {
    ...destination,
    tableDefinition: {
      ...tableDefinition,
      engine: engine ? { type: 'ReplacingMergeTree', ...engine } : { type: 'MergeTree' },
    },
  };
};

const liveSettings = (settings: Pipe['settings']): LivePipe['settings'] =>
  Object.fromEntries(
    Object.entries(settings).map(([name, value]) => [
      name.replace(/^engine_/, 'clickhouse_'),
      value,
    ]),
  );

/** A pipe of the documented world in the form of ClickHouse Cloud. */
export const livePipe = ({ source, destination, settings, ...pipe }: Pipe): LivePipe => ({
  ...pipe,
  source: liveSource(source),
  destination: liveDestination(destination),
  settings: liveSettings(settings),
});
