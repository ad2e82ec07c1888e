import { SluiceError, type SluiceProblem } from './error.ts';

/** The progress of an incomplete answer: some reads were not ready in time. The gateway continues to read for a minute. */
export interface Progress {
  /** Number of finished reads. */
  readonly ready: number;
  /** Number of reads that the answer needs. */
  readonly wanted: number;
  /** When all reads will be ready, as far as the gateway can tell. */
  readonly completeInSeconds: number;
}

/** Data that the gateway adds to an answer. */
export interface Extensions extends Readonly<Record<string, unknown>> {
  /** Absent if all reads were ready in time. Fields whose reads were not ready are null, with an error `RATE_LIMITED`. */
  readonly progress?: Progress;
  /** The age in seconds of the oldest data that is no longer fresh. */
  readonly staleSeconds?: number;
}

/** A body that is a GraphQL answer. */
export interface Body {
  /** Null if an error removed all data. */
  readonly data: object | null;
  readonly errors: readonly SluiceProblem[];
  readonly extensions: Extensions | undefined;
}

/** An answer of the gateway. */
export interface Answer<Data> {
  /** Null if an error removed all data. Each failed field is null. */
  readonly data: Data | null;
  /** Empty if nothing failed. */
  readonly errors: readonly SluiceProblem[];
  /** Data that the gateway adds, such as its upstream calls if `Sluice-Explain: 1` was sent. */
  readonly extensions: Extensions | undefined;
  /** The gateway's id of the request. */
  readonly requestId: string | undefined;
  /** HTTP status. */
  readonly status: number;
}

type Members = Readonly<Record<string, unknown>>;

const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isError = (value: unknown): value is Members & { readonly message: string } =>
  isObject(value) && typeof value.message === 'string';

/**
 * The code of a response that is not an answer of the gateway. The gateway never answers with 401, but a login proxy in front
 * of it does.
 */
export const codeOf = (status: number | undefined): 'UNAUTHENTICATED' | 'BAD_ANSWER' =>
  status === 401 ? 'UNAUTHENTICATED' : 'BAD_ANSWER';

const problemOf = (
  { message, path, extensions }: Members & { message: string },
  status: number | undefined,
): SluiceProblem => {
  const told = isObject(extensions) ? extensions : {};
  return {
    ...told,
    message,
    code: typeof told.code === 'string' ? told.code : codeOf(status),
    ...(Array.isArray(path) && { path }),
  };
};

const parse = (text: string): unknown => {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
};

/** Parses a GraphQL answer: data, errors or both. Undefined for any other text. */
export const readBody = (text: string, status?: number): Body | undefined => {
  const body = parse(text);
  if (!isObject(body)) return undefined;
  const { data = null, extensions } = body;
  const errors = body.errors ?? [];
  if (!Array.isArray(errors) || !errors.every(isError)) return undefined;
  if (!isObject(data) && (data !== null || errors.length === 0)) return undefined;
  return {
    data,
    errors: errors.map((each) => problemOf(each, status)),
    extensions: isObject(extensions) ? extensions : undefined,
  };
};

/** The error of an answer, for callers that need an answer without errors. */
export const errorOf = ({
  errors,
  data,
  requestId,
  status,
}: Omit<Answer<unknown>, 'extensions'>): SluiceError | undefined => {
  const [first, ...others] = errors;
  return first && new SluiceError([first, ...others], { data, requestId, status });
};
