import { type Cancellation, createCancellation } from './cancellation.ts';

/** A read under way, and how many wait for it. */
interface Flight {
  readonly result: Promise<unknown>;
  waiting: number;
  cancel(): void;
}

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

export const createInFlight = (): InFlight => {
  // By credential, then by path: joined strings could be made to collide.
  let flights = new Map<string, Map<string, Flight>>();

  const take = (
    credential: string,
    path: string,
    start: (own: Cancellation) => Promise<unknown>,
  ) => {
    const home = flights;
    const paths = home.get(credential) ?? new Map<string, Flight>();
    home.set(credential, paths);
    const own = createCancellation();
    const leave = (): void => {
      if (paths.get(path) !== flight) return;
      paths.delete(path);
      if (paths.size === 0) home.delete(credential);
    };
    const result = start(own).finally(leave);
    const flight: Flight = {
      result,
      waiting: 0,
      cancel: () => {
        leave();
        own.cancel();
      },
    };
    paths.set(path, flight);
    return flight;
  };

  return {
    join: (credential, path, cancellation, start) => {
      const underWay = flights.get(credential)?.get(path);
      const flight = underWay ?? take(credential, path, start);
      flight.waiting += 1;
      // One caller's leaving ends the call only when nobody else waits for it.
      const release = cancellation.onCancel(() => {
        flight.waiting -= 1;
        if (flight.waiting === 0) flight.cancel();
      });
      flight.result.then(release, release);
      return { result: flight.result, joined: underWay !== undefined };
    },
    part: () => {
      flights = new Map();
    },
  };
};
