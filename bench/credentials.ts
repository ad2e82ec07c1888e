/** What a caller of the gateway sends along: names and values in turn, as undici takes them. */
export type Credentials = readonly string[];

const createCredentials = (index: number): Credentials => {
  const pair = `bench-key-${index}:bench-secret-${index}`;
  return [
    'management-authorization',
    `Basic ${Buffer.from(pair).toString('base64')}`,
    'observability-authorization',
    `Bearer bench-token-${String(index).padStart(32, '0')}`,
  ];
};

/** More callers than requests at a time: two requests of one caller hardly ever overlap. */
export const callers: readonly Credentials[] = Array.from({ length: 50 }, (_, index) =>
  createCredentials(index),
);

/** `pool`: the fifty callers in turn. `same`: always the first. */
export type CallerMode = 'pool' | 'same';
