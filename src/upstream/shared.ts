import type { UpstreamName } from './error.ts';
import type { Rate, SlotLog } from './gate/slots.ts';
import type { SharedMemory } from './reads/shared-memory.ts';

/** The state that replicas share. The implementation decides where it is kept. */
export interface Shared {
  /** How many processes share the state. */
  readonly processes?: number;
  readonly memory?: SharedMemory;
  /** Makes the slot logs for one upstream, one for each credential. */
  readonly slots: (upstream: UpstreamName, rate: Rate) => (credential: string) => SlotLog;
}
