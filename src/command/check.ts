import type { Config } from '../config.ts';
import { reachRedis } from '../redis/reach.ts';
import { type UpstreamUrls, urlsOf } from '../upstream/options.ts';
import { reach } from '../upstream/reach.ts';

interface Check {
  /** The findings, one a line. */
  readonly lines: readonly string[];
  readonly exitCode: 0 | 2;
}

type Checked = UpstreamUrls & Pick<Config, 'proxies' | 'redisUrl'>;

/** Tries the upstreams, without credentials, and Redis. The settings in `config` have been checked already. */
export const check = async (
  { proxies, redisUrl, ...urls }: Checked,
  timeoutMs = 10_000,
): Promise<Check> => {
  const reachUpstream = async (name: string, url: URL) => {
    const { reachable, finding } = await reach(url, { proxies, timeoutMs });
    return { reachable, line: `${name}: ${url.href} ${finding}` };
  };
  const tryRedis = async (url: string) => {
    const { reachable, finding } = await reachRedis(url, timeoutMs);
    return { reachable, line: `redis: ${finding}` };
  };
  const found = await Promise.all([
    ...urlsOf(urls).map(([name, url]) => reachUpstream(name, url)),
    ...(redisUrl === undefined ? [] : [tryRedis(redisUrl)]),
  ]);
  const egress = proxies ? '; calls go by HTTP_PROXY, HTTPS_PROXY and NO_PROXY' : '';
  return {
    lines: [`configuration: nothing is wrong${egress}`, ...found.map(({ line }) => line)],
    exitCode: found.every(({ reachable }) => reachable) ? 0 : 2,
  };
};
