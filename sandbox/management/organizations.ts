import { Refusal } from '../refusal.ts';
import type { Call, Route } from '../routes.ts';
import { list, object, text } from '../rules.ts';
import type { Organization, PrivateEndpoint } from './records.ts';
import { type ApiKey, findOrganization, type ManagementState, route } from './state.ts';

const endpoints = list(object({ id: text, description: text }, {}));
const removals = list(object({ id: text }, { description: text }));

const updateBody = object(
  {},
  { name: text, privateEndpoints: object({}, { add: endpoints, remove: removals }) },
);

const withoutIds = (
  from: readonly PrivateEndpoint[],
  gone: readonly { readonly id: string }[],
): readonly PrivateEndpoint[] => from.filter(({ id }) => !gone.some((other) => other.id === id));

/** The documented rule 1: applies the given changes, for a key with the admin role. */
export const updateOrganization = (
  state: ManagementState<unknown>,
  call: Call<ApiKey, 'organizationId'>,
): Organization => {
  const organization = findOrganization(state, call);
  if (!call.caller.roles.includes('admin')) {
    throw new Refusal(403, 'organization update requires a key with the admin role');
  }
  const { name, privateEndpoints } = updateBody(call.body, '');
  const { add = [], remove = [] } = privateEndpoints ?? {};
  const { record } = organization;
  organization.record = {
    ...record,
    name: name ?? record.name,
    // An identifier given twice is one endpoint, with its last description.
    privateEndpoints: [...withoutIds(record.privateEndpoints, [...remove, ...add]), ...add],
  };
  return organization.record;
};

/** The documented operations on an organization. */
export const organizationRoutes = (state: ManagementState<unknown>): readonly Route<ApiKey>[] => [
  route('PATCH', '/v1/organizations/{organizationId}', (call) => updateOrganization(state, call)),

  route(
    'GET',
    '/v1/organizations/{organizationId}/invitations',
    (call) => findOrganization(state, call).invitations,
  ),
];
