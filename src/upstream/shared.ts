import type { UpstreamName } from './error.ts';
import type { Rate, SlotLog } from './slots.ts';

/** What replicas have in common. Whoever implements it decides where that is. */
export interface Shared {
  /** How the calls to one upstream are counted: gives the log of each credential. */
  readonly slots: (upstream: UpstreamName, rate: Rate) => (credential: string) => SlotLog;
}
