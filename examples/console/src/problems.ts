import { SluiceError, type SluiceErrorCode, type SluiceProblem } from '@sluice/client';

/** Keys and indexes that lead to a place in the data. */
export type Path = readonly (string | number)[];

/** What went wrong, of whatever was thrown. */
export const problemsIn = (thrown: unknown): readonly SluiceProblem[] =>
  thrown instanceof SluiceError
    ? thrown.problems
    : [{ code: 'UNEXPECTED', message: `The page failed: ${thrown}` }];

/** The problems at `path` and below it. */
export const problemsAt = (
  problems: readonly SluiceProblem[],
  path: Path,
): readonly SluiceProblem[] =>
  problems.filter(({ path: place }) => path.every((step, index) => place?.[index] === step));

/** Whether something failed: what a limit kept back follows by itself. */
export const isFailure = ({ code }: SluiceProblem): boolean => code !== 'RATE_LIMITED';

const unclear: ReadonlySet<SluiceErrorCode> = new Set([
  'NETWORK_ERROR',
  'BAD_ANSWER',
  'UPSTREAM_TIMEOUT',
  'UPSTREAM_UNAVAILABLE',
  'UPSTREAM_BAD_RESPONSE',
  'UPSTREAM_ERROR',
  'INTERNAL_SERVER_ERROR',
]);

/** Whether a mutation that ended so may have been carried out, its answer alone being lost. */
export const mayBeDone = ({ code }: SluiceProblem): boolean => unclear.has(code);

/** The problem that ends a session: no credential, or a refused one. */
export const refusalIn = (problems: readonly SluiceProblem[]): SluiceProblem | undefined =>
  problems.find(({ code }) => code === 'UNAUTHENTICATED');

/** The same of a read, where a root field that the credential may not see leaves nothing to show. */
export const readRefusalIn = (problems: readonly SluiceProblem[]): SluiceProblem | undefined =>
  refusalIn(problems) ??
  problems.find(({ code, path }) => code === 'FORBIDDEN' && path?.length === 1);
