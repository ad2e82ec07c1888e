import type { RedisOptions } from 'ioredis';

const form =
  /^(rediss?)\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(?:\/(\d{1,4}))?(?:\?([^#]*))?$/;

/** One of the hosts between commas; undefined if it is not a host with or without a port. */
const sentinelOf = (text: string) => {
  const parsed = URL.parse(`redis://${text}`);
  if (!parsed?.hostname) return undefined;
  return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port: Number(parsed.port || 26_379) };
};

/** The options of `new Redis`. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/**
 * The options of ioredis for a URL such as `redis+sentinel://user:password@one:26379,two:26379/mymaster/0`. User and
 * password are those of Redis; those of the sentinels are `?sentinelUsername=…&sentinelPassword=…`. `rediss+sentinel`
 * uses TLS for both.
 *
 * @returns undefined if the URL does not have this form
 */
export const sentinelOptionsOf = (url: string): Options | undefined => {
  const [, scheme, user = '', hosts = '', name = '', db = '0', search] = form.exec(url) ?? [];
  const sentinels = hosts.split(',').flatMap((host) => sentinelOf(host) ?? []);
  // A plus sign in a password stands for itself.
  const query = new Map(new URLSearchParams(search?.replaceAll('+', '%2B')));
  const { sentinelUsername, sentinelPassword, ...others } = Object.fromEntries(query);
  const isUsable = sentinels.length === hosts.split(',').length && Object.keys(others).length === 0;
  if (!isUsable) return undefined;
  const [username = '', ...password] = user.split(':');
  try {
    return {
      ...{ sentinels, name: decodeURIComponent(name), db: Number(db) },
      ...(username !== '' && { username: decodeURIComponent(username) }),
      ...(password.length > 0 && { password: decodeURIComponent(password.join(':')) }),
      ...(sentinelUsername !== undefined && { sentinelUsername }),
      ...(sentinelPassword !== undefined && { sentinelPassword }),
      ...(scheme === 'rediss' && { tls: {}, sentinelTLS: {}, enableTLSForSentinelMode: true }),
      // The addresses that sentinels have of each other may be outdated, or out of reach from here.
      updateSentinels: false,
    };
  } catch {
    // The text has a percent sign that encodes nothing.
    return undefined;
  }
};
