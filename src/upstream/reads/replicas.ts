import type { Answer, Asked, Call } from '../call.ts';
import { pause } from '../sending/abort.ts';
import { startsOf } from './changes.ts';
import type { Kept } from './memory.ts';
import type { Look, ReadName, SharedAnswer, SharedMemory } from './shared-memory.ts';

/** How long a read of another process is waited for, and how often it is asked for meanwhile, in milliseconds. */
const longestMs = 1500;
const againMs = 50;

/** What replicas knew of a read when they were asked last. */
export interface AskedReplicas extends Asked {
  /** Undefined where they were out of reach. */
  readonly look: Look | undefined;
}

/** What may answer a read, and whether it is fresh. */
export interface Found {
  readonly kept: Kept;
  readonly state: 'fresh' | 'stale';
}

interface ReplicasOptions {
  readonly shared: SharedMemory;
  /** What this process has itself, whatever has changed since. */
  readonly own: (call: Call) => Kept | undefined;
  /** Takes what another has read, and gave when asked at that time. */
  readonly take: (call: Call, found: SharedAnswer, askedAt: number) => void;
  /** What may answer the read, after what replicas said was taken. */
  readonly find: (call: Call, asked: AskedReplicas, readAfter: number) => Found | undefined;
  readonly freshMsOf: (call: Call) => number;
  readonly show: (call: Call, found: Kept) => Answer;
  /** For how long an operation waits, in all, before it shows an older answer, in milliseconds. */
  readonly patienceMs: number;
}

/** Asks replicas before a read is sent, so that they read it once for all. */
export interface Replicas {
  /** Asks, and waits a moment while another process reads it. */
  ask(call: Call): Promise<AskedReplicas>;
  /** The same for a further read with what is known already. */
  knowing(call: Call, asked: AskedReplicas): AskedReplicas;
  /** The read came to nothing that is kept. */
  release(call: Call, asked: AskedReplicas): void;
}

/** A read as replicas know it. */
export const readNameOf = (call: Call): ReadName => ({
  upstream: call.row.api.name,
  credential: call.credential,
  path: call.path,
  starts: startsOf(call),
  pathsNameOwner: call.row.api.pathsNameOwner,
});

export const createReplicas = (options: ReplicasOptions): Replicas => {
  const { shared, own, take, find, freshMsOf, show, patienceMs } = options;

  const lookAt = async (call: Call, readAfter: number): Promise<Look | undefined> => {
    const askedAt = performance.now();
    const kept = own(call);
    const look = await shared.look(readNameOf(call), {
      readAfter,
      freshMs: freshMsOf(call),
      own: kept?.marks === undefined ? undefined : { ...kept, marks: kept.marks },
    });
    if (look?.found) take(call, look.found, askedAt);
    return look;
  };

  const knowing = (call: Call, first: Look | undefined): AskedReplicas => {
    let look = first;
    const asked: AskedReplicas = {
      get look() {
        return look;
      },
      get changes() {
        return look?.marks;
      },
      again: async (readAfter) => {
        const next = await lookAt(call, readAfter);
        if (!next) return undefined;
        look = next;
        const found = find(call, asked, readAfter);
        return found?.state === 'fresh' ? show(call, found.kept) : undefined;
      },
    };
    return asked;
  };

  return {
    ask: async (call) => {
      const { readAfter, arrivedAt } = call.caller;
      const latest = Math.min(performance.now() + longestMs, call.latest);
      for (;;) {
        const asked = knowing(call, await lookAt(call, readAfter));
        const found = find(call, asked, readAfter);
        const until = found ? Math.min(latest, arrivedAt + patienceMs) : latest;
        const isAwaited = found?.state !== 'fresh' && asked.look?.reader === 'another';
        if (!isAwaited || performance.now() >= until || call.signal.aborted) return asked;
        await pause(againMs, call.signal);
      }
    },
    knowing: (call, { look }) => knowing(call, look),
    release: (call, { look }) => {
      if (look?.reader === 'this') shared.release(readNameOf(call));
    },
  };
};
