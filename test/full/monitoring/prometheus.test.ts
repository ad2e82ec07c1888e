import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/server.ts';
import { createFolder } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { post } from '../../support/http/requests.ts';
import { drawPort } from '../../support/ports.ts';
import { run } from '../../support/process/run-main.ts';
import { prometheusPath } from '../../support/programs.ts';

interface Dashboard {
  readonly templating: { readonly list: readonly { name: string; query: { query: string } }[] };
  readonly panels: readonly { title: string; targets: readonly { expr: string }[] }[];
}
const { templating, panels }: Dashboard = JSON.parse(read('deploy/monitoring/dashboard.json'));
const expressions = panels.flatMap(({ title, targets }) =>
  targets.map(({ expr }) => ({ title, expr })),
);

type Labels = Readonly<Record<string, string>>;
type Series = { readonly metric: Labels; readonly value: readonly [time: number, value: string] };

/** Prometheus looks once a second. */
const slowly = { interval: 500, timeout: 120_000 };

/** A Prometheus that scrapes this target, and itself, each second. */
const startPrometheus = async (target: string) => {
  let address: string;
  const ready = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => undefined,
    );
  do address = `127.0.0.1:${drawPort()}`;
  while ((await ready()) !== undefined);
  const labels = { namespace: 'a' };
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    scrape_configs: [
      { job_name: 'sluice', static_configs: [{ targets: [target], labels }] },
      { job_name: 'prometheus', static_configs: [{ targets: [address] }] },
    ],
  };
  const folder = await createFolder({ 'prometheus.yaml': JSON.stringify(config) }, []);
  run({}, [
    prometheusPath ?? '',
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ]);
  await expect.poll(ready, slowly).toBe(true);
  const get = async (path: string, values: Labels) => {
    const response = await fetch(`http://${address}/api/v1/${path}?${new URLSearchParams(values)}`);
    const { status, error, data } = await response.json();
    if (status !== 'success') throw new Error(`${path} ${JSON.stringify(values)}: ${error}`);
    return data;
  };
  /** With what Grafana puts in the place of its variables. */
  const ask = async (expr: string, job = '.*'): Promise<readonly Series[]> => {
    const query = expr
      .replaceAll('$__rate_interval', '10s')
      .replaceAll('$job', job)
      .replaceAll(/\$(?:namespace|instance)/g, '.*');
    return (await get('query', { query })).result;
  };
  return { get, ask };
};

it.skipIf(prometheusPath === undefined)(
  'each panel and each list of the dashboard has data, of gateways alone',
  async () => {
    const sandbox = await startSandbox({ limits: false });
    onTestFinished(() => sandbox.close());
    const { managementUrl, observabilityUrl, credentials } = sandbox;
    // Without its Redis.
    const gateway = run({
      ...{ MANAGEMENT_URL: managementUrl, OBSERVABILITY_URL: observabilityUrl },
      ...{ MANAGEMENT_RATE: '1000/10s', OBSERVABILITY_RATE: '1000/10s', LOG_FORMAT: 'json' },
      ...{ REDIS_URL: 'redis://127.0.0.1:1', CACHE_SECRET: 'a-secret-of-all-the-replicas-here' },
      ...{ PORT: '0', METRICS_PORT: '0' },
    });
    const { port, metricsPort } = await gateway.logged('listening');
    const target = `127.0.0.1:${metricsPort}`;
    const { get, ask } = await startPrometheus(target);

    const send = (management: string, observability: string) =>
      post(`http://127.0.0.1:${port}/graphql`, '{ organizations { name } alerts { name } }', {
        ...{ 'cache-control': 'no-cache', 'management-authorization': management },
        'observability-authorization': observability,
      });
    const empty = async (): Promise<readonly string[]> => {
      await send(credentials.management.admin.header, credentials.observability.main.header);
      await send(`Basic ${btoa('demo-500:demo-500')}`, 'Bearer demo-500');
      const shown = expressions.map(async ({ title, expr }) => {
        const series = await ask(expr);
        return series.some(({ value }) => Number.isFinite(Number(value[1]))) ? [] : [title];
      });
      return (await Promise.all(shown)).flat();
    };
    await expect.poll(empty, slowly).toEqual([]);
    // Prometheus itself has metrics of a process, too.
    for (const { title, expr } of expressions)
      expect([title, await ask(expr, 'prometheus')]).toEqual([title, []]);

    const choices = templating.list.flatMap(({ name, query: { query } }) => {
      const [, match = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
      return label === '' ? [] : [[name, label, match.replaceAll(/\$\w+/g, '.*')] as const];
    });
    const values = choices.map(async ([name, label, match]) => [
      name,
      await get(`label/${label}/values`, { 'match[]': match }),
    ]);
    expect(Object.fromEntries(await Promise.all(values))).toEqual({
      ...{ namespace: ['a'], job: ['sluice'], instance: [target] },
    });
  },
);
