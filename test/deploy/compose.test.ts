import { existsSync } from 'node:fs';
import { expect, it, onTestFinished } from 'vitest';
import { parse } from 'yaml';
import { at, type Manifest, readCompose, render } from '../support/deploy.ts';
import { read } from '../support/docs/pages.ts';
import { kubectlPath } from '../support/programs.ts';
import { redisPath } from '../support/redis/path.ts';
import { launchRedis, sendCommand } from '../support/redis/server.ts';

const password = 'a-password-of-redis';
const services: Readonly<Record<string, Manifest>> = readCompose({
  ...{ CACHE_SECRET: 'secret', REDIS_PASSWORD: password },
});

it('compose.yaml runs services of a version without privileges, and opens them on loopback alone', () => {
  const opened = Object.entries(services).flatMap(([name, service]) => {
    expect(service).toMatchObject({
      ...{ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ...(service.build ? { build: '.' } : { image: expect.stringMatching(/^[\w/]+:v?\d+\.\d+/) }),
    });
    expect(service.read_only ?? false).toBe(service.profiles === undefined);
    const ports: readonly string[] = service.ports ?? [];
    return ports.map((port) => [name, port.replace(/^127\.0\.0\.1:(\d+):\1$/, 'loopback')]);
  });
  expect(opened.sort()).toEqual(
    ['gateway', 'grafana', 'prometheus'].map((name) => [name, 'loopback']),
  );
});

it.each(['CACHE_SECRET', 'REDIS_PASSWORD'])('compose.yaml has no %s of its own', (missing) => {
  const given = { CACHE_SECRET: 'secret', REDIS_PASSWORD: 'password', [missing]: '' };
  expect(() => readCompose(given)).toThrow(`${missing}: see docs/operating.md`);
});

it('compose.yaml mounts what exists, so that nothing of this repository can be written', () => {
  const mounts = Object.values(services)
    .flatMap(({ volumes = [] }) => volumes)
    .map((volume) => volume.split(':'))
    .filter(([from = '']) => from.startsWith('./'));
  expect(mounts.length).toBeGreaterThan(0);
  for (const [from = '', to, mode] of mounts) {
    expect(existsSync(new URL(`../../${from}`, import.meta.url)), from).toBe(true);
    expect([to, mode]).toEqual([expect.stringMatching(/^\//), 'ro']);
  }
});

it('Prometheus asks the gateway on its port of metrics, and Grafana asks Prometheus', () => {
  const file = (name: string) => parse(read(`deploy/monitoring/${name}`));
  const [job] = file('prometheus.yaml').scrape_configs;
  const port = services.gateway?.environment.METRICS_PORT;
  expect(job.static_configs).toEqual([{ targets: [`gateway:${port}`] }]);
  expect(file('grafana-datasources.yaml').datasources[0].url).toBe('http://prometheus:9090');
  const [{ options }] = file('grafana-dashboards.yaml').providers;
  expect(services.grafana?.volumes).toContain(`./deploy/monitoring:${options.path}:ro`);
});

const ofPod = () =>
  at(render('deploy/example'), 'Deployment sluice-redis spec template spec containers 0 command');

const commands: Readonly<Record<string, () => readonly string[]>> = {
  ...(kubectlPath !== undefined && { pods: ofPod }),
  'compose.yaml': () => services.redis?.command,
};
it.skipIf(redisPath === undefined).each(Object.entries(commands))(
  'Redis, by its command in %s, evicts and writes nothing, and requires a password',
  async (_, words) => {
    // Kubernetes and Compose put the value there.
    const [program, ...args] = words().map((word) => word.replace('$(REDISCLI_AUTH)', password));
    expect(program).toBe('redis-server');
    // What the command has to change.
    const usual = ['--save', '60 1', '--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'];
    const { port, stop } = await launchRedis({ args: [...usual, ...args] });
    onTestFinished(stop);
    const settingOf = async (name: string) =>
      String([await sendCommand(port, password, ['CONFIG', 'GET', name])].flat()[1]);
    const names = ['maxmemory-policy', 'save', 'appendonly'];
    expect(await Promise.all(names.map(settingOf))).toEqual(['noeviction', '', 'no']);
    expect(Number(await settingOf('maxmemory'))).toBeGreaterThan(0);
    await expect(sendCommand(port, undefined, ['PING'])).rejects.toThrow('NOAUTH');
  },
);
