import { expect, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import type { GatewayServer, GatewayServerOptions } from '../../src/gateway/server.ts';
import { type Answering, data, json, paced, result, startStack } from './harness.ts';
import { startServer } from './servers.ts';
import { withIds } from './world/ids.ts';

/** One line of a scrape. */
export interface Sample {
  readonly name: string;
  readonly labels: Readonly<Record<string, string>>;
  readonly value: number;
}

/** Metrics without their `sluice_`, each with its value, or with values by what its labels say, between blanks. */
export type Expected = Readonly<Record<string, number | Readonly<Record<string, number>>>>;

const sampleOf = (line: string): Sample => {
  const [, name = '', labels = '', value = ''] = /^(\w+)(?:\{(.*)\})? (\S+)$/.exec(line) ?? [];
  if (name === '') throw new Error(`no sample: ${line}`);
  const pairs = [...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', of = '']) => [key, of]);
  return { name, labels: Object.fromEntries(pairs), value: Number(value) };
};

const parse = (text: string, contentType: string | null) => {
  const lines = text.split('\n').filter((line) => line !== '');
  const samples = lines.filter((line) => !line.startsWith('#')).map(sampleOf);
  /** The declared metrics by name, with their types. */
  const types = new Map(
    [...text.matchAll(/^# TYPE (\w+) (\w+)$/gm)].map(([, name = '', type = '']) => [name, type]),
  );
  /** The only sample whose labels have these values, with hyphens for blanks. */
  const value = (metric: string, ...words: readonly string[]): number => {
    const found = samples.filter(({ name, labels }) => {
      const values = Object.values(labels).map((each) => each.replaceAll(' ', '-'));
      return name === `sluice_${metric}` && words.every((word) => values.includes(word));
    });
    return found.length === 1 ? (found[0]?.value ?? Number.NaN) : Number.NaN;
  };
  /** The values of this scrape in the place of those that are expected. */
  const like = (expected: Expected): Expected =>
    Object.fromEntries(
      Object.entries(expected).map(([metric, of]) => {
        if (typeof of === 'number') return [metric, value(metric)];
        const all = Object.keys(of).map((labels) => [labels, value(metric, ...labels.split(' '))]);
        return [metric, Object.fromEntries(all)];
      }),
    );
  return { text, contentType, types, samples, value, like };
};
export type Scrape = ReturnType<typeof parse>;

/** Serves the gateway's metrics until it is closed; returns a function that scrapes them. */
export const serveMetrics = async ({
  metricsServer,
}: GatewayServer): Promise<() => Promise<Scrape>> => {
  if (!metricsServer) throw new Error('metrics are off');
  const { origin } = await startServer(metricsServer);
  return async () => {
    const response = await fetch(`${origin}/metrics`);
    expect(response.status).toBe(200);
    return parse(await response.text(), response.headers.get('content-type'));
  };
};

const pipe = 'organizationId: "organization-1", serviceId: "service-1", pipeId: "pipe-1"';
export const subscription = withIds(`subscription { pipe(${pipe}) { state } }`);

export const alerts = '{ alerts { name } }';
export const dashboards = '{ dashboards { name } }';
/** Reads the pipes of services with these numbers. */
export const pipes = (...services: readonly number[]): string => {
  const fields = services.map(
    (number) => `s${number}: service(@service-${number}) { pipes { id } }`,
  );
  return withIds(`{ ${fields.join(' ')} }`);
};
export const stop = withIds(`mutation { stopPipe(input: { ${pipe} }) { userErrors { code } } }`);

/** Headers with other credentials, which tell the backends how to answer. */
export const as = (name: string) => ({
  'management-authorization': `Basic ${btoa(name)}`,
  'observability-authorization': `Bearer ${name}`,
});

/** Answers normally, except for credentials that name a status, or `flaky` for a 503 at first. */
const answering = (well: Answering): Answering => {
  const known = new Set<string>();
  return (call) => {
    const [scheme, value = ''] = String(call.headers.authorization).split(' ');
    const name = scheme === 'Basic' ? atob(value) : value;
    const isNew = !known.has(name);
    known.add(name);
    const status = Number(/^[45]\d\d/.exec(name)?.[0] ?? (name === 'flaky' && isNew ? 503 : 200));
    return status === 200 ? well(call) : json({ status, error: 'no', message: 'no' }, status);
  };
};

/** A gateway with metrics, rate limits and a cache, in front of backends whose failures depend on the credential. */
export const openMetrics = async (
  config: Partial<Config> = {},
  options: Partial<GatewayServerOptions> = {},
  management: Answering = ({ method, path }) =>
    result(method === 'GET' && path.endsWith('/pipes') ? [] : {}),
) => {
  const stack = await startStack({
    management: answering(management),
    observability: answering(() => data([{ id: 'a1', name: 'lag' }])),
    config: {
      ...{ ...paced, managementRate: { calls: 10, windowMs: 60_000 }, pacingWaitMs: 0 },
      ...{ maxRetries: 1, breakerFailures: 3, metricsPort: 0 },
      ...config,
    },
    gateway: options,
  });
  const scrape = await serveMetrics(stack.gateway);
  const ask = (name: string, document: string) => stack.query(document, { headers: as(name) });
  const expectSamples = async (expected: Expected) =>
    expect((await scrape()).like(expected)).toEqual(expected);
  return { ...stack, scrape, ask, expectSamples };
};

/** The same, until the test ends. */
export const startMetrics = async (...options: Parameters<typeof openMetrics>) => {
  const world = await openMetrics(...options);
  onTestFinished(world.close);
  return world;
};
