import { createKey } from '../../management/keys.ts';
import { type ApiKey, findOrganization, route } from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import type { Route } from '../../routes.ts';
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
  },
);

/**
 * Key creation, with documented roles, with identifiers of roles, or with both. The answer for a key that never expires has
 * an empty expireAt, which a request must not have.
 */
export const keyRoutes = (state: CloudState): readonly Route<ApiKey>[] => [
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
      .map(({ idHash: _, secretHash: __, organizationId: ___, ...key }) => ({
        expireAt: '',
        ...key,
      }));
  }),

  route('DELETE', '/v1/organizations/{organizationId}/keys/{keyId}', (call) => {
    const { record } = findOrganization(state, call);
    const key = [...state.keys.values()].find(({ id }) => id === call.ids.keyId);
    if (key?.organizationId !== record.id) throw new Refusal(404, 'the key does not exist');
    state.keys.delete(key.idHash);
    return undefined;
  }),
];
