import { type Call, isBackgroundCall } from '../call.ts';
import { UpstreamError } from '../error.ts';
import { isBackground } from '../gate/claims.ts';
import type { CacheState, CallLog, Fate, Tell } from './fate.ts';

/** What the entries of a call have in common: each time that it is sent is an entry of its own. */
interface Entered {
  shared: boolean;
  /** Milliseconds that it waited before it was sent, the last time. */
  waited: number;
}

interface Entry {
  readonly call: Call;
  readonly of: Entered;
  readonly began: number;
  readonly cache: CacheState;
  readonly ageMs?: number;
  readonly waited: number;
  ended: number | undefined;
  status: number | undefined;
}

const tenths = (milliseconds: number): number => Math.round(milliseconds * 10) / 10;

const roundsOf = (entries: readonly Entry[]): readonly number[] => {
  const found: number[] = [];
  for (const { began } of entries) {
    // What memory answers keeps nobody waiting.
    const before = found.filter((_, index) => {
      const { ended = Infinity, ageMs } = entries[index] ?? {};
      return ageMs === undefined && ended <= began;
    });
    found.push(1 + before.reduce((latest, round) => Math.max(latest, round), 0));
  }
  return found;
};

const statusOf = (error: unknown): number | undefined =>
  error instanceof UpstreamError ? error.failure.status : undefined;

const isRefused = (error: unknown): boolean =>
  error instanceof UpstreamError && error.failure.reason === 'no-slot';

/** @param now milliseconds of a clock that never runs backwards */
export const createCallLog = (now: () => number = () => performance.now()): CallLog<Call> => {
  const entries: Entry[] = [];
  const calls = new Map<Call['id'], Entered>();

  const enteredOf = ({ id }: Call): Entered => {
    const entered = calls.get(id) ?? { shared: false, waited: 0 };
    calls.set(id, entered);
    return entered;
  };
  /** Enters an answer that came without sending. */
  const answered = (fate: Fate<Call>, facts: Pick<Entry, 'cache' | 'ageMs' | 'status'>): void => {
    const at = { began: now(), ended: now(), waited: 0 };
    entries.push({ call: fate.call, of: enteredOf(fate.call), ...at, ...facts });
  };

  return {
    hear: (fate) => {
      const { call } = fate;
      switch (fate.kind) {
        case 'memory':
          answered(fate, { cache: fate.state, ageMs: fate.ageMs, status: fate.status });
          break;
        case 'repeated':
          enteredOf(fate.first).shared = true;
          break;
        case 'joined': {
          const { since, answer, error } = fate;
          // Who did not wait for it has its answer from elsewhere, or an error.
          if (isRefused(error)) break;
          entries.push({
            ...{ call, of: enteredOf(call), began: since, cache: 'shared', ended: now() },
            waited: Math.max(0, (answer?.sentAt ?? since) - since),
            status: answer?.status ?? statusOf(error),
          });
          break;
        }
        case 'granted':
          enteredOf(call).waited = fate.waitedMs;
          break;
        case 'sent': {
          const of = enteredOf(call);
          const open = { ended: undefined, status: undefined };
          entries.push({ call, of, began: now(), cache: 'miss', waited: of.waited, ...open });
          break;
        }
        case 'ended': {
          const entry = entries.findLast((each) => each.call === call);
          if (!entry) break;
          entry.ended = now();
          entry.status = fate.status;
        }
      }
    },
    list: () => {
      // A read that was joined is entered when it ends.
      const inOrder = entries.toSorted((one, other) => one.began - other.began);
      const rounds = roundsOf(inOrder);
      return inOrder.map(({ of, call, began, ended, status, ...entry }, index) => ({
        name: call.row.api.name,
        operation: call.row.name,
        method: call.row.operation.method,
        path: call.path,
        status: status ?? null,
        milliseconds: ended === undefined ? null : tenths(ended - began),
        round: rounds[index] ?? 1,
        // A read that was joined, and then not waited for, marks no entry after it.
        shared: of.shared || entry.cache === 'shared',
        waitedMilliseconds: tenths(entry.waited),
        cache: entry.cache,
        ageSeconds: entry.ageMs === undefined ? null : Math.floor(entry.ageMs / 1000),
      }));
    },
  };
};

/** Enters what becomes of a call where its request asks for that. What is sent for no request belongs to none. */
export const explain: Tell<Call> = (fate) => {
  const { call } = fate;
  const isOfNone = fate.kind === 'sent' ? isBackgroundCall(call) : isBackground(call.priority);
  if (!isOfNone) call.caller.calls?.hear(fate);
};
