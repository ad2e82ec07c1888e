import { randomUUID } from 'node:crypto';
import { createServer, type ServerResponse } from 'node:http';
import { afterAll, beforeAll, beforeEach, onTestFinished } from 'vitest';
import { startSandbox } from '../../sandbox/server.ts';
import type { Config } from '../../src/config.ts';
import type { GatewayServerOptions } from '../../src/gateway/server.ts';
import { openGateway } from './gateway.ts';
import { post } from './http/requests.ts';
import { forwardTo } from './sandbox/forward.ts';
import { startServer } from './servers.ts';

/** A call as a backend received it. */
export interface Call {
  readonly upstream: 'management' | 'observability';
  readonly method: string;
  /** Path and query from the request line. */
  readonly path: string;
  /** In their order, with the names as sent: name, value, name, value. */
  readonly rawHeaders: readonly string[];
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
  /** Calls the listener when the connection closes before the call is answered. */
  onClose(listener: () => void): void;
  /** Closes the backend's port: open connections remain, and new ones are refused. */
  stopListening(): void;
}

export interface Answer {
  readonly status?: number;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body: string;
  /** Whether the connection breaks after this part of the body. */
  readonly isCutOff?: boolean;
}

/** Makes a backend's answer to a call. */
export type Answering = (call: Call) => Answer | Promise<Answer>;

/** An answer, or what breaks HTTP in its place; the request has been read completely. */
export type Reaction = Answer | ((response: ServerResponse) => void);
export type React = (call: Call) => Reaction | Promise<Reaction>;

export const json = (value: unknown, status = 200): Answer => ({
  status,
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify(value),
});

/** A success of the management interface, with a new request id each time. */
export const result = (value: unknown): Answer =>
  json({ status: 200, requestId: randomUUID(), result: value });

/** A success of the observability interface. */
export const data = (value: unknown): Answer => json({ data: value });

/** An interface on a real port, which adds each call to `calls`. */
export const startBackend = (upstream: Call['upstream'], calls: Call[], react: React) => {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const { method = '', url: path = '', rawHeaders, headers } = request;
    const call: Call = {
      ...{ upstream, method, path, rawHeaders, headers },
      body: Buffer.concat(chunks).toString('utf8'),
      onClose: (listener) => {
        response.once('close', () => response.writableEnded || listener());
      },
      stopListening: () => void server.close(),
    };
    calls.push(call);
    const reaction = await react(call);
    if (typeof reaction === 'function') return reaction(response);
    response.writeHead(reaction.status ?? 200, reaction.headers);
    if (reaction.isCutOff) response.write(reaction.body, () => response.destroy());
    else response.end(reaction.body);
  });
  return startServer(server);
};

/** Both interfaces, each on a real port; by default they answer with empty lists. */
export const startBackends = async ({
  management = () => result([]),
  observability = () => data([]),
}: Partial<StackOptions>) => {
  /** Every call so far, in the order of arrival. */
  const calls: Call[] = [];
  const first = await startBackend('management', calls, management);
  const second = await startBackend('observability', calls, observability);
  const close = async () => {
    await first.close();
    await second.close();
  };
  const env = { MANAGEMENT_URL: first.origin, OBSERVABILITY_URL: second.origin };
  /** The number of their open connections. */
  const connections = () => first.connections().open + second.connections().open;
  return { calls, env, connections, close };
};

/** Every call is sent at once, and no read is cached: for tests of everything else. */
export const unpaced: Partial<Config> = {
  managementRate: undefined,
  observabilityRate: undefined,
  readCacheBytes: 0,
};

/** The same, as environment variables. */
export const unpacedEnvironment = {
  MANAGEMENT_RATE: 'off',
  OBSERVABILITY_RATE: 'off',
  READ_CACHE_MB: '0',
} as const;

/** The upstreams' rate limits and the cache, as by default. */
export const paced: Partial<Config> = {
  managementRate: { calls: 10, windowMs: 10_000 },
  observabilityRate: { calls: 100, windowMs: 60_000 },
  readCacheBytes: 64 * 1024 * 1024,
};

/** Limits and budgets that no test reaches by accident: for tests of other features with large operations. */
export const wide: Partial<Config> = {
  maxUpstreamCalls: 100_000,
  maxUpstreamBytes: Number.MAX_SAFE_INTEGER,
  maxResponseSize: Number.MAX_SAFE_INTEGER,
  breakerFailures: 100_000,
  // One caller may use a quarter of them.
  upstreamConnections: 256,
  maxBodyBytes: 1024 * 1024,
  maxTokens: 1_000_000,
  maxCost: Number.MAX_SAFE_INTEGER,
};

/** An error of an answer, with the members that tests read. */
export interface AnswerError {
  readonly message: string;
  readonly path: readonly (string | number)[];
  readonly extensions: {
    readonly code: string;
    readonly setting?: string;
    readonly upstream: { readonly name: string; readonly operation: string };
  };
}

export interface GraphQLAnswer {
  readonly status: number;
  readonly headers: Headers;
  /** The body as text, byte for byte. */
  readonly text: string;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of every shape
  readonly body: any;
}

interface QueryOptions {
  readonly variables?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
  readonly operationName?: string;
}

export const credentials = {
  'management-authorization': 'Basic a2V5LWlkOmtleS1zZWNyZXQ=',
  'observability-authorization': 'Bearer token-of-the-caller',
} as const;

export interface StackOptions {
  readonly management: React;
  readonly observability: React;
  readonly config?: Partial<Config>;
  readonly credentials?: Readonly<Record<string, string>>;
  readonly gateway?: Partial<GatewayServerOptions>;
}

/** The gateway on a real port, in front of recording backends on real ports. */
export const startStack = async (options: Partial<StackOptions>) => {
  const { calls, env, connections, close } = await startBackends(options);
  const config = { ...unpaced, ...options.config };
  const gatewayOptions = options.gateway ?? {};
  const { url, lines, gateway, end } = await openGateway({ env, config, options: gatewayOptions });

  return {
    url,
    gateway,
    ...{ calls, connections },
    /** `METHOD /path` of every upstream call so far, sorted. */
    callList: () => calls.map(({ method, path }) => `${method} ${path}`).sort(),
    /** The whole log of the gateway. */
    log: () => lines.join(''),
    /** The lines of the log, parsed: all, or those with this message. */
    lines: (message?: string) =>
      lines
        .map((line) => JSON.parse(line))
        .filter(({ msg }) => message === undefined || msg === message),
    /** The log without the line for each request. */
    complaints: () => lines.filter((line) => !/"msg":"(?:operation|request)"/.test(line)).join(''),
    /** Sends an operation with both credentials; `headers` replaces them by name, and '' removes a header. */
    query: async (
      document: string,
      { variables, headers, operationName }: QueryOptions = {},
    ): Promise<GraphQLAnswer> => {
      const all = Object.entries<string>({ ...credentials, ...options.credentials, ...headers });
      const sent = Object.fromEntries(all.filter(([, value]) => value !== ''));
      const response = await post(url, document, sent, { variables, operationName });
      const text = await response.text();
      return { status: response.status, headers: response.headers, text, body: JSON.parse(text) };
    },
    close: async () => {
      // At once, since the gateway waits for what a backend may never answer.
      await Promise.all([end(), close()]);
    },
  };
};

export type Stack = Awaited<ReturnType<typeof startStack>>;

/** The same, until the test ends. */
export const stackInTest = async (options: Partial<StackOptions> = {}): Promise<Stack> => {
  const stack = await startStack(options);
  onTestFinished(stack.close);
  return stack;
};

const useStarted = <Started extends Stack>(start: () => Promise<Started>): Started => {
  let stack: Started | undefined;
  beforeAll(async () => {
    stack = await start();
  });
  beforeEach(() => {
    stack?.calls.splice(0);
  });
  afterAll(() => stack?.close());
  return new Proxy({} as Started, { get: (_, member) => Reflect.get(stack ?? {}, member) });
};

/** A stack for all tests of a file or a group, each of which begins without calls. */
export const useStack = (options: Partial<StackOptions> = {}): Stack =>
  useStarted(() => startStack(options));

/**
 * A stack whose backends record each call and forward it to a sandbox, by default without limits; uses the demo's
 * credentials.
 */
export const startSandboxStack = async (
  options: Pick<StackOptions, 'config' | 'gateway'> & {
    readonly sandbox?: Parameters<typeof startSandbox>[0];
  } = {},
) => {
  const sandbox = await startSandbox({ limits: false, ...options.sandbox });
  const stack = await startStack({
    ...options,
    management: forwardTo(sandbox.managementUrl),
    observability: forwardTo(sandbox.observabilityUrl),
    credentials: {
      'management-authorization': sandbox.credentials.management.admin.header,
      'observability-authorization': sandbox.credentials.observability.main.header,
    },
  });
  const close = async () => {
    await stack.close();
    await sandbox.close();
  };
  return { ...stack, sandbox, close };
};

/** The same, for all tests of a file or a group, each of which begins without calls. */
export const useSandboxStack = (...options: Parameters<typeof startSandboxStack>) =>
  useStarted(() => startSandboxStack(...options));
