/** Gives a connection back. Must be called once. */
export type Release = () => void;

/** Hears of the connections for which a credential's calls wait. */
interface Listener {
  /** Called when a connection is free for the credential. */
  offer(): void;
  /** Called when the credential's last waiting call must be refused, to make room for a proven credential. */
  giveWay(): void;
}

export interface OwnConnections {
  /** Takes a connection; undefined if none is free for the credential. */
  take(): Release | undefined;
  /** Notes how many calls of the credential wait for a connection, and returns how many of them may wait. */
  want(calls: number): number;
  /** Must be called when the credential is proven or refused. */
  review(): void;
}

export interface Connections {
  of(holder: string, listener: Listener): OwnConnections;
}

interface ConnectionsOptions {
  readonly connections: number;
  /** The most calls that may wait for a connection. */
  readonly maxWaiting: number;
  /** Whether the upstream has lately accepted the credential. An invented credential is never accepted. */
  readonly isProven: (holder: string) => boolean;
}

interface Member extends Listener {
  isProven: boolean;
  underWay: number;
  waiting: number;
  /**
   * Has only this member, while the credential is proven and its calls wait. Unproven members wait in one common line.
   */
  readonly line: Set<Member>;
}

/** The most connections, or waiting calls, of one credential, and of all unproven credentials together. */
const sharesOf = (all: number) => {
  const quarter = Math.floor(all / 4);
  return { ofOne: Math.max(1, quarter), ofUnproven: all - quarter };
};

/**
 * Shares the connections to an upstream, and the queue for them, among credentials. One credential has at most a
 * quarter of each, and the last quarter of each is for proven credentials. Waiting credentials get connections in turn.
 * All unproven credentials have one turn in common, so that a great number of invented ones does not delay proven ones.
 */
export const createConnections = (options: ConnectionsOptions): Connections => {
  const { connections, maxWaiting, isProven } = options;
  const most = { underWay: sharesOf(connections), waiting: sharesOf(maxWaiting) };
  const all = { underWay: 0, waiting: 0 };
  const unproven = { underWay: 0, waiting: 0 };
  /** The lines of waiting members, in the order of their turns. */
  const lines = new Set<Set<Member>>();
  const unprovenLine = new Set<Member>();
  const lineOf = ({ isProven: proven, line }: Member): Set<Member> =>
    proven ? line : unprovenLine;

  const count = (member: Member, underWay: number, waiting: number): void => {
    for (const sum of member.isProven ? [member, all] : [member, all, unproven]) {
      sum.underWay += underWay;
      sum.waiting += waiting;
    }
    const line = lineOf(member);
    if (member.waiting > 0) line.add(member);
    else line.delete(member);
    if (line.size > 0) lines.add(line);
    else lines.delete(line);
  };

  const mayHaveOne = (member: Member): boolean =>
    all.underWay < connections &&
    member.underWay < most.underWay.ofOne &&
    (member.isProven || unproven.underWay < most.underWay.ofUnproven);

  const next = (): Member | undefined => {
    for (const line of lines) for (const member of line) if (mayHaveOne(member)) return member;
    return undefined;
  };
  const offer = (): void => next()?.offer();

  const occupy = (member: Member): Release => {
    // All others get a turn before this member gets another.
    lines.delete(lineOf(member));
    lineOf(member).delete(member);
    count(member, 1, 0);
    return () => {
      count(member, -1, 0);
      offer();
    };
  };

  /** Refuses calls of unproven credentials until there is room in the queue. */
  const makeRoom = (calls: number): void => {
    while (all.waiting + calls > maxWaiting) {
      const last = [...unprovenLine].at(-1);
      if (!last) return;
      count(last, 0, -1);
      last.giveWay();
    }
  };

  return {
    of: (holder, listener) => {
      const member = {
        ...listener,
        ...{ isProven: false, underWay: 0, waiting: 0 },
        line: new Set<Member>(),
      };
      /** A proof expires after some time, which is noticed only when the credential is used again. */
      const judge = (): void => {
        if (member.isProven === isProven(holder)) return;
        const { underWay, waiting } = member;
        count(member, -underWay, -waiting);
        member.isProven = !member.isProven;
        count(member, underWay, waiting);
      };
      return {
        take: () => {
          judge();
          return (next() ?? member) === member && mayHaveOne(member) ? occupy(member) : undefined;
        },
        want: (calls) => {
          judge();
          let may = Math.min(calls, most.waiting.ofOne);
          const others = unproven.waiting - member.waiting;
          if (member.isProven) makeRoom(may - member.waiting);
          else may = Math.min(may, most.waiting.ofUnproven - others);
          may = Math.max(0, Math.min(may, maxWaiting - all.waiting + member.waiting));
          count(member, 0, may - member.waiting);
          offer();
          return may;
        },
        review: () => {
          judge();
          offer();
        },
      };
    },
  };
};
