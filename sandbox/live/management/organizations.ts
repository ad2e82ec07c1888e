import {
  organizationRoutes as referenceRoutes,
  updateOrganization,
} from '../../management/organizations.ts';
import type { Organization } from '../../management/records.ts';
import { type ApiKey, findOrganization, route } from '../../management/state.ts';
import type { Route } from '../../routes.ts';
import { flag, list, object, oneOf, text } from '../../rules.ts';
import { liveCredits } from '../world/credits.ts';
import { liveMembers } from '../world/members.ts';
import { liveQuotas } from '../world/quotas.ts';
import { liveRoles } from '../world/roles.ts';
import type { CloudState, OrganizationExtras } from './state.ts';

const updateBody = object(
  {},
  {
    enableCoreDumps: flag,
    privateEndpoints: object(
      {},
      {
        add: list(
          object({ id: text }, { cloudProvider: oneOf('aws', 'gcp', 'azure'), region: text }),
        ),
      },
    ),
  },
);

const untouched: OrganizationExtras = { enableCoreDumps: true, endpoints: new Map() };

const home = { cloudProvider: 'aws', region: 'eu-central-1' } as const;

/** An organization in the form of ClickHouse Cloud. */
const liveOrganization = ({ extras }: CloudState, record: Organization) => {
  const { enableCoreDumps, endpoints } = extras.get(record.id) ?? untouched;
  return {
    ...record,
    enableCoreDumps,
    privateEndpoints: record.privateEndpoints.map((endpoint) => ({
      ...endpoint,
      ...(endpoints.get(endpoint.id) ?? home),
    })),
    byocConfig: record.byocConfig.map((config) => ({
      ...config,
      state: 'infra-ready',
      regionId: home.region,
      cloudProvider: home.cloudProvider,
      displayName: 'Northwind data plane',
    })),
  };
};

/**
 * The operations on organizations. The first row that matches a request answers, so these come before the documented
 * operations.
 */
export const organizationRoutes = (state: CloudState): readonly Route<ApiKey>[] => [
  route('GET', '/v1/organizations', ({ caller }) =>
    [...state.organizations.values()]
      .filter(({ record }) => record.id === caller.organizationId)
      .map(({ record }) => liveOrganization(state, record)),
  ),

  route('GET', '/v1/organizations/{organizationId}', (call) =>
    liveOrganization(state, findOrganization(state, call).record),
  ),

  route('PATCH', '/v1/organizations/{organizationId}', (call) => {
    const record = updateOrganization(state, call);
    const { enableCoreDumps, privateEndpoints } = updateBody(call.body, '');
    const before = state.extras.get(record.id) ?? untouched;
    state.extras.set(record.id, {
      enableCoreDumps: enableCoreDumps ?? before.enableCoreDumps,
      endpoints: new Map([
        ...before.endpoints,
        ...(privateEndpoints?.add ?? []).map(({ id, ...place }) => [id, place] as const),
      ]),
    });
    return liveOrganization(state, record);
  }),

  route('GET', '/v1/organizations/{organizationId}/invitations', (call) =>
    findOrganization(state, call).invitations.map((invitation) => ({
      ...invitation,
      role: 'developer',
      assignedRoles: [liveRoles.developer],
    })),
  ),

  route(
    'GET',
    '/v1/organizations/{organizationId}/members',
    (call) => liveMembers[findOrganization(state, call).record.id] ?? [],
  ),

  route(
    'GET',
    '/v1/organizations/{organizationId}/quotas',
    (call) => liveQuotas[findOrganization(state, call).record.id] ?? [],
  ),

  route('GET', '/v1/organizations/{organizationId}/creditBalances', (call) => {
    const balances = liveCredits[findOrganization(state, call).record.id] ?? [];
    const totalRemainingCredits = balances.reduce((sum, each) => sum + each.remainingCredits, 0);
    return { totalRemainingCredits, balances };
  }),

  ...referenceRoutes(state),
];
