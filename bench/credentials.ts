/** What a caller of the gateway sends along. */
export interface Caller {
  /** Names and values in turn, as undici takes them. */
  readonly headers: readonly string[];
  readonly management: string;
  readonly observability: string;
}

const createCaller = (index: number): Caller => {
  const pair = `bench-key-${index}:bench-secret-${index}`;
  const management = `Basic ${Buffer.from(pair).toString('base64')}`;
  const observability = `Bearer bench-token-${String(index).padStart(32, '0')}`;
  return {
    management,
    observability,
    headers: [
      'content-type',
      'application/json',
      'accept',
      'application/json',
      'management-authorization',
      management,
      'observability-authorization',
      observability,
    ],
  };
};

/** Fifty callers: with fewer requests under way at a time, those of one caller hardly ever overlap. */
const callers = Array.from({ length: 50 }, (_, index) => createCaller(index));

/** `pool`: the fifty callers in turn. `same`: always the first. */
export type CallerMode = 'pool' | 'same';

export const callerAt = (mode: CallerMode, index: number): Caller => {
  const caller = callers[mode === 'same' ? 0 : index % callers.length];
  if (!caller) throw new RangeError(`There is no caller ${index}`);
  return caller;
};
