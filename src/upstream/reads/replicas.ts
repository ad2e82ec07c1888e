import type { Answer, Asked, Call } from '../call.ts';
import { pause } from '../sending/abort.ts';
import { startsOf } from './changes.ts';
import type { Outcome } from './entries.ts';
import type { Found } from './outcomes.ts';
import type { Look, ReadName, SharedAnswer, SharedMemory } from './shared-memory.ts';

/** How long a call waits for the read of another process, in milliseconds. */
const longestMs = 1500;
/** How long a read may take once it has its turn, in milliseconds. */
const longestReadMs = 30_000;
/** How often a call asks for the read of another process, in milliseconds. */
const againMs = 50;

interface ReplicasOptions {
  readonly shared: SharedMemory;
  /** This process's own outcome, even if the read has changed since. */
  readonly own: (call: Call) => Outcome | undefined;
  /** Takes over the answer of another process. */
  readonly take: (call: Call, found: SharedAnswer) => void;
  /** Finds what answers the read, after the replicas' answer was taken over. */
  readonly find: (call: Call, asked: Asked, readAfter: number) => Found | undefined;
  readonly freshMsOf: (call: Call) => number;
  /** How long an operation waits, in all, before it shows an older outcome, in milliseconds. */
  readonly patienceMs: number;
}

/** Asks replicas before a read is sent, so that one process reads it for all. */
export interface Replicas {
  /** Asks, and waits a moment if another process is reading it. */
  ask(call: Call): Promise<Asked>;
  /** Shares an answer, under the marks that the replicas knew before it was read. */
  keep(call: Call, answer: Answer, asked: Asked | undefined): void;
}

/** A read as replicas know it. */
const readNameOf = (call: Call): ReadName => ({
  upstream: call.row.api.name,
  credential: call.credential,
  path: call.path,
  starts: startsOf(call),
  pathsNameOwner: call.row.api.pathsNameOwner,
});

export const createReplicas = (options: ReplicasOptions): Replicas => {
  const { shared, own, take, find, freshMsOf, patienceMs } = options;

  const lookAt = async (
    call: Call,
    readAfter: number,
    begunMs: number,
  ): Promise<Look | undefined> => {
    const { sentAt = 0, readAt = 0, marks } = own(call) ?? {};
    const look = await shared.look(readNameOf(call), {
      readAfter,
      freshMs: freshMsOf(call),
      begunMs,
      own: marks === undefined ? undefined : { sentAt, readAt, marks },
    });
    if (look?.found) take(call, look.found);
    return look;
  };

  const asking = (call: Call, first: Look | undefined): Asked => {
    const since = performance.now();
    let look = first;
    /** Unlike the marks, the reader is known only for a moment. */
    const forgetReader = (): void => {
      look = look && { ...look, reader: undefined };
    };
    const asked: Asked = {
      get look() {
        return look;
      },
      again: async (readAfter): Promise<Answer | undefined> => {
        const next = await lookAt(call, readAfter, longestReadMs);
        if (!next) {
          forgetReader();
          return undefined;
        }
        look = next;
        const found = find(call, asked, readAfter);
        // An answer that another process has read during the wait is as good as an own one.
        const isNew = found && (found.state === 'fresh' || found.outcome.readAt > since);
        const came = isNew ? found.outcome.came : undefined;
        return came instanceof Error ? undefined : came;
      },
      release: () => {
        if (look?.reader !== 'this') return;
        forgetReader();
        shared.release(readNameOf(call));
      },
    };
    return asked;
  };

  return {
    ask: async (call) => {
      const { readAfter, arrivedAt } = call.caller;
      const latest = Math.min(performance.now() + longestMs, call.latest);
      for (;;) {
        const asked = asking(call, await lookAt(call, readAfter, longestMs));
        const found = find(call, asked, readAfter);
        const until = found ? Math.min(latest, arrivedAt + patienceMs) : latest;
        const isAwaited = found?.state !== 'fresh' && asked.look?.reader === 'another';
        if (!isAwaited || performance.now() >= until || call.signal.aborted) return asked;
        await pause(againMs, call.signal);
      }
    },
    keep: (call, { headers, body, sentAt, readAt = sentAt }, asked) => {
      const marks = asked?.look?.marks;
      if (marks === undefined) return;
      const contentType = String(headers['content-type']);
      shared.keep(readNameOf(call), { body, contentType, sentAt, readAt, marks });
    },
  };
};
