import type { Call, Send } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { PathStart } from '../path.ts';
import { changedBy, foldPath, type WritePhase } from './changes.ts';
import { nameOf } from './kept-reads.ts';
import type { Memory, NameStart } from './memory.ts';
import type { Readings } from './readings.ts';
import type { SharedMemory } from './shared-memory.ts';
import type { Uncertain } from './uncertain.ts';

interface ForgettingOptions {
  readonly memory: Memory;
  /** Told of everything that is forgotten here, if replicas share what they read. */
  readonly shared: SharedMemory | undefined;
  readonly readings: Readings;
  readonly uncertain: Uncertain;
}

/** Forgets reads of one upstream, in this process and, where replicas share what they read, in all of them. */
export interface Forgetting {
  /** When something was forgotten last, in milliseconds of `performance.now()`. */
  readonly lastAt: number;
  /** Forgets what a write changes. Resolves once replicas know; where there are none it is done at once. */
  change(write: Call, phase: WritePhase): Promise<void> | undefined;
  /** Sends, and forgets all that the holder has read where the upstream refuses the credential. */
  refused(next: Send): Send;
  /** Forgets the call's own answer. */
  drop(call: Call): void;
}

const everything: readonly PathStart[] = [{ path: '', isWhole: false }];

/** Only a success does, or anybody could clear the memory of others with an invented credential. */
const countsForAll = (api: Call['row']['api'], phase: WritePhase): boolean =>
  phase === 'succeeded' && api.pathsNameOwner;

const isCredentialRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && (error.failure.status === 401 || error.failure.status === 403);

export const createForgetting = (options: ForgettingOptions): Forgetting => {
  const { memory, shared, readings, uncertain } = options;
  let lastAt = -Infinity;

  const namesOf = (call: Call, paths: readonly PathStart[]): readonly NameStart[] =>
    paths.map(({ path, isWhole }) => ({ name: nameOf(call, path), isWhole }));

  /** Forgets what one holder, or everybody where none is given, has read of these paths; nor is kept what is under way. */
  const forget = (call: Call, paths: readonly PathStart[], holder?: string): void => {
    memory.forget(namesOf(call, paths), holder);
    readings.change(paths, holder);
    lastAt = performance.now();
  };

  /** Has replicas do what one holder has changed, if there are any. */
  const tell = (
    { row: { api }, credential }: Call,
    paths: readonly PathStart[],
    phase: WritePhase,
  ): Promise<void> | undefined => {
    const isForAll = countsForAll(api, phase);
    const isUncertain = phase === 'uncertain';
    return shared?.tell({ upstream: api.name, credential, paths, isForAll, isUncertain });
  };

  const change = (write: Call, phase: WritePhase): Promise<void> | undefined => {
    const changed = changedBy(write);
    forget(write, changed, countsForAll(write.row.api, phase) ? undefined : write.holder);
    if (phase === 'uncertain') uncertain.note(write.holder, changed);
    return changed.length > 0 ? tell(write, changed, phase) : undefined;
  };

  return {
    get lastAt() {
      return lastAt;
    },
    change,
    refused: (next) => async (call) => {
      try {
        return await next(call);
      } catch (error) {
        if (isCredentialRefused(error)) {
          forget(call, everything, call.holder);
          const told = tell(call, everything, 'refused');
          if (told) await told;
        }
        throw error;
      }
    },
    drop: (call) => {
      const paths = [{ path: foldPath(call.path), isWhole: true }];
      forget(call, paths, call.holder);
      void tell(call, paths, 'refused');
    },
  };
};
