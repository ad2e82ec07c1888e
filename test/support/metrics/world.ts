import { onTestFinished } from 'vitest';
import type { Config } from '../../../src/config.ts';
import type { GatewayOptions } from '../../../src/gateway/server.ts';
import { type Answering, data, json, paced, result, startStack } from '../harness.ts';
import { holdTime } from '../pacing/time.ts';
import { subscribe } from '../subscribe.ts';
import { withIds } from '../world/ids.ts';
import { serveMetrics } from './scrape.ts';

const organization = 'organizationId: "organization-1"';

/** A query with one read for each service. */
export const pipesOf = (...services: readonly number[]): string => {
  const fields = services.map(
    (service) =>
      `s${service}: service(${organization}, serviceId: "service-${service}") { pipes { id } }`,
  );
  return withIds(`{ ${fields.join(' ')} }`);
};

const pipe = `${organization}, serviceId: "service-1", pipeId: "pipe-1"`;
export const stopPipe = withIds(
  `mutation { stopPipe(input: { ${pipe} }) { userErrors { code } } }`,
);
export const subscription = withIds(`subscription { pipe(${pipe}) { state } }`);
export const alerts = '{ alerts { name } }';

/** Headers with other credentials, which tell the backends how to answer. */
export const as = (name: string) => ({
  'management-authorization': `Basic ${btoa(name)}`,
  'observability-authorization': `Bearer ${name}`,
});

const nameIn = (authorization: string | undefined): string => {
  const [scheme, value = ''] = authorization?.split(' ') ?? [];
  return scheme === 'Basic' ? atob(value) : value;
};

/** Answers normally, except for credentials that name a status, or `flaky` for a 503 at first. */
const answering = (well: Answering): Answering => {
  const known = new Set<string>();
  return (call) => {
    const name = nameIn(call.headers.authorization?.toString());
    const isNew = !known.has(name);
    known.add(name);
    const status = Number(/^[45]\d\d/.exec(name)?.[0] ?? (name === 'flaky' && isNew ? 503 : 200));
    return status === 200 ? well(call) : json({ status, error: 'no', message: 'no' }, status);
  };
};

/** A gateway with metrics, rate limits and a cache, in front of backends whose failures depend on the credential. */
export const openMetrics = async (
  config: Partial<Config> = {},
  options: Partial<GatewayOptions> = {},
  management: Answering = ({ method, path }) =>
    result(method === 'GET' && path.endsWith('/pipes') ? [] : {}),
) => {
  const stack = await startStack({
    management: answering(management),
    observability: answering(() => data([{ id: 'a1', name: 'lag' }])),
    config: {
      ...paced,
      managementRate: { calls: 10, windowMs: 60_000 },
      pacingWaitMs: 0,
      maxRetries: 1,
      breakerFailures: 3,
      metricsPort: 0,
      ...config,
    },
    gateway: options,
  });
  const scrape = await serveMetrics(stack.gateway);
  const ask = (document: string, name: string, headers: Readonly<Record<string, string>> = {}) =>
    stack.query(document, { headers: { ...as(name), ...headers } });
  return { ...stack, scrape, ask };
};

type World = Awaited<ReturnType<typeof openMetrics>>;

/** The same, until the test ends. */
export const startMetrics = async (...options: Parameters<typeof openMetrics>): Promise<World> => {
  const world = await openMetrics(...options);
  onTestFinished(world.close);
  return world;
};

/**
 * Produces at least one of everything that metrics count. A subscription stays open until the returned function is called.
 */
export const drive = async ({ ask, url }: World): Promise<() => void> => {
  const time = holdTime();
  await ask(pipesOf(1), 'reader');
  await ask(pipesOf(1), 'reader');
  await ask(stopPipe, 'reader');
  await ask('{ nothing }', 'reader');
  await ask(pipesOf(1), '429');
  await ask(alerts, 'flaky');
  const open = await subscribe(url, subscription, { headers: as('watcher') });
  await open.event(1);
  const many = Array.from({ length: 11 }, (_, index) => index + 1);
  await ask(pipesOf(...many), 'busy');
  time.pass(5);
  await ask(pipesOf(1), 'busy');
  await ask(alerts, '502-one');
  await ask('{ dashboards { name } }', '502-other');
  return () => {
    open.leave();
    time.release();
  };
};
