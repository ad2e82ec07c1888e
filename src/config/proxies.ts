import type { Proxies } from '../upstream/sending/egress.ts';
import { isDecodable } from './decodable.ts';

type Environment = Readonly<Record<string, string | undefined>>;

/** As undici reads them: the name in lower case has priority, even if its value is empty. */
const givenAs = (environment: Environment, lower: string) => {
  const name = environment[lower] === undefined ? lower.toUpperCase() : lower;
  return { name, given: environment[name]?.trim() ?? '' };
};

/** Whether undici can use the URL: it accepts only an origin, and decodes the user and the password. */
const isUsable = (given: string): boolean => {
  const url = URL.parse(given);
  if (!url || !/^https?:$/.test(url.protocol)) return false;
  return url.pathname + url.search + url.hash === '/' && isDecodable(url);
};

/** A sentence for each proxy whose URL cannot be used. The URL may hold a password, so no part of it is shown. */
export const proxyFaults = (environment: Environment): readonly string[] =>
  ['http_proxy', 'https_proxy'].flatMap((lower) => {
    const { name, given } = givenAs(environment, lower);
    const expected = 'an http or https URL such as http://proxy.example:3128';
    if (given === '' || isUsable(given)) return [];
    return [`${name} must be ${expected}, got something else (not shown)`];
  });

/** The proxies for calls to the upstreams, from the variables that most programs use; undefined if none is set. */
export const readProxies = (environment: Environment): Proxies | undefined => {
  const { given: httpProxy } = givenAs(environment, 'http_proxy');
  const { given: httpsProxy } = givenAs(environment, 'https_proxy');
  const { given: noProxy } = givenAs(environment, 'no_proxy');
  return httpProxy + httpsProxy === '' ? undefined : { httpProxy, httpsProxy, noProxy };
};
