import { randomUUID } from 'node:crypto';
import { type Answer, html, json } from '../../answer.ts';
import { failure } from '../../management/index.ts';
import { type ApiKey, findService } from '../../management/state.ts';
import { Refusal } from '../../refusal.ts';
import type { RestInterface } from '../../rest-interface.ts';
import type { Call, Route } from '../../routes.ts';
import { createCloud } from '../management/index.ts';
import type { CloudState } from '../management/state.ts';
import { alertRoutes } from './alerts.ts';
import { dashboardRoutes } from './dashboards.ts';
import { itemRoutes } from './items.ts';
import { type ClickStack, type ClickStacks, Listed } from './state.ts';

const root = '/v1/organizations/{organizationId}/services/{serviceId}/clickstack';

/** The failure of a path below a service that has no ClickStack. */
class NotServed extends Refusal {}

const cannot = (sentence: string): Answer =>
  html(
    404,
    `<!DOCTYPE html>\n<html lang="en">\n<head><title>Error</title></head>\n<body><pre>${sentence}</pre></body>\n</html>\n`,
  );

const stackOf = (
  state: CloudState,
  stacks: ClickStacks,
  call: Call<ApiKey>,
  method: string,
): ClickStack => {
  const { organizationId = '', serviceId = '' } = call.ids;
  const { record } = findService(state, { ...call, ids: { organizationId, serviceId } });
  // The sandbox gives the permission by role.
  if (!call.caller.roles.some((role) => role !== 'query_endpoints')) {
    throw new Refusal(403, 'the key may not use ClickStack');
  }
  const stack = stacks.stacks.get(record.id);
  if (!stack) throw new NotServed(404, `Cannot ${method}`);
  return stack;
};

/**
 * ClickHouse Cloud with observability below its services: the same keys, limit and envelope. A path that is not served is an
 * HTML page.
 */
export const createClickstackCloud = (
  state: CloudState,
  stacks: ClickStacks,
): RestInterface<ApiKey> => {
  const cloud = createCloud(state);
  const below = ({ method, path, handle }: Route<ClickStack>): Route<ApiKey> => ({
    method,
    path: root + path,
    handle: (call) => handle({ ...call, caller: stackOf(state, stacks, call, method) }),
  });
  const routes = [...dashboardRoutes(stacks), ...alertRoutes(stacks), ...itemRoutes(stacks)];
  return {
    ...cloud,
    routes: [...cloud.routes, ...routes.map(below)],
    succeed: (payload) =>
      payload instanceof Listed
        ? json(200, {
            ...{ status: 200, requestId: randomUUID(), result: payload.rows },
            ...payload.envelope,
          })
        : cloud.succeed(payload),
    refuse: (refusal) =>
      refusal instanceof NotServed ? cannot(refusal.message) : cloud.refuse(refusal),
    outsideRoutes: (method, path) =>
      path.includes('/clickstack/')
        ? cannot(`Cannot ${method} ${encodeURI(path)}`)
        : failure(404, 'not found'),
  };
};
