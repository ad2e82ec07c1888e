import type { ServiceCommand } from '../generated/schema.ts';
import type { ServiceRecord } from '../upstream/management/rows/service.ts';
import { servicePhase } from './phase.ts';

const byPhase: Readonly<Record<ReturnType<typeof servicePhase>, readonly ServiceCommand[]>> = {
  RUNNING: ['STOP'],
  IDLE: ['WAKE', 'STOP'],
  STOPPED: ['START'],
  FAILED: ['START', 'STOP'],
  UNKNOWN: ['START', 'STOP'],
  CHANGING: [],
  TERMINATED: [],
};

/**
 * The commands that make sense for a service in its state, as hints for buttons. Mutations send every command, whatever the
 * state; agents' tools send only these.
 */
export const serviceCommands = (
  service: ServiceRecord,
  profile: string,
): readonly ServiceCommand[] =>
  profile === 'clickhouse-cloud' ? byPhase[servicePhase(service)] : [];
