import type { Route } from '../routes.ts';
import { currentPipe } from './pipe-state.ts';
import { type ApiKey, findOrganization, findPipe, type ManagementState, route } from './state.ts';

/** The reads that are not in the documented interfaces; real services have them. */
export const extendedManagementRoutes = (state: ManagementState): readonly Route<ApiKey>[] => [
  route('GET', '/v1/organizations', ({ caller }) =>
    [...state.organizations.values()]
      .map(({ record }) => record)
      .filter(({ id }) => id === caller.organizationId),
  ),

  route(
    'GET',
    '/v1/organizations/{organizationId}',
    (call) => findOrganization(state, call).record,
  ),

  route('GET', '/v1/organizations/{organizationId}/services', (call) =>
    [...findOrganization(state, call).services.values()].map(({ record }) => record),
  ),

  route('GET', '/v1/organizations/{organizationId}/services/{serviceId}/pipes/{pipeId}', (call) =>
    currentPipe(findPipe(state, call), state.clock()),
  ),
];
