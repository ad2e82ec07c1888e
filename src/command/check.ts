import type { Config } from '../config.ts';
import { reach } from '../upstream/reach.ts';

interface Check {
  /** The findings, one a line. */
  readonly lines: readonly string[];
  readonly exitCode: 0 | 2;
}

/** Tries both upstreams, without credentials. The settings in `config` have been checked already. */
export const check = async (
  { managementUrl, observabilityUrl }: Pick<Config, 'managementUrl' | 'observabilityUrl'>,
  timeoutMs = 10_000,
): Promise<Check> => {
  const upstreams = [
    ['management', managementUrl],
    ['observability', observabilityUrl],
  ] as const;
  const found = await Promise.all(
    upstreams.map(async ([name, url]) => ({ name, url, ...(await reach(url, timeoutMs)) })),
  );
  return {
    lines: [
      'configuration: nothing is wrong',
      ...found.map(({ name, url, finding }) => `${name}: ${url.href} ${finding}`),
    ],
    exitCode: found.every(({ reachable }) => reachable) ? 0 : 2,
  };
};
