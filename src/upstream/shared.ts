import type { UpstreamName } from './error.ts';
import type { Rate, SlotLog } from './gate/slots.ts';
import type { SharedProofs } from './gate/standing.ts';
import type { SharedMemory } from './reads/shared-memory.ts';

/** What replicas have in common. Whoever implements it decides where that is. */
export interface Shared {
  /** How many processes share it. */
  readonly processes?: number;
  /** The reads that replicas keep for one another. */
  readonly memory?: SharedMemory;
  /** Which credentials of an upstream are proven. */
  readonly proofs?: (upstream: UpstreamName) => SharedProofs;
  /** How the calls to one upstream are counted: gives the log of each credential. */
  readonly slots: (upstream: UpstreamName, rate: Rate) => (credential: string) => SlotLog;
}
