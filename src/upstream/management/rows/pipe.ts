import { filled } from '../../filled.ts';
import {
  beyondReference,
  del,
  get,
  type Identified,
  patch,
  type Wire,
  type WithIds,
} from '../../operation.ts';
import { inCloud, inService } from '../row-parts.ts';
import type { SourceRecord } from '../source-records.ts';
import type { PipeSettingsRecord } from './pipe-settings.ts';

export type FieldMapping = Wire<{ sourceField: string; destinationField: string }>;

export type PipeDestinationRecord = Wire<{
  database: string;
  table: string;
  managedTable: boolean;
  tableDefinition: Wire<{
    engine: Wire<{
      versionColumnId: string;
      columnIds: readonly string[];
      // not in the documented interface
      type: string;
    }>;
    sortingKey: readonly string[];
    partitionBy: string;
    primaryKey: string;
  }>;
  columns: readonly Wire<{ name: string; type: string }>[];
}>;

export type PipeRecord = Identified<{
  serviceId: string;
  name: string;
  state: string;
  scaling: Wire<{
    replicas: number;
    concurrency: number;
    replicaCpuMillicores: number;
    replicaMemoryGb: number;
  }>;
  source: SourceRecord;
  destination: PipeDestinationRecord;
  fieldMappings: readonly FieldMapping[];
  settings: PipeSettingsRecord;
  createdAt: string;
  updatedAt: string;
}>;

/** A pipe with the identifiers of its service. */
export type PipeWithIds = WithIds<PipeRecord, 'organizationId' | 'serviceId'>;

/** Documented rule 5. */
export type PipeCommand = 'start' | 'stop' | 'resync';

/** Not in the documented interface. */
type ScalePipeRequest = Omit<NonNullable<PipeRecord['scaling']>, 'concurrency'>;

const workers = ['replicas', 'replicaCpuMillicores', 'replicaMemoryGb'];

/**
 * Documented rule 5: only the upstream knows which state allows which command. The documented interface does not say which
 * member of the body is the command.
 */
export const updatePipeStateWith = (commandField: string) =>
  patch('/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}/state', {
    permission: 'control-plane:service:manage-clickpipes',
    changes: ['getPipe', 'listPipes', 'listActivities'],
  })
    .body<PipeCommand>({ encode: (command) => ({ [commandField]: command }) })
    .oneOrNone<PipeWithIds>(inService);

export const rows = {
  getPipe: beyondReference(
    get('/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}', {
      permission: 'control-plane:service:manage-clickpipes',
      freshSeconds: 3,
    }).one<PipeWithIds>(inService),
  ),

  listPipes: get('/v1/organizations/{organizationId}/services/{serviceId}/pipes', {
    permission: 'control-plane:service:manage-clickpipes',
    freshSeconds: 3,
  }).list<PipeWithIds>(inService),

  updatePipeState: updatePipeStateWith('command'),

  scalePipe: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}/scaling', {
      permission: 'control-plane:service:manage-clickpipes',
      changes: ['getPipe', 'listPipes', 'listActivities'],
    })
      .body<ScalePipeRequest>({ rule: filled(workers) })
      .oneOrNone<PipeWithIds>(inService),
  ),

  deletePipe: inCloud(
    del('/v1/organizations/{organizationId}/services/{serviceId}/clickpipes/{pipeId}', {
      permission: 'control-plane:service:manage-clickpipes',
      changes: ['getPipe', 'listPipes', 'getPipeSettings', 'listActivities'],
    }).nothing(),
  ),
};
