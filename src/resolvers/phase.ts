import type { AlertPhase, PipeCommand, PipePhase } from '../generated/schema.ts';
import type { PipeRecord } from '../upstream/management/records.ts';
import { sourceKind } from './pipe-source.ts';

/** The states that services have shown, spelt as they spell them (docs/architecture.md). */
const pipePhases: Readonly<Record<Exclude<PipePhase, 'UNKNOWN'>, readonly string[]>> = {
  RUNNING: ['Running', 'Snapshot', 'Degraded'],
  CHANGING: ['Provisioning', 'Setup', 'Stopping', 'Pausing', 'Modifying', 'Resync'],
  STOPPED: ['Stopped', 'Paused'],
  FAILED: ['Failed', 'InternalError'],
  COMPLETED: ['Completed'],
};

const alertPhases: Readonly<Record<Exclude<AlertPhase, 'UNKNOWN'>, readonly string[]>> = {
  FIRING: ['ALERT'],
  OK: ['OK'],
  PENDING: ['PENDING'],
  NO_DATA: ['INSUFFICIENT_DATA'],
  DISABLED: ['DISABLED'],
};

/** The state of a record. Throws the error that stands in its place where the record could not be read. */
const stateOf = (record: { readonly state?: unknown }): unknown => {
  if (record.state instanceof Error) throw record.state;
  return record.state;
};

/** Makes the function that derives a phase; a state that no phase names, or that is no text, is UNKNOWN. */
const phaseReader = <Phase extends string>(
  statesOf: Readonly<Record<Phase, readonly string[]>>,
): ((record: { readonly state?: unknown }) => Phase | 'UNKNOWN') => {
  const entries = Object.entries(statesOf) as [Phase, readonly string[]][];
  const phases = new Map<unknown, Phase>(
    entries.flatMap(([phase, states]) => states.map((state) => [state, phase] as const)),
  );
  return (record) => phases.get(stateOf(record)) ?? 'UNKNOWN';
};

/** What a pipe is doing. */
export const pipePhase = phaseReader(pipePhases);

/** What an alert reports. */
export const alertPhase = phaseReader(alertPhases);

/**
 * The commands that rule 5 of the reference allows for a pipe: start from Stopped or Failed, stop from any
 * state, resync from any state where the source is Postgres. Where MySQL is a source, it can be resynced too.
 */
export const availableCommands = (pipe: PipeRecord): readonly PipeCommand[] => {
  const state = stateOf(pipe);
  const kind = sourceKind(pipe.source);
  return [
    ...(state === 'Stopped' || state === 'Failed' ? (['START'] as const) : []),
    'STOP',
    ...(kind === 'postgres' || kind === 'mySql' ? (['RESYNC'] as const) : []),
  ];
};
