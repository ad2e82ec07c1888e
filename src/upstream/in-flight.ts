import { BriefMap } from '../brief-map.ts';
import { SmallMap } from '../small.ts';
import type { Settle } from './call.ts';
import type { CallCount } from './call-budget.ts';
import {
  type CancelListener,
  type Cancellation,
  CancellationSource,
  type CancelReason,
} from './cancellation.ts';
import { SharedBudget } from './shared-budget.ts';

/** What a request gets of a read: its result, and whether another request had started it. */
export interface Joined {
  readonly result: Promise<unknown>;
  readonly joined: boolean;
}

/** A read that others may share. */
export interface SharedRead {
  /** The budget of the request that wants it. */
  readonly budget: CallCount;
  /**
   * Sends it, to be given up when `own` is cancelled, and counted by `budget`. What it throws is thrown to who
   * joins.
   */
  start(own: Cancellation, budget: CallCount, settle: Settle): void;
  /** Told when it has come to its result, or failed, for who waits for it. */
  ended(): void;
  /** What its result rejects with for a request that waits for it no longer. */
  givenUp(reason: CancelReason): Error;
}

/**
 * Reads under way to one upstream, which requests of the very same credential may share (design,
 * section 5). A read leaves the moment its answer has arrived, or failed: nothing is kept.
 */
export interface InFlight {
  /**
   * Joins the equal read under way, or starts this one. The result rejects when the caller's own cancellation
   * comes, whoever else may wait.
   */
  join(credential: string, path: string, cancellation: Cancellation, read: SharedRead): Joined;
  /**
   * Nothing of this credential that starts from now on joins what has started before: a write of it begins or has
   * ended, and what is under way may have seen the state before it.
   */
  part(credential: string): void;
  /** How many times that has happened, for whichever credential. */
  readonly partings: number;
}

/** One request's share in a read under way. */
class Share implements CancelListener {
  readonly result: Promise<unknown>;
  readonly #flight: Flight;
  readonly #cancellation: Cancellation;
  readonly #read: SharedRead;
  #settle: Settle | undefined;

  constructor(flight: Flight, cancellation: Cancellation, read: SharedRead) {
    this.#flight = flight;
    this.#cancellation = cancellation;
    this.#read = read;
    this.result = new Promise((resolve, reject) => {
      this.#settle = { resolve, reject };
    });
  }

  /** To be called once the flight knows of it: a caller that has gone already leaves at once. */
  listen(): void {
    this.#cancellation.listen(this);
  }

  resolve(value: unknown): void {
    this.#cancellation.ignore(this);
    this.#read.ended();
    this.#settle?.resolve(value);
  }

  reject(error: unknown): void {
    this.#cancellation.ignore(this);
    this.#read.ended();
    this.#settle?.reject(error);
  }

  cancelled(reason: CancelReason): void {
    this.#settle?.reject(this.#read.givenUp(reason));
    this.#flight.leave(this, reason);
  }
}

/** The equal reads under way of one credential, by path. */
type Neighbours = SmallMap<string, Flight>;

/** A read under way, which is given up when the last request has left it. */
class Flight extends CancellationSource implements Settle {
  /** The budgets of all that share it. */
  readonly budget = new SharedBudget();
  readonly #path: string;
  #shares: Share[] = [];
  /** Where others find it, until it has ended. */
  #neighbours: Neighbours | undefined;
  #onEmpty: (() => void) | undefined;
  /** What it came to, for who takes a share in one that ended as it started. */
  #ended: ((share: Share) => void) | undefined;

  constructor(path: string) {
    super();
    this.#path = path;
  }

  get hasEnded(): boolean {
    return this.#ended !== undefined;
  }

  /** Lets others find it among its neighbours. */
  enter(neighbours: Neighbours, onEmpty: () => void): void {
    neighbours.set(this.#path, this);
    this.#neighbours = neighbours;
    this.#onEmpty = onEmpty;
  }

  take(cancellation: Cancellation, read: SharedRead): Promise<unknown> {
    const share = new Share(this, cancellation, read);
    if (this.#ended) this.#ended(share);
    else {
      // A list that has grown has room for seventeen; most reads are one request's.
      if (this.#shares.length === 0) this.#shares = [share];
      else this.#shares.push(share);
      share.listen();
    }
    return share.result;
  }

  leave(share: Share, reason: CancelReason): void {
    const index = this.#shares.indexOf(share);
    if (index >= 0) this.#shares.splice(index, 1);
    // One caller's leaving ends the call only when nobody else waits for it.
    if (this.#shares.length > 0 || this.#ended) return;
    this.#exit();
    this.cancel(reason);
  }

  resolve(value: unknown): void {
    this.#end((share) => share.resolve(value));
  }

  reject(error: unknown): void {
    this.#end((share) => share.reject(error));
  }

  #end(settle: (share: Share) => void): void {
    this.#ended = settle;
    this.#exit();
    const shares = this.#shares;
    this.#shares = [];
    for (const share of shares) settle(share);
  }

  #exit(): void {
    const neighbours = this.#neighbours;
    this.#neighbours = undefined;
    if (neighbours?.delete(this.#path) && neighbours.size === 0) this.#onEmpty?.();
  }
}

export const createInFlight = (): InFlight => {
  // By credential, then by path: joined strings could be made to collide.
  const flights = new BriefMap<string, Neighbours>();
  let partings = 0;

  const takeOff = (credential: string, path: string, read: SharedRead): Flight => {
    const flight = new Flight(path);
    flight.budget.add(read.budget);
    read.start(flight, flight.budget, flight);
    if (flight.hasEnded) return flight;
    const neighbours: Neighbours = flights.get(credential) ?? new SmallMap();
    flights.set(credential, neighbours);
    flight.enter(neighbours, () => {
      // Those that were parted have others in their place.
      if (flights.get(credential) === neighbours) flights.delete(credential);
    });
    return flight;
  };

  return {
    join: (credential, path, cancellation, read) => {
      const underWay = flights.get(credential)?.get(path);
      const flight = underWay ?? takeOff(credential, path, read);
      underWay?.budget.add(read.budget);
      return { result: flight.take(cancellation, read), joined: underWay !== undefined };
    },
    part: (credential) => {
      flights.delete(credential);
      partings += 1;
    },
    get partings() {
      return partings;
    },
  };
};
