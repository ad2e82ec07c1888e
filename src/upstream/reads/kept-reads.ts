import type { Answer, Call } from '../call.ts';
import { fingerprint } from '../credential-identity.ts';
import { foldPath } from './changes.ts';
import type { Kept, KeptState } from './memory.ts';
import type { Look } from './shared-memory.ts';

/** How long after it was read an answer may be shown at all, in milliseconds. */
export const staleMs = 60_000;
/** How old an answer may be at most while replicas cannot be asked, in milliseconds. */
const aloneMs = 3000;

/** Stands for a read of the same credential. A credential has no line break. */
export const spellingOf = ({ credential, path }: Call): string =>
  fingerprint(`${credential}\n${path}`);

/** What reads of that path are kept by, whoever holds them. */
export const nameOf = ({ row: { api } }: Call, path: string): string =>
  `${api.name} ${foldPath(path)}`;

/** How long ago it was read, in milliseconds. */
export const ageOf = ({ readAt }: Kept): number => performance.now() - readAt;

/** For how long the call's answer is fresh, in milliseconds. */
export const freshMsOf = ({ freshMs, row }: Call): number =>
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
  return !look.isUncertain && kept.marks === look.marks;
};

/**
 * How a kept read answers a call; undefined where it does not.
 *
 * @param known absent where no replicas are asked
 * @param readAfter when it has to be sent at the earliest
 */
export const stateOf = (
  call: Call,
  kept: Kept,
  known?: Known,
  readAfter = call.caller.readAfter,
): KeptState['state'] | undefined => {
  if (kept.sentAt < readAfter || kept.spelling !== spellingOf(call)) return undefined;
  if (known && !isCurrent(kept, known)) return undefined;
  if (ageOf(kept) <= freshMsOf(call)) return 'fresh';
  const isOutOfReach = known !== undefined && known.look === undefined;
  return !isOutOfReach && ageOf(kept) <= staleMs ? 'stale' : undefined;
};
