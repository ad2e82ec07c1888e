import { mayBeCarriedOut, UpstreamError } from '../error.ts';
import type { PathStart } from '../path.ts';
import type { Answer, Call, Send } from './call.ts';

/** How a write stands, for those who remember reads that it changes. */
export type WritePhase = 'begins' | 'succeeded' | 'failed' | 'uncertain';

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
  tell: (phase: WritePhase) => void,
): Promise<Answer> => {
  tell('begins');
  let phase: WritePhase = 'failed';
  try {
    const answer = await next(call);
    phase = 'succeeded';
    return answer;
  } catch (error) {
    if (error instanceof UpstreamError && mayBeCarriedOut(error.failure)) phase = 'uncertain';
    throw error;
  } finally {
    tell(phase);
  }
};
