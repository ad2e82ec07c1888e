import { type ClientRequest, request } from 'node:http';
import { onTestFinished } from 'vitest';
import { type Sandbox, type SandboxOptions, startSandbox } from '../../../sandbox/server.ts';
import { credentials } from '../../../sandbox/world/credentials.ts';
import { world } from '../../../sandbox/world/ids.ts';

/** An answer; `body` is the parsed JSON, or the text if it is not JSON. */
export type Reply<T> = {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: T;
};

type Envelope<T> = {
  readonly status: number;
  readonly requestId: string;
  readonly result: T;
  readonly error: string;
};
type Data<T> = { readonly data: T; readonly message: string };

const send = async <T>(
  method: string,
  url: string,
  authorization: string,
  body: unknown,
): Promise<Reply<T>> => {
  const response = await fetch(url, {
    method,
    headers: {
      ...(authorization === '' ? {} : { authorization }),
      ...(body === undefined ? {} : { 'content-type': 'application/json' }),
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  const isJson = response.headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: response.status,
    headers: response.headers,
    text,
    // The only place where JSON enters: each test names the type that it then checks.
    body: (isJson ? JSON.parse(text) : text) as T,
  };
};

const { admin } = credentials.management;
const { main } = credentials.observability;

/**
 * A sandbox for one test, by default without limits, with a caller for each interface. A string body is sent unchanged, and
 * an empty authorization is not sent.
 */
export const open = async (options: SandboxOptions = {}) => {
  const sandbox: Sandbox = await startSandbox({ limits: false, ...options });
  onTestFinished(() => sandbox.close());
  return {
    sandbox,
    management: <T>(
      method: string,
      path: string,
      body?: unknown,
      authorization: string = admin.header,
    ) => send<Envelope<T>>(method, `${sandbox.managementUrl}${path}`, authorization, body),
    observability: <T>(
      method: string,
      path: string,
      body?: unknown,
      authorization: string = main.header,
    ) => send<Data<T>>(method, `${sandbox.observabilityUrl}${path}`, authorization, body),
  };
};

/** A clock that stands still until it is advanced. */
export const createClock = (start = '2026-11-21T12:00:00.000Z') => {
  let now = Date.parse(start);
  return {
    read: () => new Date(now),
    advance: (milliseconds: number) => {
      now += milliseconds;
    },
  };
};

/** The main organization's path. */
export const organization = `/v1/organizations/${world.management.main.organizationId}`;

/** The path of one of the main organization's services. */
export const service = (name: keyof typeof world.management.main.services): string =>
  `${organization}/services/${world.management.main.services[name]}`;

/** The path of one of the main organization's pipes, in the service given. */
export const pipe = (
  serviceName: keyof typeof world.management.main.services,
  name: keyof typeof world.management.main.pipes,
): string => `${service(serviceName)}/pipes/${world.management.main.pipes[name]}`;

export { credentials, world };

/** The part of an answer that a caller got before the connection ended. */
type Received = {
  readonly status: number | undefined;
  readonly length: number;
  readonly text: string;
  readonly complete: boolean;
};

/** Sends an exact GET; `answer` resolves when the response has ended in any way. */
export const get = (
  url: string,
  path: string,
  authorization: string,
): { readonly sent: ClientRequest; readonly answer: Promise<Received> } => {
  const sent = request(url, { path, headers: { authorization }, agent: false });
  const answer = new Promise<Received>((resolve, reject) => {
    sent.on('error', reject).on('response', (response) => {
      const chunks: Buffer[] = [];
      response
        .on('data', (chunk: Buffer) => chunks.push(chunk))
        // A broken response emits an error; `complete` below reports it.
        .on('error', () => undefined)
        .on('close', () =>
          resolve({
            status: response.statusCode,
            length: Number(response.headers['content-length']),
            text: Buffer.concat(chunks).toString('utf8'),
            complete: response.complete,
          }),
        );
    });
  });
  sent.end();
  return { sent, answer };
};
