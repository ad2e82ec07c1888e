import { type Cancellation, CancellationSource } from './cancellation.ts';

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
  /** Joins the equal read under way, or starts one. */
  join(
    credential: string,
    path: string,
    cancellation: Cancellation,
    start: (cancellation: Cancellation) => Promise<unknown>,
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

export const createInFlight = (): InFlight => {
  // By credential, then by path: joined strings could be made to collide.
  let flights = new Map<string, Map<string, Flight>>();

  return {
    join: (credential, path, cancellation, start) => {
      const home = flights;
      let paths = home.get(credential);
      if (!paths) {
        paths = new Map();
        home.set(credential, paths);
      }
      const neighbours = paths;
      const underWay = neighbours.get(path);
      let flight = underWay;
      const leave = (): void => {
        if (flight === undefined || neighbours.get(path) !== flight) return;
        neighbours.delete(path);
        if (neighbours.size === 0) home.delete(credential);
      };
      if (!flight) {
        const own = new CancellationSource();
        flight = { result: start(own), own, waiting: 0 };
        neighbours.set(path, flight);
      }
      const taken = flight;
      taken.waiting += 1;
      // One caller's leaving ends the call only when nobody else waits for it.
      const release = cancellation.onCancel(() => {
        taken.waiting -= 1;
        if (taken.waiting > 0) return;
        leave();
        taken.own.cancel();
      });
      const ended = (): void => {
        leave();
        release();
      };
      taken.result.then(ended, ended);
      return { result: taken.result, joined: underWay !== undefined };
    },
    part: () => {
      flights = new Map();
    },
  };
};
