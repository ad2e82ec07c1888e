import type { UpstreamName } from '../upstream/error.ts';
import type { Standing } from '../upstream/gate/standing.ts';
import { type Given, holderOf } from '../upstream/holder.ts';
import {
  credentialRefused,
  notAcceptedYet,
  type Refusal,
  tooManyInAll,
  tooManyOfOne,
  tooManyUnproven,
} from './refusals.ts';

/** The credential that a stream uses: it selects one root field, which reads one upstream. */
export interface StreamUse {
  readonly upstream: UpstreamName;
  readonly credential: Given;
}

/** The place of one stream. It is given back at the latest when the request's signal is aborted. */
export interface Place {
  release(): void;
  /** Has the stream ended when a proven credential needs its place. */
  onGiveWay(end: () => void): void;
}

interface PlacesOptions {
  /** In all, and of one credential. */
  readonly most: number;
  readonly mostOfOne: number;
  readonly standings: Readonly<Record<UpstreamName, Standing>>;
}

export interface Places {
  /**
   * A place for one more stream, now or once it is known what the upstream says of its credential; or why there is none.
   *
   * @param signal aborted when the client has left, or has waited for as long as an operation may take
   */
  take(use: StreamUse | undefined, signal: AbortSignal): Promise<Place | Refusal>;
  /** The gateway stops: all that wait, and all that come later, are opened, and their streams end at once. */
  open(): void;
}

/** How many streams a credential may open before it has had a success. */
const mostUnproven = 4;

/** One credential. */
interface User {
  readonly use: StreamUse | undefined;
  readonly holder: string;
  /** The places of its streams, and of those that wait; how many are open. */
  readonly held: Set<Held>;
  open: number;
}

interface Held {
  readonly user: User;
  /** Ends its stream, or its wait, so that it is given back. */
  end: () => void;
  /** Looks again whether it may be opened, while it waits. */
  review: (() => void) | undefined;
}

/**
 * Decides who may open a stream. A credential without a success may be an invented one: it may open four, and more once its
 * upstream has accepted it. All such together leave a quarter of the places to others, and give way to them.
 */
export const createPlaces = ({ most, mostOfOne, standings }: PlacesOptions): Places => {
  const all = new Set<Held>();
  const users = new Map<string, User>();
  const allowedUnproven = most - Math.floor(most / 4);
  let isOpen = false;

  const isProven = ({ use, holder }: User): boolean =>
    use !== undefined && standings[use.upstream].isProven(holder);
  const unproven = (): readonly Held[] => [...all].filter(({ user }) => !isProven(user));

  const keyOf = (upstream: UpstreamName, holder: string): string => `${upstream} ${holder}`;
  const userOf = (use: StreamUse | undefined): User => {
    const holder = use ? holderOf(use.credential) : '';
    const fresh = { use, holder, held: new Set<Held>(), open: 0 };
    return (use && users.get(keyOf(use.upstream, holder))) ?? fresh;
  };

  const review = ({ held }: User): void => {
    for (const each of held) each.review?.();
  };

  const add = (held: Held): void => {
    const { use, holder, held: own } = held.user;
    all.add(held);
    own.add(held);
    if (use) users.set(keyOf(use.upstream, holder), held.user);
  };

  const release = (held: Held): void => {
    if (!all.delete(held)) return;
    const { use, holder, held: own } = held.user;
    own.delete(held);
    if (use && own.size === 0) users.delete(keyOf(use.upstream, holder));
    // One that still waits makes no room.
    if (held.review) return;
    held.user.open -= 1;
    review(held.user);
  };

  const refusedByUpstream = ({ use, holder }: User): Refusal | undefined =>
    use && standings[use.upstream].isRefused(holder) ? credentialRefused(use.upstream) : undefined;

  const refusalOf = (user: User): Refusal | undefined => {
    const refused = refusedByUpstream(user);
    if (refused) return refused;
    if (user.use && user.held.size >= mostOfOne) return tooManyOfOne(mostOfOne);
    const countUnproven = unproven().length;
    const isFull = all.size >= most;
    if (isProven(user)) {
      return isFull && countUnproven === 0 ? tooManyInAll(most, false) : undefined;
    }
    if (isFull) return tooManyInAll(most, true);
    return countUnproven >= allowedUnproven ? tooManyUnproven(allowedUnproven) : undefined;
  };

  /** Resolves once it may be opened, or with the reason why not. */
  const untilOpen = (held: Held, signal: AbortSignal): Promise<Refusal | undefined> =>
    new Promise((resolve) => {
      const { user } = held;
      const { use } = user;
      const settle = (why?: Refusal): void => {
        signal.removeEventListener('abort', giveUp);
        if (why) release(held);
        else user.open += 1;
        held.review = undefined;
        resolve(why);
      };
      const giveUp = (): void =>
        settle(use ? notAcceptedYet(use.upstream, mostUnproven) : tooManyUnproven(allowedUnproven));
      held.end = giveUp;
      held.review = () => {
        const why = refusedByUpstream(user);
        if (why) settle(why);
        else if (isOpen || !use || isProven(user) || user.open < mostUnproven) settle();
      };
      signal.addEventListener('abort', giveUp);
      if (signal.aborted) giveUp();
      else held.review();
    });

  for (const [upstream, standing] of Object.entries(standings)) {
    standing.onChange((holder) => {
      const user = users.get(`${upstream} ${holder}`);
      if (user) review(user);
    });
  }

  return {
    take: async (use, signal) => {
      if (use) await standings[use.upstream].ask(use.credential);
      const user = userOf(use);
      const why = refusalOf(user);
      if (why) return why;
      if (all.size >= most) unproven()[0]?.end();
      const held: Held = { user, end: () => undefined, review: undefined };
      add(held);
      const refused = await untilOpen(held, signal);
      if (refused) return refused;
      const giveBack = (): void => {
        signal.removeEventListener('abort', giveBack);
        release(held);
      };
      signal.addEventListener('abort', giveBack);
      if (signal.aborted) giveBack();
      return {
        release: giveBack,
        onGiveWay: (end) => {
          held.end = end;
        },
      };
    },
    open: () => {
      isOpen = true;
      for (const held of all) held.review?.();
    },
  };
};
