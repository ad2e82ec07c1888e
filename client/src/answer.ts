import { SluiceError, type SluiceProblem } from './error.ts';

/** How far an answer is of which not everything could be read in time. The gateway goes on reading for a minute. */
export interface Progress {
  /** Reads whose outcome is known. */
  readonly ready: number;
  /** All reads that the answer needs. */
  readonly wanted: number;
  /** When all of them will be ready, as far as the gateway can tell. */
  readonly completeInSeconds: number;
}

/** What the gateway adds to an answer. */
export interface Extensions extends Readonly<Record<string, unknown>> {
  /** Absent where nothing is missing for want of time. What is missing is null, with an error `RATE_LIMITED`. */
  readonly progress?: Progress;
  /** How many seconds ago the oldest part was read that is no longer fresh. */
  readonly staleSeconds?: number;
}

/** A body that is a GraphQL answer. */
export interface Body {
  /** Null where an error left nothing of it. */
  readonly data: object | null;
  readonly errors: readonly SluiceProblem[];
  readonly extensions: Extensions | undefined;
}

/** An answer of the gateway. */
export interface Answer<Data> {
  /** With errors: null for what failed, or null as a whole. */
  readonly data: Data | null;
  /** Empty where all went well. */
  readonly errors: readonly SluiceProblem[];
  /** What the gateway adds, such as its upstream calls where `Sluice-Explain: 1` was sent. */
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

const problemOf = ({ message, path, extensions }: Members & { message: string }): SluiceProblem => {
  const told = isObject(extensions) ? extensions : {};
  return {
    ...told,
    message,
    code: typeof told.code === 'string' ? told.code : 'BAD_ANSWER',
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

/** The answer that a text is, or undefined where it is something else: data, or errors, or both. */
export const readBody = (text: string): Body | undefined => {
  const body = parse(text);
  if (!isObject(body)) return undefined;
  const { data = null, extensions } = body;
  const errors = body.errors ?? [];
  if (!Array.isArray(errors) || !errors.every(isError)) return undefined;
  if (!isObject(data) && (data !== null || errors.length === 0)) return undefined;
  return {
    data,
    errors: errors.map(problemOf),
    extensions: isObject(extensions) ? extensions : undefined,
  };
};

/** The error that an answer with errors is to those who need all of it. */
export const errorOf = ({
  errors,
  data,
  requestId,
  status,
}: Omit<Answer<unknown>, 'extensions'>): SluiceError | undefined => {
  const [first, ...others] = errors;
  return first && new SluiceError([first, ...others], { data, requestId, status });
};
