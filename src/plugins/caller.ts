import { randomUUID } from 'node:crypto';
import type { IncomingMessage } from 'node:http';
import { maxAgeOf } from '../gateway/cache-control.ts';
import { credentialHeaders, credentialsOf } from '../gateway/credentials.ts';
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

interface CallerOptions extends BudgetOptions {
  readonly operationTimeoutMs: number;
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
  signal: AbortSignal,
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
    deadline: arrivedAt + options.operationTimeoutMs,
    readAfter: arrivedAt - maxAgeOf(header('cache-control')) * 1000,
    ages: createAges(),
    waits: createWaits(),
  };
};

// Made once: an error takes its stack when it is made, which costs more than all else here.
const callerGone = new DOMException('The caller has gone.', 'AbortError');
const timeIsUp = new DOMException("The operation's time is up.", 'TimeoutError');

const beginEvent = (
  caller: UpstreamCaller,
  watcher: Watcher,
  ending: AbortSignal,
  options: CallerOptions,
): CallerEvent => {
  const lifetime = new AbortController();
  const deadline = setTimeout(() => lifetime.abort(timeIsUp), options.operationTimeoutMs);
  const giveUp = (): void => lifetime.abort(callerGone);
  ending.addEventListener('abort', giveUp, { once: true });
  const arrivedAt = performance.now();
  return {
    caller: {
      ...caller,
      watcher,
      calls: caller.calls && createCallLog(),
      budget: createBudget(options),
      signal: lifetime.signal,
      arrivedAt,
      deadline: arrivedAt + options.operationTimeoutMs,
      // Later events are told of whatever is newer than what they have.
      readAfter: watcher.event === 1 ? caller.readAfter : -Infinity,
      ages: createAges(),
      waits: createWaits(),
    },
    end: () => {
      clearTimeout(deadline);
      ending.removeEventListener('abort', giveUp);
      giveUp();
    },
  };
};

/**
 * Reads who calls: credentials, request id, trace headers. The caller's signal aborts with a `TimeoutError` once
 * the operation's time is up, and with an `AbortError` once the caller has its response or has gone.
 *
 * One controller and one timer cost less than `AbortSignal.any` and `AbortSignal.timeout`, whose timer would go on
 * after the response.
 */
export const useCaller = (callers: Callers, options: CallerOptions): GatewayPlugin => ({
  onRequest: ({ request, serverContext: { req, res } }) => {
    const lifetime = new AbortController();
    const deadline = setTimeout(() => lifetime.abort(timeIsUp), options.operationTimeoutMs);
    // Comes once for every response: when all of it is sent, or when the connection has gone before.
    res.once('close', () => {
      clearTimeout(deadline);
      lifetime.abort(callerGone);
    });
    const began = performance.now();
    const header: HeaderOf = (name) => request.headers.get(name);
    const caller = createCaller(header, lifetime.signal, began, options);
    let isStream = false;
    const stream = (): CallerStream => {
      isStream = true;
      clearTimeout(deadline);
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
