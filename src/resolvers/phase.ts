import type { AlertPhase, PipePhase, ServicePhase } from '../generated/schema.ts';

/** The states that services have sent, in their spelling (docs/architecture.md). */
const pipePhases: Readonly<Record<Exclude<PipePhase, 'UNKNOWN'>, readonly string[]>> = {
  RUNNING: ['Running', 'Snapshot', 'Degraded'],
  CHANGING: ['Provisioning', 'Setup', 'Stopping', 'Pausing', 'Modifying', 'Resync'],
  STOPPED: ['Stopped', 'Paused'],
  FAILED: ['Failed', 'InternalError'],
  COMPLETED: ['Completed'],
};

const servicePhases: Readonly<Record<Exclude<ServicePhase, 'UNKNOWN'>, readonly string[]>> = {
  RUNNING: ['running', 'partially_running', 'degraded'],
  CHANGING: ['provisioning', 'starting', 'awaking', 'stopping', 'terminating', 'softdeleting'],
  IDLE: ['idle'],
  STOPPED: ['stopped'],
  FAILED: ['failed'],
  TERMINATED: ['terminated', 'softdeleted'],
};

const alertPhases: Readonly<Record<Exclude<AlertPhase, 'UNKNOWN'>, readonly string[]>> = {
  FIRING: ['ALERT'],
  OK: ['OK'],
  PENDING: ['PENDING'],
  NO_DATA: ['INSUFFICIENT_DATA'],
  DISABLED: ['DISABLED'],
};

/** The state of a record. If the record could not be read, throws the error that is stored in place of the state. */
export const stateOf = (record: { readonly state?: unknown }): unknown => {
  if (record.state instanceof Error) throw record.state;
  return record.state;
};

/** Makes the function that derives a phase. A state without a phase, or a value that is not a text, is UNKNOWN. */
const phaseReader = <Phase extends string>(
  statesOf: Readonly<Record<Phase, readonly string[]>>,
): ((record: { readonly state?: unknown }) => Phase | 'UNKNOWN') => {
  const entries = Object.entries(statesOf) as [Phase, readonly string[]][];
  const phases = new Map<unknown, Phase>(
    entries.flatMap(([phase, states]) => states.map((state) => [state, phase] as const)),
  );
  return (record) => phases.get(stateOf(record)) ?? 'UNKNOWN';
};

export const pipePhase = phaseReader(pipePhases);

export const servicePhase = phaseReader(servicePhases);

export const alertPhase = phaseReader(alertPhases);
