import { existsSync, readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { readCompose } from '../support/deploy/compose.ts';

const services = readCompose({ CACHE_SECRET: 'secret', REDIS_PASSWORD: 'password' });
const all = Object.entries(services);
const here = (path: string): URL => new URL(`../../${path}`, import.meta.url);

it('compose.yaml has the gateway with its Redis and sandbox, and more in a profile', () => {
  expect(all.map(([name, { profiles = [] }]) => [name, ...profiles])).toEqual([
    ['gateway'],
    ['redis'],
    ['sandbox'],
    ['prometheus', 'metrics'],
    ['grafana', 'metrics'],
  ]);
});

it('compose.yaml publishes on loopback only, and neither Redis nor the sandbox', () => {
  const published = all.flatMap(([name, { ports = [] }]) => ports.map((port) => [name, port]));
  expect(published).toEqual([
    ['gateway', '127.0.0.1:4000:4000'],
    ['prometheus', '127.0.0.1:9090:9090'],
    ['grafana', '127.0.0.1:3000:3000'],
  ]);
});

it.each(['CACHE_SECRET', 'REDIS_PASSWORD'])('compose.yaml has no %s of its own', (missing) => {
  const given = { CACHE_SECRET: 'secret', REDIS_PASSWORD: 'password', [missing]: '' };
  expect(() => readCompose(given)).toThrow(`${missing}: see docs/operating.md`);
});

it.each(all)('%s has no privileges, and an image with a version', (name, service) => {
  expect(service).toMatchObject({
    cap_drop: ['ALL'],
    security_opt: ['no-new-privileges:true'],
  });
  const own = ['gateway', 'redis', 'sandbox'].includes(name);
  expect(service.read_only ?? false).toBe(own);
  if (name === 'gateway') expect(service.build).toBe('.');
  else expect(service.image).toMatch(/^[\w/]+:v?\d+\.\d+/);
});

it('Redis and the sandbox do not run as root, and the sandbox has the Node of the image', () => {
  expect([services.redis?.user, services.sandbox?.user]).toEqual(['999:999', '1000:1000']);
  expect(readFileSync(here('Dockerfile'), 'utf8')).toContain(`FROM ${services.sandbox?.image}\n`);
});

it('what is mounted exists, and nothing of this repository can be written', () => {
  const mounts = all
    .flatMap(([, { volumes = [] }]) => volumes)
    .map((volume) => volume.split(':'))
    .filter(([from = '']) => from.startsWith('./'));
  expect(mounts).toHaveLength(6);
  for (const [from = '', to = '', mode] of mounts) {
    expect(existsSync(here(from)), from).toBe(true);
    expect(to).toMatch(/^\//);
    expect(mode, from).toBe('ro');
  }
});

it('Prometheus asks the gateway on its port of metrics, and Grafana asks Prometheus', () => {
  const read = (name: string) => parse(readFileSync(here(`deploy/observability/${name}`), 'utf8'));
  const [job] = read('prometheus.yaml').scrape_configs;
  const port = services.gateway?.environment?.METRICS_PORT;
  expect(job.static_configs).toEqual([{ targets: [`gateway:${port}`] }]);
  expect(read('grafana-datasources.yaml').datasources[0].url).toBe('http://prometheus:9090');
  const [provider] = read('grafana-dashboards.yaml').providers;
  expect(services.grafana?.volumes).toContain(`./deploy/observability:${provider.options.path}:ro`);
});
