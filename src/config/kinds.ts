import { sentinelOptionsOf } from '../redis/sentinels.ts';
import type { Rate } from '../upstream/gate/slots.ts';
import type { ServiceIds } from '../upstream/observability/clickstack.ts';
import { isIdentifier, uuid } from '../upstream/path.ts';
import { isDecodable } from './decodable.ts';

/** An environment variable that the gateway reads. */
export interface Setting<Value> {
  readonly name: string;
  /** What the variable is for. `--help` shows the first sentence, the guide the whole text. */
  readonly about: string;
  /** The default as people would write it; or `required`, `unset`, `none`. */
  readonly fallback: string;
  /**
   * @param given the value without blanks around it; undefined if the variable is not set
   * @throws SettingError if the value cannot be used
   */
  parse(given: string | undefined): Value;
}

/** What is wrong with a variable: the end of a sentence that begins with the variable's name. */
export class SettingError extends Error {}

const refuse = (expected: string, got: string): never => {
  throw new SettingError(`must be ${expected}, got ${JSON.stringify(got)}`);
};

const expectedUrl = 'an http or https URL without query, fragment or credentials';

export const requiredUrl = (name: string): string => `${name} is required: ${expectedUrl}`;

/** A URL that is required only beside some values of other settings. */
export const optionalUrl = (name: string, about: string): Setting<URL | undefined> => ({
  name,
  about,
  fallback: 'unset',
  parse: (given) => (given === undefined ? undefined : url(name, about).parse(given)),
});

export const url = (name: string, about: string): Setting<URL> => ({
  name,
  about,
  fallback: 'required',
  parse: (given) => {
    const expected = expectedUrl;
    if (given === undefined) throw new SettingError(`is required: ${expected}`);
    const parsed = URL.parse(given);
    const usable =
      parsed !== null &&
      /^https?:$/.test(parsed.protocol) &&
      parsed.username + parsed.password + parsed.search + parsed.hash === '';
    if (usable) return parsed;
    // These parts of a URL may hold credentials and tokens, even if the URL cannot be parsed.
    return refuse(expected, /[@?#]/.test(given) ? '(a value that may hold a secret)' : given);
  },
});

export const text = (name: string, fallback: string, about: string): Setting<string> => ({
  name,
  about,
  fallback,
  parse: (given = fallback) => given,
});

export const optionalText = (name: string, about: string): Setting<string | undefined> => ({
  name,
  about,
  fallback: 'unset',
  parse: (given) => given,
});

export const port = (name: string, fallback: number, about: string): Setting<number> => ({
  name,
  about,
  fallback: String(fallback),
  parse: (given = String(fallback)) =>
    /^\d{1,5}$/.test(given) && Number(given) <= 65_535
      ? Number(given)
      : refuse('a port from 0 to 65535', given),
});

/** A service, as `<organizationId>/<serviceId>`. */
export const service = (name: string, about: string): Setting<ServiceIds | undefined> => ({
  name,
  about,
  fallback: 'unset',
  parse: (given) => {
    if (given === undefined) return undefined;
    // As in answers: with capitals, its objects would be others in memory.
    const [organizationId = '', serviceId = '', ...more] = given.toLowerCase().split('/');
    const areUuids = [organizationId, serviceId].every((id) => isIdentifier(id, uuid));
    return areUuids && more.length === 0
      ? { organizationId, serviceId }
      : refuse('<organizationId>/<serviceId>, each a UUID', given);
  },
});

/** A port or `off`; the default is `off`. */
export const optionalPort = (name: string, about: string): Setting<number | undefined> => ({
  name,
  about,
  fallback: 'off',
  parse: (given = 'off') =>
    given.toLowerCase() === 'off' ? undefined : port(name, 0, about).parse(given),
});

/** Whether ioredis can use the URL: it reads the path as the number of a database. */
const isPlainRedis = (given: string): boolean => {
  const url = /^rediss?:\/\//i.test(given) ? URL.parse(given) : null;
  return (
    url !== null && url.hostname !== '' && /^\/?\d{0,4}$/.test(url.pathname) && isDecodable(url)
  );
};

/** A URL of Redis. It may hold a password, so no message shows any part of it. */
export const redisUrl = (name: string, about: string): Setting<string | undefined> => ({
  name,
  about,
  fallback: 'unset',
  parse: (given) => {
    if (given === undefined || isPlainRedis(given) || sentinelOptionsOf(given)) return given;
    const expected = given.includes('sentinel')
      ? 'like redis+sentinel://host1:26379,host2:26379/mymaster'
      : 'a redis://, rediss:// or redis+sentinel:// URL';
    const rule = 'with reserved characters percent-encoded';
    throw new SettingError(`must be ${expected}, ${rule}, got something else (not shown)`);
  },
});

const leastSecret = 32;

/** A text that nobody can guess. No message shows any part of it. */
export const secrets = (name: string, about: string): Setting<string | undefined> => ({
  name,
  about,
  fallback: 'unset',
  parse: (given) => {
    if (given === undefined) return given;
    const all = given.split(',').map((each) => each.trim());
    if (all.length > 2) {
      const got = `${all.length} (not shown)`;
      throw new SettingError(`must be one text, or a new and an old one, got ${got}`);
    }
    const short = all.find(({ length }) => length < leastSecret);
    if (short === undefined) return all.join(',');
    const got = `${short.length} (not shown)`;
    throw new SettingError(`must be at least ${leastSecret} characters long, got ${got}`);
  },
});

interface CountOptions {
  readonly least?: number;
  readonly most?: number;
  /** The number of the gateway's units in one unit of the setting. */
  readonly unit?: number;
}

export const count = (
  name: string,
  fallback: number,
  about: string,
  { least = 1, most = 999_999_999, unit = 1 }: CountOptions = {},
): Setting<number> => ({
  name,
  about,
  fallback: String(fallback),
  parse: (given = String(fallback)) =>
    /^\d{1,9}$/.test(given) && Number(given) >= least && Number(given) <= most
      ? Number(given) * unit
      : refuse(`a whole number from ${least} to ${most}`, given),
});

/** The entries between commas, without blanks around them; empty if the variable is not set. */
const listIn = (given: string | undefined): readonly string[] =>
  given?.split(',').map((entry) => entry.trim()) ?? [];

/** Names of headers, in lower case. `*` is refused: in CORS it does not cover headers that carry credentials. */
export const headerNames = (name: string, about: string): Setting<readonly string[]> => ({
  name,
  about,
  fallback: 'none',
  parse: (given) => {
    const listed = listIn(given);
    const wrong = listed.filter((entry) => !/^[\w!#$%&'+.^`|~-]+$/.test(entry));
    if (wrong.length === 0) return listed.map((entry) => entry.toLowerCase());
    return refuse('names of headers such as x-team, separated by commas', wrong.join(', '));
  },
});

export const origins = (name: string, about: string): Setting<readonly string[]> => ({
  name,
  about,
  fallback: 'none',
  parse: (given) => {
    const listed = listIn(given);
    const wrong = listed.filter(
      (origin) => URL.parse(origin)?.origin !== origin || origin.includes('*'),
    );
    if (wrong.length === 0) return listed;
    return refuse('origins such as https://app.example, separated by commas', wrong.join(', '));
  },
});

const chosen = <Value extends string>(values: readonly Value[], given: string): Value =>
  values.find((value) => value === given.toLowerCase()) ??
  refuse(values.join(' or '), given.toLowerCase());

/** One of several values; the first one is the default. */
export const oneOf = <Value extends string>(
  name: string,
  values: readonly [Value, ...Value[]],
  about: string,
): Setting<Value> => ({
  name,
  about,
  fallback: values[0],
  parse: (given) => (given === undefined ? values[0] : chosen(values, given)),
});

export const optionalOneOf = <Value extends string>(
  name: string,
  values: readonly Value[],
  about: string,
): Setting<Value | undefined> => ({
  name,
  about,
  fallback: 'unset',
  parse: (given) => (given === undefined ? undefined : chosen(values, given)),
});

const switches = ['on', 'off'] as const;

export const switched = (name: string, fallback: boolean, about: string): Setting<boolean> => ({
  name,
  about,
  fallback: fallback ? 'on' : 'off',
  parse: (given) => (given === undefined ? fallback : chosen(switches, given) === 'on'),
});

export const rate = (name: string, fallback: string, about: string): Setting<Rate | undefined> => ({
  name,
  about,
  fallback,
  parse: (given = fallback) => {
    if (given.toLowerCase() === 'off') return undefined;
    // For every call the gate looks at all slots of a credential: with more slots, that takes longer than sending.
    const [, calls, seconds] = /^([1-9]\d{0,3})\/([1-9]\d{0,3})s$/.exec(given) ?? [];
    if (calls === undefined) {
      return refuse('calls and seconds such as 10/10s, each at most 9999, or off', given);
    }
    return { calls: Number(calls), windowMs: Number(seconds) * 1000 };
  },
});

export const memberName = (name: string, fallback: string, about: string): Setting<string> => ({
  name,
  about,
  fallback,
  parse: (given = fallback) =>
    /^[A-Za-z_]\w{0,63}$/.test(given)
      ? given
      : refuse('the name of a JSON member (letters, digits, underscores)', given),
});
