import { addresses, isoDateTime } from '../../formats.ts';
import { accessListOf, createKey } from '../../management/keys.ts';
import { type ApiKey, findOrganization, route } from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import type { Call, Route } from '../../routes.ts';
import { broken, list, object, oneOf, type Reader, text } from '../../rules.ts';
import { liveRoles } from '../world/roles.ts';
import type { CloudState } from './state.ts';

const known = Object.entries(liveRoles).map(([name, role]) => ({ name, role }));

const nameOfRole: Reader<string> = (value, at) => {
  const found = known.find(({ role }) => role.roleId === value);
  if (!found) throw broken(at, 'must be the identifier of a role');
  return found.name;
};

const rolesBody = object(
  {},
  {
    roles: list(text),
    assignedRoleIds: list(nameOfRole),
    state: oneOf('enabled', 'disabled'),
    expireAt: text,
    ipAccessList: accessListOf(addresses),
  },
);

const updateBody = object(
  {},
  {
    name: text,
    state: oneOf('enabled', 'disabled'),
    roles: list(oneOf('admin', 'developer', 'query_endpoints')),
    assignedRoleIds: list(nameOfRole),
    expireAt: isoDateTime,
    ipAccessList: accessListOf(addresses),
  },
);

/** A key as answers show it: without its hashes. */
const shown = ({
  idHash: _,
  secretHash: __,
  organizationId: ___,
  fault: ____,
  ...key
}: ApiKey) => ({
  expireAt: '',
  ...key,
});

const findKey = (state: CloudState, call: Call<ApiKey, 'organizationId' | 'keyId'>): ApiKey => {
  const { record } = findOrganization(state, call);
  const key = [...state.keys.values()].find(({ id }) => id === call.ids.keyId);
  if (key?.organizationId !== record.id) throw new Refusal(404, 'the key does not exist');
  return key;
};

/**
 * Key creation, with documented roles, with identifiers of roles, or with both. The answer for a key that never expires has
 * an empty expireAt, which a request must not have.
 */
export const keyRoutes = (state: CloudState): readonly Route<ApiKey>[] => [
  route('GET', '/v1/whoami', ({ caller: { id, name, organizationId } }) => ({
    ...{ actorType: 'apiKey', keyId: id, name, organizationId },
  })),

  route('POST', '/v1/organizations/{organizationId}/keys', (call) => {
    const { roles = [], assignedRoleIds = [], expireAt, ...given } = rolesBody(call.body, '');
    const named = [...new Set([...roles, ...assignedRoleIds])];
    if (expireAt === '') throw broken('expireAt', 'must be an ISO 8601 date-time or null');
    const body = { ...(typeof call.body === 'object' && call.body), roles: named };
    const { key, ...halves } = createKey(state, { ...call, body });
    const assignedRoles = known.filter(({ name }) => named.includes(name)).map(({ role }) => role);
    return {
      key: { expireAt: '', ...key, state: given.state ?? 'enabled', assignedRoles },
      ...halves,
    };
  }),

  route('GET', '/v1/organizations/{organizationId}/keys', (call) => {
    const { record } = findOrganization(state, call);
    return [...state.keys.values()]
      .filter(({ organizationId, fault }) => organizationId === record.id && !fault)
      .map(shown);
  }),

  route('PATCH', '/v1/organizations/{organizationId}/keys/{keyId}', (call) => {
    const { expireAt, ...key } = findKey(state, call);
    const { roles, assignedRoleIds = [], ...changes } = updateBody(call.body, '');
    const named = new Set([...(roles ?? []), ...assignedRoleIds]);
    const keepsExpiry = expireAt !== undefined && Object(call.body).expireAt !== null;
    const changed = {
      ...key,
      ...(keepsExpiry && { expireAt }),
      ...(named.size > 0 && { roles: [...named] }),
      ...changes,
    };
    state.keys.set(key.idHash, changed);
    return shown(changed);
  }),

  route('DELETE', '/v1/organizations/{organizationId}/keys/{keyId}', (call) => {
    state.keys.delete(findKey(state, call).idHash);
    return undefined;
  }),
];
