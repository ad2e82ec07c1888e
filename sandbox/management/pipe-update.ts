import { broken } from '../rules.ts';
import type { Pipe, PipeChange, Source } from './pipe-shapes.ts';

type SourceChange = NonNullable<PipeChange['source']>;

/** The source of this kind, which a change is for. */
export const own = <T>(source: T | undefined, kind: string): T => {
  if (source === undefined) throw broken(`source.${kind}`, 'does not fit the source of this pipe');
  return source;
};

/** The changes for a source that copies a database. Its table mappings are those of `Mapping`. */
interface CopyChange<Mapping, Name> {
  readonly settings?: object;
  readonly tableMappingsToAdd?: readonly Mapping[];
  readonly tableMappingsToRemove?: readonly Name[];
}

/**
 * Changes a source that copies a database.
 *
 * @param names the members that together identify a table mapping
 */
export const updatedCopy = <
  Copied extends { readonly settings?: object; readonly tableMappings?: readonly Mapping[] },
  Mapping extends object,
  Name extends keyof Mapping,
>(
  source: Copied,
  change: CopyChange<Mapping, Pick<Mapping, Name>>,
  names: readonly Name[],
): Copied => {
  const {
    tableMappingsToAdd: add = [],
    tableMappingsToRemove: remove = [],
    settings,
    ...rest
  } = change;
  // A mapping that is added again replaces the old one, even if the same request removes it.
  const gone: readonly Pick<Mapping, Name>[] = [...remove, ...add];
  const kept = (source.tableMappings ?? []).filter(
    (old) => !gone.some((other) => names.every((name) => old[name] === other[name])),
  );
  return {
    ...source,
    ...rest,
    settings: { ...source.settings, ...settings },
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
  if (postgres) {
    const names = ['sourceSchemaName', 'sourceTable', 'targetTable'] as const;
    return { postgres: updatedCopy(own(source.postgres, 'postgres'), postgres, names) };
  }
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
