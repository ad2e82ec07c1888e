import type { ApiKey } from '../../management/state.ts';
import type { Route } from '../../routes.ts';
import { uuid } from '../../world/ids.ts';
import type { CloudState } from './state.ts';

const nouns: Readonly<Record<string, string>> = {
  organizations: 'organization',
  keys: 'key',
  services: 'service',
  clickpipes: 'clickpipe',
};
const verbs = { POST: 'create', PATCH: 'update', PUT: 'update', DELETE: 'delete' } as const;

/** The type of the activity that a write is, for example `key_update`, `service_stop` or `service_update_scaling`. */
const typeOf = (method: keyof typeof verbs, path: string, body: unknown): string => {
  const names = path.split('/').filter((name) => name !== '' && !name.startsWith('{'));
  const at = names.findLastIndex((name) => name in nouns);
  const [part] = names.slice(at + 1);
  const noun = nouns[names[at] ?? ''];
  if (part === 'state') return `${noun}_${Object(body).command}`;
  const suffix = part?.replaceAll(/[A-Z]/g, (letter) => `_${letter}`).toLowerCase();
  return [noun, verbs[method], ...(suffix ? [suffix] : [])].join('_');
};

/** The route; if it is a write that succeeds, it adds an activity of its key. */
export const audited =
  (state: CloudState) =>
  (route: Route<ApiKey>): Route<ApiKey> => {
    const { method, path } = route;
    if (method === 'GET') return route;
    return {
      ...route,
      handle: (call) => {
        const { organizationId, ...caller } = call.caller;
        const { serviceId, keyId } = call.ids;
        const answer = route.handle(call);
        const before = state.activities.get(organizationId) ?? [];
        state.activities.set(organizationId, [
          {
            id: uuid('ac710000', before.length + 1),
            createdAt: state.clock().toISOString(),
            type: typeOf(method, path, call.body),
            ...{ actorType: 'api', actorId: caller.id, actorDetails: caller.name },
            actorIpAddress: '192.0.2.10',
            ...(serviceId && { serviceId }),
            ...(keyId && { targetKeyId: keyId }),
          },
          ...before,
        ]);
        return answer;
      },
    };
  };
