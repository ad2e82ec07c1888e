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

/** The upstream and the credential of a stream. A subscription has one root field, which reads one upstream. */
export interface StreamUse {
  readonly upstream: UpstreamName;
  readonly credential: Given;
}

/** The place of one stream. It is released when the request's signal is aborted, if not before. */
export interface Place {
  release(): void;
  /** `end` is called when a proven credential needs the place of this stream. */
  onGiveWay(end: () => void): void;
}

interface PlacesOptions {
  /** The most streams, in all and of one credential. */
  readonly most: number;
  readonly mostOfOne: number;
  readonly standings: Readonly<Record<UpstreamName, Standing>>;
}

export interface Places {
  /**
   * Gives a place for one more stream, or the reason why there is none. May wait until the upstream has judged the credential.
   *
   * @param signal aborted when the client has left, or the time of an operation is up
   */
  take(use: StreamUse | undefined, signal: AbortSignal): Promise<Place | Refusal>;
  /** For a gateway that stops: opens all waiting and later streams, so that they end at once. */
  open(): void;
}

/** How many streams a credential may open before the upstream has accepted it. */
const mostUnproven = 4;

/** One credential, with its streams. */
interface User {
  readonly use: StreamUse | undefined;
  readonly holder: string;
  /** The places of open and of waiting streams. */
  readonly held: Set<Held>;
  open: number;
}

interface Held {
  readonly user: User;
  /** Ends the stream, or its wait, so that the place is released. */
  end: () => void;
  /** Checks again whether the stream may be opened; undefined once it no longer waits. */
  review: (() => void) | undefined;
}

/**
 * Decides which streams may be opened. A credential that the upstream has not accepted yet may be invented, so it may
 * have only four streams. All such credentials together leave a quarter of the places to others, and give way to them.
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
    // A stream that still waits was not counted as open.
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

  /** Resolves with undefined once the stream may be opened, or with the reason why it may not. */
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
