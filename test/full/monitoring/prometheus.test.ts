import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { startSandbox } from '../../../sandbox/server.ts';
import { createFolder } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
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
type Alert = { readonly state: string; readonly labels: Labels; readonly annotations: Labels };

/** Prometheus looks once a second. */
const slowly = { interval: 500, timeout: 120_000 };

/** A gateway without its Redis, before a sandbox, until the test ends. */
const startGateway = async (urls: Labels) => {
  const gateway = run({
    ...{ ...urls, PORT: '0', METRICS_PORT: '0', LOG_FORMAT: 'json' },
    ...{ MANAGEMENT_RATE: '1000/10s', OBSERVABILITY_RATE: '1000/10s' },
    ...{ REDIS_URL: 'redis://127.0.0.1:1', CACHE_SECRET: 'a-secret-of-all-the-replicas-here' },
  });
  const { port, metricsPort } = await gateway.logged('listening');
  return {
    ...gateway,
    url: `http://127.0.0.1:${port}/graphql`,
    target: `127.0.0.1:${metricsPort}`,
  };
};

/** A Prometheus that scrapes these targets, and itself, each second, with the rules of `deploy/` but without their patience. */
const startPrometheus = async (targets: readonly string[]) => {
  let address: string;
  const ready = () =>
    fetch(`http://${address}/-/ready`).then(
      ({ ok }) => ok,
      () => undefined,
    );
  do address = `127.0.0.1:${drawPort()}`;
  while ((await ready()) !== undefined);
  const config = {
    global: { scrape_interval: '1s', evaluation_interval: '1s' },
    rule_files: ['alerts.yaml'],
    scrape_configs: [
      { job_name: 'sluice', static_configs: [{ targets, labels: { namespace: 'a' } }] },
      { job_name: 'prometheus', static_configs: [{ targets: [address] }] },
    ],
  };
  const rules = read('deploy/monitoring/alerts.yaml').replaceAll(/for: \d+m$/gm, 'for: 1s');
  const files = { 'prometheus.yaml': JSON.stringify(config), 'alerts.yaml': rules };
  const folder = await createFolder(files, []);
  run({}, [
    prometheusPath ?? '',
    `--config.file=${join(folder, 'prometheus.yaml')}`,
    `--storage.tsdb.path=${join(folder, 'data')}`,
    `--web.listen-address=${address}`,
  ]);
  await expect.poll(ready, slowly).toBe(true);
  const get = async (path: string, values: Labels = {}) => {
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
  const firing = async (): Promise<readonly Alert[]> =>
    (await get('alerts')).alerts.filter(({ state }: Alert) => state === 'firing');
  return { get, ask, firing };
};

it.skipIf(prometheusPath === undefined)(
  'each panel of the dashboard has data of the chosen gateways alone, and a killed gateway gives an alert',
  async () => {
    const sandbox = await startSandbox({ limits: false });
    onTestFinished(() => sandbox.close());
    const { managementUrl, observabilityUrl, credentials } = sandbox;
    const urls = { MANAGEMENT_URL: managementUrl, OBSERVABILITY_URL: observabilityUrl };
    const gateways = await Promise.all([startGateway(urls), startGateway(urls)]);
    const [{ target: first }, { target: second, signalGroup: signalSecond }] = gateways;
    const { get, ask, firing } = await startPrometheus([first, second]);

    const send = (url: string, management: string, observability: string) =>
      fetch(url, {
        method: 'POST',
        headers: {
          ...{ 'content-type': 'application/json', 'cache-control': 'no-cache' },
          ...{ 'management-authorization': management },
          ...{ 'observability-authorization': observability },
        },
        body: JSON.stringify({ query: '{ organizations { name } alerts { name } }' }),
      });
    const traffic = gateways.flatMap(({ url }) => [
      [url, credentials.management.admin.header, credentials.observability.main.header] as const,
      [url, `Basic ${btoa('demo-500:demo-500')}`, 'Bearer demo-500'] as const,
    ]);
    const empty = async (): Promise<readonly string[]> => {
      await Promise.all(traffic.map((each) => send(...each)));
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
    const { expr = '' } = expressions.find(({ title }) => title === 'Memory') ?? {};
    const instances = (await ask(expr)).map(({ metric }) => metric.instance);
    expect(instances.sort()).toEqual([first, second].sort());

    const choices = templating.list.flatMap(({ name, query: { query } }) => {
      const [, match = '', label = ''] = /^label_values\((.*), (\w+)\)$/.exec(query) ?? [];
      return label === '' ? [] : [[name, label, match.replaceAll(/\$\w+/g, '.*')] as const];
    });
    const values = choices.map(async ([name, label, match]) => [
      name,
      await get(`label/${label}/values`, { 'match[]': match }),
    ]);
    expect(Object.fromEntries(await Promise.all(values))).toEqual({
      ...{ namespace: ['a'], job: ['sluice'], instance: [first, second].sort() },
    });

    const alerts = async () =>
      (await firing())
        .map(({ labels: { alertname, severity, instance }, annotations: { summary } }) =>
          [alertname, severity, instance, summary].join(', '),
        )
        .sort();
    const noRedis = (target: string): string =>
      `SluiceRedisDown, ticket, ${target}, A gateway does not reach Redis.`;
    await expect.poll(alerts, slowly).toEqual([first, second].map(noRedis).sort());
    signalSecond('SIGKILL');
    const dead = `SluiceInstanceDown, ticket, ${second}, The gateway ${second} is not scraped.`;
    await expect.poll(alerts, slowly).toEqual([dead, noRedis(first)]);
  },
);
