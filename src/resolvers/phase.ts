import type { AlertPhase, PipePhase, ServicePhase } from '../generated/schema.ts';

/** The states that services have shown, spelt as they spell them (docs/architecture.md). */
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

/** The state of a record. Throws the error that stands in its place where the record could not be read. */
export const stateOf = (record: { readonly state?: unknown }): unknown => {
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

/** What a service is doing. */
export const servicePhase = phaseReader(servicePhases);

/** What an alert reports. */
export const alertPhase = phaseReader(alertPhases);
