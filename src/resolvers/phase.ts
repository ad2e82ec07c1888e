import type { AlertPhase, PipePhase, ServicePhase } from '../generated/schema.ts';

/**
 * The states that services have sent, in their spelling (docs/architecture.md). Lists that are ordered by phase follow the
 * order of this table.
 */
const pipePhases: Readonly<Record<Exclude<PipePhase, 'UNKNOWN'>, readonly string[]>> = {
  FAILED: ['Failed', 'InternalError'],
  STOPPED: ['Stopped', 'Paused'],
  CHANGING: ['Provisioning', 'Setup', 'Stopping', 'Pausing', 'Modifying', 'Resync'],
  RUNNING: ['Running', 'Snapshot', 'Degraded'],
  COMPLETED: ['Completed'],
};

const servicePhases: Readonly<Record<Exclude<ServicePhase, 'UNKNOWN'>, readonly string[]>> = {
  FAILED: ['failed'],
  STOPPED: ['stopped'],
  IDLE: ['idle'],
  CHANGING: ['provisioning', 'starting', 'awaking', 'stopping', 'terminating', 'softdeleting'],
  RUNNING: ['running', 'partially_running', 'degraded'],
  TERMINATED: ['terminated', 'softdeleted'],
};

const alertPhases: Readonly<Record<Exclude<AlertPhase, 'UNKNOWN'>, readonly string[]>> = {
  FIRING: ['ALERT'],
  NO_DATA: ['INSUFFICIENT_DATA'],
  PENDING: ['PENDING'],
  OK: ['OK'],
  DISABLED: ['DISABLED'],
};

type Stateful = { readonly state?: unknown };

/** The state of a record. If the record could not be read, throws the error that is stored in place of the state. */
export const stateOf = (record: Stateful): unknown => {
  if (record.state instanceof Error) throw record.state;
  return record.state;
};

/**
 * Makes two functions of a record: one returns its phase, the other the position of the phase in the order above. A state
 * that the table lacks, or a value that is not a text, is UNKNOWN, which comes last.
 */
const phaseReaders = <Phase extends string>(
  statesOf: Readonly<Record<Phase, readonly string[]>>,
) => {
  const entries = Object.entries(statesOf) as [Phase, readonly string[]][];
  const phases = new Map<unknown, Phase>(
    entries.flatMap(([phase, states]) => states.map((state) => [state, phase] as const)),
  );
  const places: readonly string[] = [...Object.keys(statesOf), 'UNKNOWN'];
  const phaseOf = (record: Stateful): Phase | 'UNKNOWN' => phases.get(stateOf(record)) ?? 'UNKNOWN';
  return [phaseOf, (record: Stateful): number => places.indexOf(phaseOf(record))] as const;
};

export const [pipePhase, pipePhaseKey] = phaseReaders(pipePhases);
export const [servicePhase, servicePhaseKey] = phaseReaders(servicePhases);
export const [alertPhase, alertPhaseKey] = phaseReaders(alertPhases);
