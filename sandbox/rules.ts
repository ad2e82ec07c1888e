import { type Issue, Refusal } from './refusal.ts';

/**
 * Reads one JSON value or throws a Refusal (400) that names each member that breaks a rule, and the rule. The value itself is
 * never quoted: it may be a secret.
 */
export type Reader<T> = (value: unknown, at: string) => T;

/** The result type of a reader. */
export type Of<R> = R extends Reader<infer T> ? T : never;

type Shape = Readonly<Record<string, Reader<unknown>>>;
type Members<S extends Shape> = { readonly [K in keyof S]: Of<S[K]> };
type Flat<T> = { readonly [K in keyof T]: T[K] };

const refusalOf = (issues: readonly Issue[]): Refusal =>
  new Refusal(400, issues.map(({ at, rule }) => `${at}: ${rule}`).join('; '), issues);

/** A Refusal (400) about one member. */
export const broken = (at: string, rule: string): Refusal => refusalOf([{ at, rule }]);

/** Runs the reads, and throws one Refusal with the issues of all of them, if there are any. */
const readAll = (reads: Iterable<() => void>): void => {
  const issues: Issue[] = [];
  for (const read of reads) {
    try {
      read();
    } catch (error) {
      if (!(error instanceof Refusal) || error.issues.length === 0) throw error;
      issues.push(...error.issues);
    }
  }
  if (issues.length > 0) throw refusalOf(issues);
};

const must =
  <T>(holds: (value: unknown) => value is T, rule: string): Reader<T> =>
  (value, at) => {
    if (!holds(value)) throw broken(at, `must be ${rule}`);
    return value;
  };

const isObject = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Any JSON value, unchanged. */
export const anything: Reader<unknown> = (value) => value;

/** A string, which may be empty: no lengths are documented. */
export const text: Reader<string> = must((value) => typeof value === 'string', 'a string');

/** `true` or `false`. */
export const flag: Reader<boolean> = must((value) => typeof value === 'boolean', 'a boolean');

/** Any JSON number. */
export const decimal: Reader<number> = must((value) => typeof value === 'number', 'a number');

/** A whole number that a double represents exactly, since byte sizes exceed 32 bits. */
export const integer: Reader<number> = must(
  (value): value is number => Number.isSafeInteger(value),
  'an integer',
);

/** A whole number between two limits, inclusive, and a multiple of `step`. */
export const integerBetween = (least: number, most: number, step = 1): Reader<number> => {
  const range = most === Infinity ? `of at least ${least}` : `from ${least} to ${most}`;
  const rule = step === 1 ? `an integer ${range}` : `an integer ${range} and a multiple of ${step}`;
  return must(
    (value): value is number =>
      Number.isSafeInteger(value) &&
      Number(value) >= least &&
      Number(value) <= most &&
      Number(value) % step === 0,
    rule,
  );
};

/** One of the named values of a closed set. */
export const oneOf = <const T extends string>(...values: readonly T[]): Reader<T> =>
  must(
    (value): value is T => values.some((known) => known === value),
    `one of ${values.join(', ')}`,
  );

/** An array of at least `least` elements, each read by `element`. */
export const list =
  <T>(element: Reader<T>, least = 0): Reader<readonly T[]> =>
  (value, at) => {
    if (!Array.isArray(value)) throw broken(at, 'must be an array');
    if (value.length < least) throw broken(at, `must have at least ${least} element`);
    const result: T[] = [];
    readAll(
      value.map((item: unknown, index) => () => {
        result[index] = element(item, `${at}[${index}]`);
      }),
    );
    return result;
  };

/** Reads one value with both readers. If both read a member, the result of the second counts. */
export const both =
  <A extends object, B extends object>(first: Reader<A>, second: Reader<B>) =>
  (value: unknown, at: string): Omit<A, keyof B> & B => ({
    ...first(value, at),
    ...second(value, at),
  });

/**
 * A JSON object. Members of `required` must be given; members of `optional` may be absent, and `null` counts as absent;
 * members of `forgotten` are checked like optional ones and then dropped, so that a secret never reaches the state. Other
 * members are ignored. Absent members are also absent in the result, so spreading it over a record changes only given
 * members.
 */
export const object =
  <R extends Shape, O extends Shape>(
    required: R,
    optional: O,
    forgotten: Shape = {},
  ): Reader<Flat<Members<R> & Partial<Members<O>>>> =>
  (value, at) => {
    if (!isObject(value)) {
      throw at === ''
        ? new Refusal(400, 'the body must be an object')
        : broken(at, 'must be an object');
    }
    const path = (name: string) => (at === '' ? name : `${at}.${name}`);
    const result: Record<string, unknown> = {};
    const needed = Object.entries(required).map(([name, reader]) => () => {
      if (value[name] === undefined) throw broken(path(name), 'is required');
      result[name] = reader(value[name], path(name));
    });
    const others = Object.entries({ ...optional, ...forgotten }).map(([name, reader]) => () => {
      const given = value[name];
      if (given === undefined || given === null) return;
      const read = reader(given, path(name));
      if (!(name in forgotten)) result[name] = read;
    });
    readAll([...needed, ...others]);
    return result as Flat<Members<R> & Partial<Members<O>>>;
  };
