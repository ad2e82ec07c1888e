import { mayBeCarriedOut, UpstreamError } from '../error.ts';
import type { PathStart } from '../path.ts';
import type { Answer, Call, Send } from './call.ts';

/** How a write stands, for those who remember reads that it changes. */
export type WritePhase = 'begins' | 'succeeded' | 'failed' | 'uncertain';

/** The paths of the reads that a write changes. */
export const changedBy = ({ row, ids }: Pick<Call, 'row' | 'ids'>): readonly PathStart[] =>
  row.changes.map((template) => template.fillStart(ids));

/** Whether a path is one of these. */
export const isAmong = (starts: readonly PathStart[], path: string): boolean =>
  starts.some((start) => (start.isWhole ? path === start.path : path.startsWith(start.path)));

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
