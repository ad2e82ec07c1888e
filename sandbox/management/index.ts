import { randomUUID } from 'node:crypto';
import { type Answer, json } from '../answer.ts';
import type { RestInterface } from '../rest-interface.ts';
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
  429: 'TOO_MANY_REQUESTS',
  500: 'INTERNAL_SERVER_ERROR',
  503: 'SERVICE_UNAVAILABLE',
};

const failure = (
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
 * The management interface over a state. A success is `{status: 200, requestId, result}`, a failure
 * `{status, error: "CODE: sentence", requestId}`; every requestId is a fresh UUID v4. An API key may make 10 requests
 * in 10 seconds; only the 429 says anything of it, in X-RateLimit-Reset (decimal seconds).
 */
export const createManagement = (
  state: ManagementState,
  extendedReads: boolean,
): RestInterface<ApiKey> => ({
  routes: [
    ...organizationRoutes(state),
    ...keyRoutes(state),
    ...serviceRoutes(state),
    ...pipeRoutes(state),
    ...(extendedReads ? extendedManagementRoutes(state) : []),
  ],
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
