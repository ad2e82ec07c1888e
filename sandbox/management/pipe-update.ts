import { broken } from '../rules.ts';
import type { Pipe, PipeChange, Source, TableMapping } from './pipe-shapes.ts';

type SourceChange = NonNullable<PipeChange['source']>;
type PostgresChange = NonNullable<SourceChange['postgres']>;
type Postgres = NonNullable<Source['postgres']>;

const own = <T>(source: T | undefined, kind: string): T => {
  if (source === undefined) throw broken(`source.${kind}`, 'does not fit the source of this pipe');
  return source;
};

type TableName = Pick<TableMapping, 'sourceSchemaName' | 'sourceTable' | 'targetTable'>;

const isNamed = (mapping: TableMapping, name: TableName): boolean =>
  mapping.sourceSchemaName === name.sourceSchemaName &&
  mapping.sourceTable === name.sourceTable &&
  mapping.targetTable === name.targetTable;

const updatedPostgres = (postgres: Postgres, change: PostgresChange): Postgres => {
  const {
    tableMappingsToAdd: add = [],
    tableMappingsToRemove: remove = [],
    settings,
    ...rest
  } = change;
  // A mapping that is added again replaces the old one, even if the same request removes it.
  const gone: readonly TableName[] = [...remove, ...add];
  const kept = (postgres.tableMappings ?? []).filter(
    (old) => !gone.some((name) => isNamed(old, name)),
  );
  return {
    ...postgres,
    ...rest,
    settings: { ...postgres.settings, ...settings },
    tableMappings: [...kept, ...add],
  };
};

const updatedSource = (source: Source, change: SourceChange): Source => {
  if (Object.keys(change).length > 1) throw broken('source', 'must have at most one kind');
  const { kafka, objectStorage, kinesis, postgres } = change;
  if (kafka) return { kafka: { ...own(source.kafka, 'kafka'), ...kafka } };
  if (objectStorage) {
    return { objectStorage: { ...own(source.objectStorage, 'objectStorage'), ...objectStorage } };
  }
  if (kinesis) return { kinesis: { ...own(source.kinesis, 'kinesis'), ...kinesis } };
  if (postgres) return { postgres: updatedPostgres(own(source.postgres, 'postgres'), postgres) };
  return source;
};

/**
 * Update pipe (documented rule 7): the pipe with the given changes. Settings change one by one; lists are replaced, except
 * table mappings. fieldMappings need not include all destination columns here: that rule applies only to creation.
 */
export const updatedPipe = <P extends Pipe>(pipe: P, change: PipeChange, updatedAt: string): P => {
  const { name = pipe.name, source = {}, destination, fieldMappings, settings } = change;
  return {
    ...pipe,
    name,
    source: updatedSource(pipe.source, source),
    destination: { ...pipe.destination, ...destination },
    fieldMappings: fieldMappings ?? pipe.fieldMappings,
    settings: { ...pipe.settings, ...settings },
    updatedAt,
  };
};
