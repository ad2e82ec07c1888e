import { type Failure, mayBeCarriedOut, UpstreamError } from '../error.ts';
import type { PathStart } from '../path.ts';
import type { ReadCall } from './read-call.ts';

/**
 * The phase of a write. `refused`: the upstream refused the content of the write. `failed`: any other certain failure.
 */
export type WritePhase = 'begins' | 'succeeded' | 'refused' | 'failed' | 'uncertain';

/** Whether the upstream refused the content of the write. The statuses left out say nothing about the content. */
const isRefusal = ({ status = 0 }: Failure): boolean =>
  status >= 400 && status <= 499 && ![401, 403, 429].includes(status);

/**
 * Gives the same text for all spellings of a path: UUIDs may be in small letters or in capitals (RFC 9562). Case
 * matters in other identifiers, so a write may mark more reads as changed than it changes.
 */
export const foldPath = (path: string): string => path.toLowerCase();

/** The folded paths of the reads that a write changes. */
export const changedBy = ({ row, ids }: Pick<ReadCall, 'row' | 'ids'>): readonly PathStart[] =>
  row.changes.map((template) => {
    const { path, isWhole } = template.fillStart(ids);
    return { path: foldPath(path), isWhole };
  });

/** All starts of a path that end with a slash or a question mark. */
const allStartsOf = (path: string): readonly string[] => {
  const folded = foldPath(path);
  const [plain = ''] = folded.split('?', 1);
  const slashes = [...plain.matchAll(/(?<=.)\//g)].map(({ index }) => plain.slice(0, index + 1));
  return plain === folded ? slashes : [...slashes, `${plain}?`];
};

/** The starts of a read's path that a change may name. */
export const startsOf = ({
  row,
  ids,
  path,
}: Pick<ReadCall, 'row' | 'ids' | 'path'>): readonly string[] => [
  ...(row.changedFrom ?? []).map((names) => {
    const given = Object.fromEntries(names.map((name) => [name, ids[name]]));
    return foldPath(row.path.fillStart(given).path);
  }),
  // All pages of a list except the first have a query.
  ...(path.includes('?') && !row.operation.takesQuery ? [`${foldPath(row.path.fill(ids))}?`] : []),
  ...(row.hasForeignWrites ? allStartsOf(path) : []),
];

/** Whether a path is one of these, or begins with one. */
export const isAmong = (starts: readonly PathStart[], path: string): boolean => {
  const folded = foldPath(path);
  return starts.some(({ path: start, isWhole }) =>
    isWhole ? folded === start : folded.startsWith(start),
  );
};

/** The phase in which a failed write ends. */
export const phaseOf = (error: unknown): WritePhase => {
  if (!(error instanceof UpstreamError)) return 'failed';
  if (mayBeCarriedOut(error.failure)) return 'uncertain';
  return isRefusal(error.failure) ? 'refused' : 'failed';
};
