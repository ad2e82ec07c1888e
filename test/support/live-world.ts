import { onTestFinished } from 'vitest';
import type { Answer, Answering, StackOptions } from './harness.ts';
import { data, json, paced, result, stackInTest } from './harness.ts';
import type { Clock } from './pacing/time.ts';
import { subscribe } from './subscribe.ts';

const id = (last: number): string => `5b1f0000-0000-4000-8000-${String(last).padStart(12, '0')}`;

export const organizationId = id(1);
export const serviceId = id(2);
export const pipeIds = [id(11), id(12), id(13)] as const;
export const servicePath = `/v1/organizations/${organizationId}/services/${serviceId}`;
export const pipePath = (pipe = 0): string => `${servicePath}/pipes/${pipeIds[pipe]}`;

export const ofService = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

export const pipeSubscription = (pipe = 0): string =>
  `subscription { pipe(${ofService}, pipeId: "${pipeIds[pipe]}") { name state } }`;
export const pipesSubscription = `subscription { pipes(${ofService}) { name state } }`;
export const stopPipe = (pipe = 0): string =>
  `mutation { stopPipe(input: {${ofService}, pipeId: "${pipeIds[pipe]}"}) { pipe { state } } }`;
export const pipeQuery = `{ pipe(${ofService}, pipeId: "${pipeIds[0]}") { name state } }`;

/** A service with three pipes, and alerts, which tests change directly. */
export const createLiveWorld = () => {
  const states = pipeIds.map(() => 'Running');
  const alerts = [{ id: 'a1', name: 'lag', state: 'OK', dashboard: 'd1' }];
  const failures = new Map<string, Answer>();
  /** `METHOD /path` of all failed calls. */
  const failed: string[] = [];
  const failureOf = (call: string): Answer | undefined => {
    const failure = failures.get(call);
    if (failure) failed.push(call);
    return failure;
  };
  const pipe = (index: number) => ({
    id: pipeIds[index],
    name: `pipe ${index}`,
    state: states[index],
  });
  const management: Answering = ({ method, path }) => {
    const failure = failureOf(`${method} ${path}`);
    if (failure) return failure;
    const index = pipeIds.findIndex((each) => path.includes(each));
    if (method === 'PATCH') states[index] = 'Stopping';
    if (index >= 0) return result(pipe(index));
    const [, last = ''] = /(\w)\/pipes$/.exec(path) ?? [];
    if (last) return result(last === '2' ? states.map((_, each) => pipe(each)) : [pipe(2)]);
    const service = { id: serviceId, name: 'service', state: 'running' };
    const other = { ...service, id: id(3), name: 'service 2' };
    if (path.endsWith('/backupConfiguration')) return result({ backupPeriodInHours: 24 });
    const organization = { id: organizationId, name: 'organization' };
    if (path.endsWith('/organizations')) return result([organization]);
    if (path.endsWith(organizationId)) return result(organization);
    return result(path.endsWith('/services') ? [service, other] : service);
  };
  const observability: Answering = ({ method, path }) =>
    failureOf(`${method} ${path}`) ??
    (path.endsWith('/alerts')
      ? data(alerts)
      : data({ id: path.split('/').at(-1), name: 'dashboard', tiles: [] }));
  return {
    states,
    alerts,
    failed,
    management,
    observability,
    /** Makes a call fail until it is told otherwise. */
    fail: (call: string, status: number | undefined, message = 'no') => {
      if (status === undefined) failures.delete(call);
      else failures.set(call, json({ status, error: message, message }, status));
    },
  };
};

/** Polls come soon and without limit. */
export const soon = {
  gateway: { pollMs: { management: 50, observability: 50 } },
  config: { managementRate: undefined },
};

/** A gateway in front of that world, until the test ends. */
export const openLive = async (options: Partial<StackOptions> = {}) => {
  const world = createLiveWorld();
  const { management, observability } = world;
  const config = { ...paced, ...options.config };
  const stack = await stackInTest({ management, observability, ...options, config });
  return {
    ...stack,
    world,
    open: async (query = pipeSubscription(), headers: Readonly<Record<string, string>> = {}) => {
      const stream = await subscribe(stack.url, query, { headers });
      onTestFinished(stream.leave);
      return stream;
    },
  };
};

/** Lets everything happen that needs no time. */
export const settled = async (): Promise<void> => {
  for (let turns = 0; turns < 30; turns += 1) {
    await new Promise((resolve) => setImmediate(resolve));
  }
};

/** Advances the clock by this time, and lets all resulting events happen. */
export const pass = async (clock: Clock, milliseconds: number): Promise<void> => {
  for (let passed = 0; passed < milliseconds; passed += 100) {
    clock.advance(100);
    await settled();
  }
};
