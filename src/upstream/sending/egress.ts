import { type buildConnector, type Dispatcher, EnvHttpProxyAgent, errors, Pool } from 'undici';

/** The values of HTTP_PROXY, HTTPS_PROXY and NO_PROXY; an empty text if not set. The URLs may hold passwords. */
export interface Proxies {
  readonly httpProxy: string;
  readonly httpsProxy: string;
  readonly noProxy: string;
}

/** What is wrong with a proxy: its error's code, or its refusal's status. Then nothing has reached the upstream. */
export const proxyCause = (code: string | undefined): string | undefined =>
  /^proxy (.+)/.exec(code ?? '')?.[1];

/** undici's errors for a proxy's refusal have no code of their own. */
const refusal = /^Proxy (?:response|Authentication Required) \((\d{3})\)/;

/** undici ends a connection on which `100 Continue` comes, and its error has no code of its own. */
export const interim100 = 'interim 100';

/**
 * The code of an error, such as ECONNREFUSED. Unlike the message, it names no host. Codes such as `proxy ECONNREFUSED`
 * and `proxy 407` mean an error of a proxy.
 */
export const codeOf = (error: unknown): string | undefined => {
  if (!(error instanceof Error)) return undefined;
  const [, status] = refusal.exec(error.message) ?? [];
  if (status !== undefined) return `proxy ${status}`;
  // The proxy has closed the connection before the tunnel was open.
  if (error instanceof errors.ProxyConnectionError) return 'proxy ECONNRESET';
  if (error instanceof errors.SocketError && error.message === 'bad response') return interim100;
  if ('code' in error && typeof error.code === 'string') return error.code;
  // undici's parser gives most of its errors no code.
  return error.name === 'HTTPParserError' ? 'HPE_INVALID' : undefined;
};

/** Faults of this process, not of a proxy. */
const ownFaults = new Set(['EMFILE', 'ENFILE']);

/** Marks the codes of errors that come from a connection to a proxy. */
const toProxy =
  (connect: buildConnector.connector): buildConnector.connector =>
  (options, callback) =>
    connect(options, (...[error, socket]) => {
      const code = codeOf(error);
      if (error === null) callback(error, socket);
      else if (code !== undefined && ownFaults.has(code)) callback(error, null);
      else callback(Object.assign(new Error(), { code: `proxy ${code ?? error.name}` }), null);
    });

type PoolOptions = Pool.Options & { readonly connectTimeout: number };

/** Connections to one origin, direct or through a proxy: in a tunnel for https, forwarded by the proxy for http. */
export const connectTo = (
  origin: string,
  options: PoolOptions,
  proxies: Proxies | undefined,
): Dispatcher => {
  if (!proxies) return new Pool(origin, options);
  type Connecting = { readonly connect: buildConnector.connector };
  return new EnvHttpProxyAgent({
    ...options,
    ...proxies,
    // To a forwarding proxy, undici itself would connect without these options.
    factory: (to, given) => {
      if (new URL(to).origin === origin) return new Pool(to, { ...options, ...given });
      return new Pool(to, { ...options, connect: toProxy((given as Connecting).connect) });
    },
    clientFactory: (to, given) =>
      new Pool(to, {
        connect: toProxy((given as Connecting).connect),
        headersTimeout: options.connectTimeout,
      }),
  });
};
