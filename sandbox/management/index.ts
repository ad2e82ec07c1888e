import { randomUUID } from 'node:crypto';
import { json, type RestInterface } from '../http.ts';
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
};

/**
 * The management interface over a state. A success is `{status: 200, requestId, result}`, a failure
 * `{status, error: "CODE: sentence", requestId}`; every requestId is a fresh UUID v4.
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
  authenticate: (request) => authenticate(state, request),
  succeed: (result) => json(200, { status: 200, requestId: randomUUID(), result }),
  refuse: ({ status, message }) =>
    json(
      status,
      { status, error: `${codes[status] ?? 'ERROR'}: ${message}`, requestId: randomUUID() },
      status === 401 ? { 'www-authenticate': 'Basic realm="management"' } : {},
    ),
});
