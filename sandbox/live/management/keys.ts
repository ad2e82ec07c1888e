import { createKey } from '../../management/keys.ts';
import { type ApiKey, route } from '../../management/state.ts';
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
  { roles: list(text), assignedRoleIds: list(nameOfRole), state: oneOf('enabled', 'disabled') },
);

/** Key creation: with roles, as the reference has it, or with the identifiers of roles, or both. */
export const keyRoutes = (state: CloudState): readonly Route<ApiKey>[] => [
  route('POST', '/v1/organizations/{organizationId}/keys', (call) => {
    const { roles = [], assignedRoleIds = [], ...given } = rolesBody(call.body, '');
    const named = [...new Set([...roles, ...assignedRoleIds])];
    const body = { ...(typeof call.body === 'object' && call.body), roles: named };
    const { key, ...halves } = createKey(state, { ...call, body });
    const assignedRoles = known.filter(({ name }) => named.includes(name)).map(({ role }) => role);
    return { key: { ...key, state: given.state ?? 'enabled', assignedRoles }, ...halves };
  }),
];
