import type { Answer, Call, SoughtRead } from '../call.ts';
import { foldPath } from './changes.ts';
import type { Kept, KeptState } from './memory.ts';
import type { Look } from './shared-memory.ts';

/** How long after it was read an answer may be shown at all, in milliseconds. */
export const staleMs = 60_000;
/** How old an answer may be at most while replicas cannot be asked, in milliseconds. */
const aloneMs = 3000;

/** What reads of that path are kept by, whoever holds them. */
export const nameOf = ({ row: { api } }: Pick<Call, 'row'>, path: string): string =>
  `${api.name} ${foldPath(path)}`;

/** How long ago it was read, in milliseconds. */
export const ageOf = ({ readAt }: Kept): number => performance.now() - readAt;

/** For how long the call's answer is fresh, in milliseconds. */
export const freshMsOf = ({ freshMs, row }: SoughtRead): number =>
  freshMs ?? (row.operation.freshSeconds ?? 0) * 1000;

/** A kept read as it answers a call. */
export const answerOf = ({ body, contentType, sentAt, readAt }: Kept): Answer => ({
  status: 200,
  headers: { 'content-type': contentType },
  body,
  sentAt,
  readAt,
});

/** What replicas knew when they were asked; without `look`, they were out of reach. */
interface Known {
  readonly look: Look | undefined;
}

/** Whether nothing has changed since it was read. Where replicas are out of reach, it has to be young instead. */
const isCurrent = (kept: Kept, { look }: Known): boolean => {
  if (!look) return ageOf(kept) <= aloneMs;
  return !look.isUncertain && kept.marks?.changes === look.marks.changes;
};

/** Whether it may not be shown once it is no longer fresh. */
const isDoubtful = ({ marks }: Kept, { look }: Known): boolean =>
  marks === undefined || marks.doubts !== look?.marks.doubts;

/**
 * How a kept read answers a call; undefined where it does not.
 *
 * @param known absent where no replicas are asked
 * @param readAfter when it has to be sent at the earliest
 */
export const stateOf = (
  call: SoughtRead,
  kept: Kept,
  known?: Known,
  readAfter = call.caller.readAfter,
): KeptState['state'] | undefined => {
  if (kept.sentAt < readAfter || kept.path !== call.path) return undefined;
  if (known && !isCurrent(kept, known)) return undefined;
  if (ageOf(kept) <= freshMsOf(call)) return 'fresh';
  const mayBeStale = kept.mayBeStale && !(known && isDoubtful(kept, known));
  return mayBeStale && ageOf(kept) <= staleMs ? 'stale' : undefined;
};
