import type { RedisOptions } from 'ioredis';

const form =
  /^(rediss?)\+sentinel:\/\/(?:([^@/?#]*)@)?([^@/?#]+)\/([^/?#]+)(?:\/(\d{1,4}))?(?:\?([^#]*))?$/;

/** One of the hosts between commas; undefined if it is not a host with an optional port. */
const sentinelOf = (text: string) => {
  const parsed = URL.parse(`redis://${text}`);
  if (!parsed?.hostname) return undefined;
  return { host: parsed.hostname.replace(/^\[|\]$/g, ''), port: Number(parsed.port || 26_379) };
};

/** What `new Redis` takes. */
type Options = Omit<RedisOptions, 'replyMapping'>;

/**
 * The options of ioredis for a URL such as `redis+sentinel://user:password@one:26379,two:26379/mymaster/0`, in which user and
 * password are Redis'. The sentinels' are `?sentinelUsername=…&sentinelPassword=…`. `rediss+sentinel` uses TLS for both.
 *
 * @returns undefined if the URL is not of that form
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
      // The addresses that sentinels tell of each other may be out of reach from here, or outdated.
      updateSentinels: false,
    };
  } catch {
    // A percent sign that encodes nothing.
    return undefined;
  }
};
