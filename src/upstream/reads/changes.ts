import type { Answer, Call, Send } from '../call.ts';
import { type Failure, mayBeCarriedOut, UpstreamError } from '../error.ts';
import type { PathStart } from '../path.ts';

/** How a write stands, for those who remember reads that it changes; refused for what it says, or failed otherwise. */
export type WritePhase = 'begins' | 'succeeded' | 'refused' | 'failed' | 'uncertain';

/** 4xx, but for those that say nothing of what is to be written. */
const isRefusal = ({ status = 0 }: Failure): boolean =>
  status >= 400 && status <= 499 && ![401, 403, 429].includes(status);

/**
 * The same text for all spellings of a path: UUIDs are the same in small letters and in capitals (RFC 9562). Other
 * identifiers are not; of these a write may forget more than it changes.
 */
export const foldPath = (path: string): string => path.toLowerCase();

/** The paths of the reads that a write changes, folded. */
export const changedBy = ({ row, ids }: Pick<Call, 'row' | 'ids'>): readonly PathStart[] =>
  row.changes.map((template) => {
    const { path, isWhole } = template.fillStart(ids);
    return { path: foldPath(path), isWhole };
  });

/** What changes may name in place of a read's path. */
export const startsOf = ({ row, ids }: Pick<Call, 'row' | 'ids'>): readonly string[] => [
  ...(row.changedFrom ?? []).map((names) => {
    const given = Object.fromEntries(names.map((name) => [name, ids[name]]));
    return foldPath(row.path.fillStart(given).path);
  }),
  // All pages of a list but the first have a query.
  ...(row.pageSize === undefined ? [] : [`${foldPath(row.path.fill(ids))}?`]),
];

/** Whether a path is one of these. */
export const isAmong = (starts: readonly PathStart[], path: string): boolean => {
  const folded = foldPath(path);
  return starts.some(({ path: start, isWhole }) =>
    isWhole ? folded === start : folded.startsWith(start),
  );
};

/** Sends a write, and tells how it stands when it begins and when it ends, before anybody else learns of its end. */
export const tellingChanges = async (
  call: Call,
  next: Send,
  tell: (phase: WritePhase) => void | Promise<void>,
): Promise<Answer> => {
  // Where nobody else is to be told, nothing is put off.
  const begun = tell('begins');
  if (begun) await begun;
  let phase: WritePhase = 'failed';
  try {
    const answer = await next(call);
    phase = 'succeeded';
    return answer;
  } catch (error) {
    if (error instanceof UpstreamError) {
      const { failure } = error;
      phase = mayBeCarriedOut(failure) ? 'uncertain' : isRefusal(failure) ? 'refused' : 'failed';
    }
    throw error;
  } finally {
    const ended = tell(phase);
    if (ended) await ended;
  }
};
