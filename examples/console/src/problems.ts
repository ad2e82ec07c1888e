import { SluiceError, type SluiceErrorCode, type SluiceProblem } from '@sluice/client';

/** Keys and indexes that lead to a place in the data. */
export type Path = readonly (string | number)[];

/** The problems in any thrown value. */
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

/** Whether something failed. Reads that wait for a rate limit arrive later without an action. */
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

/** Whether a mutation with this error may have been carried out although its answer was lost. */
export const mayBeDone = ({ code }: SluiceProblem): boolean => unclear.has(code);

/** The problem that ends a session: no credential, or a refused one. */
export const refusalIn = (problems: readonly SluiceProblem[]): SluiceProblem | undefined =>
  problems.find(({ code }) => code === 'UNAUTHENTICATED');

/** The same for a read: if a credential may not see the root field, there is nothing to show. */
export const readRefusalIn = (problems: readonly SluiceProblem[]): SluiceProblem | undefined =>
  refusalIn(problems) ??
  problems.find(({ code, path }) => code === 'FORBIDDEN' && path?.length === 1);
