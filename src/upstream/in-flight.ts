import { type Cancellation, CancellationSource, type CancelReason } from './cancellation.ts';

/** What a request gets of a read: its result, and whether another request had started it. */
export interface Joined {
  readonly result: Promise<unknown>;
  readonly joined: boolean;
}

/**
 * Reads under way to one upstream, which requests of the very same credential may share (design,
 * section 5). A read leaves the moment its answer has arrived, or failed: nothing is kept.
 */
export interface InFlight {
  /**
   * Joins the equal read under way, or starts one. The result rejects with what `givenUp` makes when the
   * caller's own cancellation comes, whoever else may wait.
   */
  join(
    credential: string,
    path: string,
    cancellation: Cancellation,
    start: (cancellation: Cancellation) => Promise<unknown>,
    givenUp: (reason: CancelReason) => Error,
  ): Joined;
  /**
   * Nothing that starts from now on joins what has started before: a write begins or has ended, and
   * what is under way may have seen the state before it.
   */
  part(): void;
}

/** A read under way. */
interface Flight {
  readonly result: Promise<unknown>;
  readonly own: CancellationSource;
  waiting: number;
}

/** The equal reads under way of one credential, by path. */
type Neighbours = Map<string, Flight>;

const takeOff = (start: (cancellation: Cancellation) => Promise<unknown>): Flight => {
  const own = new CancellationSource();
  return { result: start(own), own, waiting: 0 };
};

export const createInFlight = (): InFlight => {
  // By credential, then by path: joined strings could be made to collide.
  let flights = new Map<string, Neighbours>();

  const neighboursOf = (credential: string): Neighbours => {
    let neighbours = flights.get(credential);
    if (!neighbours) {
      neighbours = new Map();
      flights.set(credential, neighbours);
    }
    return neighbours;
  };

  return {
    join: (credential, path, cancellation, start, givenUp) => {
      const home = flights;
      const underWay = home.get(credential)?.get(path);
      const taken = underWay ?? takeOff(start);
      const neighbours = neighboursOf(credential);
      if (!underWay) neighbours.set(path, taken);
      const { result: shared, own } = taken;
      taken.waiting += 1;
      const leave = (): void => {
        if (neighbours.get(path) !== taken) return;
        neighbours.delete(path);
        if (neighbours.size === 0) home.delete(credential);
      };
      const result = new Promise((resolve, reject) => {
        const release = cancellation.onCancel((reason) => {
          reject(givenUp(reason));
          taken.waiting -= 1;
          // One caller's leaving ends the call only when nobody else waits for it.
          if (taken.waiting > 0) return;
          leave();
          own.cancel(reason);
        });
        shared.then(
          (value) => {
            leave();
            release();
            resolve(value);
          },
          (error: unknown) => {
            leave();
            release();
            reject(error);
          },
        );
      });
      return { result, joined: underWay !== undefined };
    },
    part: () => {
      flights = new Map();
    },
  };
};
