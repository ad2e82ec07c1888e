import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { maxAgeOf } from '../gateway/cache-control.ts';
import { credentialHeaders, credentialsOf } from '../gateway/credentials.ts';
import { beginLifetime, type Lifetime, type LifetimeOptions } from '../gateway/lifetime.ts';
import { type HeaderOf, traceHeadersOf } from '../gateway/trace-context.ts';
import { createAges } from '../upstream/ages.ts';
import { type BudgetOptions, createBudget } from '../upstream/budget.ts';
import type { Watcher } from '../upstream/call/call.ts';
import { createCallLog } from '../upstream/call/explain.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import { createRequestSecrets, type RequestSecrets } from '../upstream/secrets.ts';
import { createWaits } from '../upstream/waits.ts';
import type { GatewayPlugin } from './plugin.ts';

/** A request under way. */
interface CallerRequest {
  /** What of it may reach an upstream (docs/architecture.md, "Credentials pass through"); nothing else does. */
  readonly caller: UpstreamCaller;
  /** When it came, in milliseconds of `performance.now()`. */
  readonly began: number;
  /** Makes it the beginning of a stream of events, which takes as long as it takes. */
  stream(): CallerStream;
  /** Whether it is one: what each event tells is done by the plugin that makes them. */
  readonly isStream: boolean;
}

/** A request that is answered with a stream of events. */
export interface CallerStream {
  /** Aborted when the caller has gone. */
  readonly gone: AbortSignal;
  /** Each event is an operation by itself, with a budget and a deadline of its own. It is given up with the signal. */
  begin(watcher: Watcher, signal: AbortSignal): CallerEvent;
}

export interface CallerEvent {
  readonly caller: UpstreamCaller;
  /** To be called when it is over. */
  end(): void;
}

/**
 * What is known of each request under way. It holds credentials, so it is no member of Yoga's context, which any
 * plugin may log.
 */
export type Callers = WeakMap<IncomingMessage, CallerRequest>;

interface CallerOptions extends BudgetOptions, LifetimeOptions {
  /** Whether a request may ask for its upstream calls with `Sluice-Explain: 1`. */
  readonly explain: boolean;
}

const requestIdForm = /^[\w.-]{1,128}$/;

/**
 * The request's id and trace headers as the caller gave them, where they have the right form. Nothing of them where
 * they hold a credential: both upstreams get them, and the log gets the id.
 */
const identificationOf = (
  header: HeaderOf,
  secrets: RequestSecrets,
): Pick<UpstreamCaller, 'requestId' | 'traceHeaders'> => {
  const given = header('x-request-id') ?? '';
  const requestId = requestIdForm.test(given) ? given : '';
  const traceHeaders = traceHeadersOf(header);
  const shown = [requestId, ...traceHeaders].join('\n');
  const isSafe = shown === '' || secrets.areMissingIn(shown);
  return {
    requestId: (isSafe && requestId) || randomUUID(),
    traceHeaders: isSafe ? traceHeaders : [],
  };
};

const createCaller = (
  header: HeaderOf,
  { signal, time }: Lifetime,
  arrivedAt: number,
  options: CallerOptions,
): UpstreamCaller => {
  const secrets = createRequestSecrets(
    credentialHeaders.map(header).filter((value) => value !== null),
  );
  const isExplained = options.explain && header('sluice-explain') === '1';
  return {
    credentials: credentialsOf(header),
    ...identificationOf(header, secrets),
    secrets,
    calls: isExplained ? createCallLog() : undefined,
    budget: createBudget(options),
    signal,
    arrivedAt,
    time,
    readAfter: arrivedAt - maxAgeOf(header('cache-control')) * 1000,
    ages: createAges(),
    waits: createWaits(),
  };
};

const beginEvent = (
  caller: UpstreamCaller,
  watcher: Watcher,
  ending: AbortSignal,
  options: CallerOptions,
): CallerEvent => {
  const arrivedAt = performance.now();
  const lifetime = beginLifetime(arrivedAt, options);
  ending.addEventListener('abort', lifetime.end, { once: true });
  return {
    caller: {
      ...caller,
      watcher,
      calls: caller.calls && createCallLog(),
      budget: createBudget(options),
      signal: lifetime.signal,
      arrivedAt,
      time: lifetime.time,
      // Later events are told of whatever is newer than what they have.
      readAfter: watcher.event === 1 ? caller.readAfter : -Infinity,
      ages: createAges(),
      waits: createWaits(),
    },
    end: () => {
      ending.removeEventListener('abort', lifetime.end);
      lifetime.end();
    },
  };
};

/** Nothing moves on a connection while a write is under way, which may take longer than a connection may be idle. */
const keepOpen =
  ({ socket }: IncomingMessage) =>
  (): (() => void) => {
    const { timeout = 0 } = socket;
    socket.setTimeout(0);
    return () => socket.setTimeout(timeout);
  };

/**
 * Reads who calls: credentials, request id, trace headers. The operation begins here, and ends once the caller has its
 * response or has gone.
 */
export const useCaller = (callers: Callers, options: CallerOptions): GatewayPlugin => ({
  onRequest: ({ request, serverContext: { req, res } }) => {
    const began = performance.now();
    const lifetime = beginLifetime(began, options, keepOpen(req));
    // Comes once for every response: when all of it is sent, or when the connection has gone before.
    res.once('close', lifetime.end);
    const header: HeaderOf = (name) => request.headers.get(name);
    const caller = createCaller(header, lifetime, began, options);
    let isStream = false;
    const stream = (): CallerStream => {
      isStream = true;
      lifetime.last();
      return {
        gone: lifetime.signal,
        begin: (watcher, signal) => beginEvent(caller, watcher, signal, options),
      };
    };
    callers.set(req, {
      caller,
      began,
      stream,
      get isStream() {
        return isStream;
      },
    });
    res.setHeader('x-request-id', caller.requestId);
  },
});
