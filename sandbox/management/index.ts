import { randomUUID } from 'node:crypto';
import { type Answer, json } from '../answer.ts';
import type { RestInterface } from '../rest-interface.ts';
import type { Route } from '../routes.ts';
import { authenticate } from './access.ts';
import { extendedManagementRoutes } from './extended.ts';
import { keyRoutes } from './keys.ts';
import { organizationRoutes } from './organizations.ts';
import { pipeRoutes } from './pipes.ts';
import { serviceRoutes } from './services.ts';
import type { ApiKey, ManagementState } from './state.ts';

const codes: Readonly<Record<number, string>> = {
  400: 'BAD_REQUEST',
  401: 'UNAUTHORIZED',
  403: 'FORBIDDEN',
  404: 'NOT_FOUND',
  409: 'CONFLICT',
  413: 'PAYLOAD_TOO_LARGE',
  415: 'UNSUPPORTED_MEDIA_TYPE',
  424: 'FAILED_DEPENDENCY',
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

/** A failure in the envelope of the management interface. */
export const failure = (
  status: number,
  sentence: string,
  headers: Readonly<Record<string, string>> = {},
): Answer =>
  json(
    status,
    { status, error: `${codes[status] ?? 'ERROR'}: ${sentence}`, requestId: randomUUID() },
    headers,
  );

/**
 * A management interface with these routes. A success is `{status: 200, requestId, result}`, a failure `{status, error:
 * "CODE: sentence", requestId}`; every requestId is a new UUID v4. An API key may make 10 requests in 10 seconds; only the
 * 429 has a header about the limit, X-RateLimit-Reset (decimal seconds).
 */
export const managementInterface = (
  state: ManagementState<unknown>,
  routes: readonly Route<ApiKey>[],
): RestInterface<ApiKey> => ({
  routes,
  authenticate: (request) => {
    const caller = authenticate(state, request);
    return { caller, fault: caller.fault };
  },
  succeed: (result) => json(200, { status: 200, requestId: randomUUID(), result }),
  refuse: ({ status, message }) =>
    failure(
      status,
      message,
      status === 401 ? { 'www-authenticate': 'Basic realm="management"' } : {},
    ),
  rate: { requests: 10, windowMs: 10_000 },
  limitHeaders: () => ({}),
  tooMany: ({ resetMs }) =>
    failure(429, 'an API key may make 10 requests in 10 seconds', {
      'X-RateLimit-Reset': (resetMs / 1000).toFixed(3),
    }),
});

/** The documented management interface over a state. */
export const createManagement = (
  state: ManagementState,
  extendedReads: boolean,
): RestInterface<ApiKey> =>
  managementInterface(state, [
    ...organizationRoutes(state),
    ...keyRoutes(state),
    ...serviceRoutes(state),
    ...pipeRoutes(state),
    ...(extendedReads ? extendedManagementRoutes(state) : []),
  ]);
