import { type Call, isBackgroundCall } from '../call.ts';
import { UpstreamError } from '../error.ts';
import type { CacheState, CallLog, Fate, Tell } from '../fate.ts';
import { isBackground } from '../priority.ts';

/** What all entries of a call share: a call has one entry for each time that it is sent. */
interface Entered {
  shared: boolean;
  /** Milliseconds that the call waited before it was last sent. */
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
    // No call has to wait for an answer from memory.
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
          if (!fate.isTaken) enteredOf(fate.first).shared = true;
          break;
        case 'joined': {
          const { since, answer, error } = fate;
          // The call did not wait for the shared read: it got an older answer, or an error.
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
      // A joined read gets its entry only when it ends, so the entries are not in order.
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
        // `cache` concerns only this entry: the call may have left a joined read later, and been sent itself.
        shared: of.shared || entry.cache === 'shared',
        waitedMilliseconds: tenths(entry.waited),
        cache: entry.cache,
        ageSeconds: entry.ageMs === undefined ? null : Math.floor(entry.ageMs / 1000),
      }));
    },
  };
};

/**
 * Tells the request's log of its calls, if the request asks for the log. Calls in the background belong to no request.
 */
export const explain: Tell<Call> = (fate) => {
  const { call } = fate;
  const isOfNone = fate.kind === 'sent' ? isBackgroundCall(call) : isBackground(call.priority);
  if (!isOfNone) call.caller.calls?.hear(fate);
};
