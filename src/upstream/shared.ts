import type { UpstreamName } from './error.ts';
import type { SharedProofs } from './gate/credential-status.ts';
import type { Rate, SlotLog } from './gate/slots.ts';
import type { SharedMemory } from './reads/shared-memory.ts';

/** The state that replicas share. The implementation decides where it is kept. */
export interface Shared {
  /** How many processes share the state. */
  readonly processes?: number;
  /** The reads that replicas share. */
  readonly memory?: SharedMemory;
  /** The proven credentials of an upstream. */
  readonly proofs?: (upstream: UpstreamName) => SharedProofs;
  /** Makes the slot logs for one upstream, one for each credential. */
  readonly slots: (upstream: UpstreamName, rate: Rate) => (credential: string) => SlotLog;
}
