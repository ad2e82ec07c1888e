/** Gives a place back. Only the first call has an effect. */
export type Release = () => void;

/**
 * Shares a limited number of places among credentials, so that no credential can keep the others waiting: each may
 * have a quarter of the places and a quarter of the queue. Credentials that wait get places in turn, and the calls
 * of one credential in the order in which they came.
 */
export interface Turns {
  /** Takes a place; undefined where all are taken, or others are to have it first. */
  take(credential: string): Release | undefined;
  /**
   * Waits for a place. Tells why there is none where too many wait already, of this credential or in all, where all
   * who wait are dismissed, and where the signal is aborted.
   */
  wait(
    credential: string,
    signal: AbortSignal,
  ): Promise<Release | 'full' | 'dismissed' | 'aborted'>;
  /** Dismisses all who wait. */
  dismiss(): void;
}

export interface TurnsOptions {
  /** How many may have a place at a time. */
  readonly places: number;
  /** How many may wait. */
  readonly maxWaiting: number;
}

/** Ends one call's waiting. */
type End = (turn: Release | 'dismissed' | 'aborted') => void;

/** What one credential has and waits for. */
interface Party {
  readonly credential: string;
  readonly waiting: Set<End>;
  underWay: number;
}

const quarterOf = (all: number): number => Math.min(all, Math.max(1, Math.floor(all / 4)));

/** The item that has been in a set longest. */
const firstOf = <Item>(items: Iterable<Item>): Item | undefined => {
  for (const item of items) return item;
  return undefined;
};

export const createTurns = ({ places, maxWaiting }: TurnsOptions): Turns => {
  const placesEach = quarterOf(places);
  const maxWaitingEach = quarterOf(maxWaiting);
  const parties = new Map<string, Party>();
  /** Those that wait and have less than their share of the places, in the order in which they are served. */
  const next = new Set<Party>();
  let free = places;
  let waiting = 0;

  /** Brings the books of a party up to date after each change. */
  const review = (party: Party): void => {
    const { credential, underWay } = party;
    if (party.waiting.size > 0 && underWay < placesEach) next.add(party);
    else next.delete(party);
    if (underWay > 0 || party.waiting.size > 0) parties.set(credential, party);
    else parties.delete(credential);
  };

  const partyOf = (credential: string): Party =>
    parties.get(credential) ?? { credential, waiting: new Set(), underWay: 0 };

  const occupy = (party: Party): Release => {
    let held = true;
    free -= 1;
    party.underWay += 1;
    review(party);
    return () => {
      if (!held) return;
      held = false;
      free += 1;
      party.underWay -= 1;
      review(party);
      grant();
    };
  };

  const grant = (): void => {
    while (free > 0) {
      const party = firstOf(next);
      const end = party && firstOf(party.waiting);
      if (!end) return;
      // It is the others' turn before it is served again.
      next.delete(party);
      end(occupy(party));
    }
  };

  return {
    take: (credential) => {
      const party = partyOf(credential);
      return free > 0 && next.size === 0 && party.underWay < placesEach ? occupy(party) : undefined;
    },
    wait: async (credential, signal) => {
      if (signal.aborted) return 'aborted';
      const party = partyOf(credential);
      if (waiting >= maxWaiting || party.waiting.size >= maxWaitingEach) return 'full';
      return new Promise((resolve) => {
        const leave = (): void => end('aborted');
        const end: End = (turn) => {
          signal.removeEventListener('abort', leave);
          party.waiting.delete(end);
          waiting -= 1;
          review(party);
          resolve(turn);
        };
        signal.addEventListener('abort', leave, { once: true });
        party.waiting.add(end);
        waiting += 1;
        review(party);
        grant();
      });
    },
    dismiss: () => {
      for (const party of parties.values()) for (const end of party.waiting) end('dismissed');
    },
  };
};
