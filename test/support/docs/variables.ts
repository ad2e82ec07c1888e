import { type Config, readConfig } from '../../../src/config.ts';

/** The gateway's settings with nothing but its URLs set, and the names of all variables that it reads. */
export const readVariables = (): {
  readonly config: Config;
  readonly variables: readonly string[];
} => {
  const urls: Readonly<Record<string, string>> = {
    MANAGEMENT_URL: 'http://management.invalid',
    OBSERVABILITY_URL: 'http://observability.invalid',
  };
  const variables = new Set<string>();
  const config = readConfig(
    new Proxy(urls, {
      get: (target, name) => {
        variables.add(String(name));
        return target[String(name)];
      },
    }),
  );
  return { config, variables: [...variables].sort() };
};
