import { randomUUID } from 'node:crypto';
import { maxAgeOf } from '../negotiation.ts';
import { type BudgetOptions, createBudget } from '../upstream/budget.ts';
import { createCallLog } from '../upstream/fates/explain.ts';
import type { UpstreamCaller } from '../upstream/index.ts';
import type { Interfaces } from '../upstream/profiles.ts';
import { createAges, createProgress, createWaits } from '../upstream/request-facts.ts';
import { createRequestSecrets, type RequestSecrets } from '../upstream/secrets.ts';
import type { Watcher } from '../upstream/watcher.ts';
import { credentialHeaders, credentialsOf } from './credentials.ts';
import { beginLifetime, type Lifetime, type LifetimeOptions } from './lifetime.ts';
import { type HeaderOf, traceHeadersOf, traceIdOf } from './trace-context.ts';

export interface CallerEvent {
  readonly caller: UpstreamCaller;
  /** Must be called when the operation is over. */
  end(): void;
}

export interface CallerOptions extends BudgetOptions, LifetimeOptions {
  readonly interfaces: Interfaces;
  /** Whether requests may ask for the list of their upstream calls with `Sluice-Explain: 1`. */
  readonly explain: boolean;
}

const requestIdForm = /^[\w.-]{1,128}$/;

/**
 * The caller's request id and trace headers, if they are valid. They are dropped if they contain a credential, because
 * both upstreams get these headers, and the log gets the id.
 */
const identificationOf = (
  header: HeaderOf,
  secrets: RequestSecrets,
): Pick<UpstreamCaller, 'requestId' | 'traceHeaders' | 'traceId'> => {
  const given = header('x-request-id') ?? '';
  const requestId = requestIdForm.test(given) ? given : '';
  const givenTrace = traceHeadersOf(header);
  const shown = [requestId, ...givenTrace].join('\n');
  const isSafe = shown === '' || secrets.areMissingIn(shown);
  const traceHeaders = isSafe ? givenTrace : [];
  return {
    requestId: (isSafe && requestId) || randomUUID(),
    ...{ traceHeaders, traceId: traceIdOf(traceHeaders) },
  };
};

/** Extracts the data of a request that may reach an upstream (docs/architecture.md, "Credentials pass through"). */
export const createCaller = (
  header: HeaderOf,
  { signal, time, later }: Lifetime,
  arrivedAt: number,
  options: CallerOptions,
): UpstreamCaller => {
  const secrets = createRequestSecrets(
    credentialHeaders.map(header).filter((value) => value !== null),
  );
  const isExplained = options.explain && header('sluice-explain') === '1';
  return {
    credentials: credentialsOf(header, options.interfaces),
    ...identificationOf(header, secrets),
    secrets,
    calls: isExplained ? createCallLog() : undefined,
    budget: createBudget(options),
    signal,
    arrivedAt,
    time,
    later,
    readAfter: arrivedAt - maxAgeOf(header('cache-control')) * 1000,
    ages: createAges(),
    waits: createWaits(),
    progress: createProgress(),
  };
};

/** Begins an event of a subscription. It is an operation of the same caller, with its own budget and deadline. */
export const beginEvent = (
  caller: UpstreamCaller,
  watcher: Watcher,
  ending: AbortSignal,
  options: CallerOptions,
): CallerEvent => {
  const arrivedAt = performance.now();
  const lifetime = beginLifetime(arrivedAt, options);
  ending.addEventListener('abort', lifetime.leave, { once: true });
  return {
    caller: {
      ...caller,
      watcher,
      calls: caller.calls && createCallLog(),
      budget: createBudget(options),
      signal: lifetime.signal,
      arrivedAt,
      time: lifetime.time,
      later: lifetime.later,
      // Only the first event obeys the caller's `max-age`: each later event shows data newer than the previous event.
      readAfter: watcher.event === 1 ? caller.readAfter : -Infinity,
      ages: createAges(),
      waits: createWaits(),
      progress: createProgress(),
    },
    end: () => {
      ending.removeEventListener('abort', lifetime.leave);
      lifetime.end();
    },
  };
};
