import { Fifo, type Queued } from './fifo.ts';

/** Who waits for a place. One of both is called, at most once, and never before `take` has returned. */
export interface Waiter {
  /** The place is taken from now on. */
  granted(): void;
  /** It waits no longer, and gets no place. */
  dismissed(): void;
}

/** A place, or the claim to one. */
export interface Turn {
  /** Whether there is no place for it yet. */
  readonly waits: boolean;
  /** Gives the place back, or stops waiting. Only the first call has an effect. */
  end(): void;
}

/**
 * Shares a limited number of places among credentials, so that no credential can keep the others waiting: each may
 * have a quarter of the places and a quarter of the queue. Credentials that wait get places in turn, and the calls
 * of one credential in the order in which they came.
 */
export interface Turns {
  /** Takes a place, now or later. Undefined where too many wait already, of this credential or in all. */
  take(credential: string, waiter: Waiter): Turn | undefined;
  /** Dismisses all who wait. */
  dismiss(): void;
}

export interface TurnsOptions {
  /** How many may have a place at a time. */
  readonly places: number;
  /** How many may wait. */
  readonly maxWaiting: number;
}

const quarterOf = (all: number): number => Math.min(all, Math.max(1, Math.floor(all / 4)));

/** What one credential has and waits for. */
class Party {
  readonly credential: string;
  readonly waiting = new Fifo<PartyTurn>();
  underWay = 0;
  /** Its place among those who are to be served next. */
  next: Queued<Party> | undefined;

  constructor(credential: string) {
    this.credential = credential;
  }
}

class PartyTurn implements Turn {
  readonly party: Party;
  readonly waiter: Waiter;
  readonly #onEnd: (turn: PartyTurn) => void;
  state: 'waiting' | 'placed' | 'ended' = 'placed';
  /** Its place among those of its credential that wait. */
  queued: Queued<PartyTurn> | undefined;

  constructor(party: Party, waiter: Waiter, onEnd: (turn: PartyTurn) => void) {
    this.party = party;
    this.waiter = waiter;
    this.#onEnd = onEnd;
  }

  get waits(): boolean {
    return this.state === 'waiting';
  }

  end(): void {
    if (this.state !== 'ended') this.#onEnd(this);
  }
}

export const createTurns = ({ places, maxWaiting }: TurnsOptions): Turns => {
  const placesEach = quarterOf(places);
  const maxWaitingEach = quarterOf(maxWaiting);
  const parties = new Map<string, Party>();
  /** Those that wait and have less than their share of the places. */
  const next = new Fifo<Party>();
  let free = places;
  let waiting = 0;
  let granting = false;

  /** Brings the books of a party up to date after each change. */
  const review = (party: Party): void => {
    const isNext = party.waiting.size > 0 && party.underWay < placesEach;
    if (isNext && !party.next?.queued) party.next = next.push(party);
    else if (!isNext && party.next) next.remove(party.next);
    if (party.underWay === 0 && party.waiting.size === 0) parties.delete(party.credential);
  };

  const occupy = (turn: PartyTurn): void => {
    turn.state = 'placed';
    free -= 1;
    turn.party.underWay += 1;
  };

  const grant = (): void => {
    // Who is granted a place may end it at once. The loop goes on then; a call within a call could go too deep.
    if (granting) return;
    granting = true;
    try {
      while (free > 0) {
        const party = next.shift();
        const turn = party?.waiting.shift();
        if (!party || !turn) return;
        waiting -= 1;
        occupy(turn);
        review(party);
        turn.waiter.granted();
      }
    } finally {
      granting = false;
    }
  };

  const end = (turn: PartyTurn): void => {
    const { party, queued, state } = turn;
    turn.state = 'ended';
    if (state === 'placed') {
      free += 1;
      party.underWay -= 1;
    } else if (queued) {
      party.waiting.remove(queued);
      waiting -= 1;
    }
    review(party);
    grant();
  };

  const wait = (turn: PartyTurn): void => {
    turn.state = 'waiting';
    turn.queued = turn.party.waiting.push(turn);
    waiting += 1;
  };

  return {
    take: (credential, waiter) => {
      const party = parties.get(credential) ?? new Party(credential);
      const turn = new PartyTurn(party, waiter, end);
      // Nobody overtakes those who are about to be granted a place.
      if (free > 0 && next.size === 0 && party.underWay < placesEach) occupy(turn);
      else if (waiting < maxWaiting && party.waiting.size < maxWaitingEach) wait(turn);
      else return undefined;
      parties.set(credential, party);
      review(party);
      return turn;
    },
    dismiss: () => {
      const dismissed: PartyTurn[] = [];
      for (const party of parties.values()) {
        for (let turn = party.waiting.shift(); turn; turn = party.waiting.shift()) {
          turn.state = 'ended';
          waiting -= 1;
          dismissed.push(turn);
        }
        review(party);
      }
      for (const { waiter } of dismissed) waiter.dismissed();
    },
  };
};
