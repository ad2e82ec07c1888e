import type { AlertPhase, PipePhase, ServicePhase } from '../generated/schema.ts';

/** The states that services have sent, in their spelling (docs/architecture.md). The order is that of lists by phase. */
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

/** The state of a record. If the record could not be read, throws the error that is stored in place of the state. */
export const stateOf = (record: { readonly state?: unknown }): unknown => {
  if (record.state instanceof Error) throw record.state;
  return record.state;
};

type Stateful = { readonly state?: unknown };

/** Makes the function that derives a phase. A state without a phase, or a value that is not a text, is UNKNOWN. */
const phaseReader = <Phase extends string>(
  statesOf: Readonly<Record<Phase, readonly string[]>>,
): ((record: Stateful) => Phase | 'UNKNOWN') => {
  const entries = Object.entries(statesOf) as [Phase, readonly string[]][];
  const phases = new Map<unknown, Phase>(
    entries.flatMap(([phase, states]) => states.map((state) => [state, phase] as const)),
  );
  return (record) => phases.get(stateOf(record)) ?? 'UNKNOWN';
};

/** Makes the function that tells the place of a record in a list by phase. UNKNOWN comes last. */
const phaseKey = (statesOf: Readonly<Record<string, readonly string[]>>) => {
  const places = new Map<unknown, number>(
    Object.values(statesOf).flatMap((states, place) => states.map((state) => [state, place])),
  );
  return ({ state }: Stateful): number => places.get(state) ?? places.size;
};

export const pipePhase = phaseReader(pipePhases);
export const pipePhaseKey = phaseKey(pipePhases);

export const servicePhase = phaseReader(servicePhases);
export const servicePhaseKey = phaseKey(servicePhases);

export const alertPhase = phaseReader(alertPhases);
export const alertPhaseKey = phaseKey(alertPhases);
