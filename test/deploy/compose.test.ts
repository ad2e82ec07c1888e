import { existsSync } from 'node:fs';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { type Manifest, readCompose } from '../support/deploy.ts';
import { read } from '../support/docs/pages.ts';

const services = readCompose({ CACHE_SECRET: 'secret', REDIS_PASSWORD: 'password' });

/** Where each service is, and what others reach of it: on loopback only, and neither Redis nor the sandbox. */
it.each([
  ['gateway', [], ['127.0.0.1:4000:4000'], true, undefined],
  ['redis', [], [], true, '999:999'],
  ['sandbox', [], [], true, undefined],
  ['prometheus', ['metrics'], ['127.0.0.1:9090:9090'], false, undefined],
  ['grafana', ['metrics'], ['127.0.0.1:3000:3000'], false, undefined],
])(
  'compose.yaml has %s, with no privileges and a version',
  (name, profiles, ports, readOnly, user) => {
    const service = services[name];
    expect(service).toMatchObject({
      ...{ cap_drop: ['ALL'], security_opt: ['no-new-privileges:true'] },
      ...(readOnly && { read_only: true }),
      ...(['gateway', 'sandbox'].includes(name)
        ? { build: '.' }
        : { image: expect.stringMatching(/^[\w/]+:v?\d+\.\d+/) }),
    });
    expect([service.profiles ?? [], service.ports ?? []]).toEqual([profiles, ports]);
    if (user !== undefined) expect(service.user).toBe(user);
  },
);

it('compose.yaml has nothing else', () => {
  expect(Object.keys(services)).toEqual(['gateway', 'redis', 'sandbox', 'prometheus', 'grafana']);
});

it.each(['CACHE_SECRET', 'REDIS_PASSWORD'])('compose.yaml has no %s of its own', (missing) => {
  const given = { CACHE_SECRET: 'secret', REDIS_PASSWORD: 'password', [missing]: '' };
  expect(() => readCompose(given)).toThrow(`${missing}: see docs/operating.md`);
});

it('what is mounted exists, and nothing of this repository can be written', () => {
  const mounts = Object.values<Manifest>(services)
    .flatMap(({ volumes = [] }) => volumes)
    .map((volume) => volume.split(':'))
    .filter(([from = '']) => from.startsWith('./'));
  expect(mounts).toHaveLength(4);
  for (const [from = '', to, mode] of mounts) {
    expect(existsSync(new URL(`../../${from}`, import.meta.url)), from).toBe(true);
    expect([to, mode]).toEqual([expect.stringMatching(/^\//), 'ro']);
  }
});

it('Prometheus asks the gateway on its port of metrics, and Grafana asks Prometheus', () => {
  const file = (name: string) => parse(read(`deploy/monitoring/${name}`));
  const [job] = file('prometheus.yaml').scrape_configs;
  const port = services.gateway.environment.METRICS_PORT;
  expect(job.static_configs).toEqual([{ targets: [`gateway:${port}`] }]);
  expect(file('grafana-datasources.yaml').datasources[0].url).toBe('http://prometheus:9090');
  const [{ options }] = file('grafana-dashboards.yaml').providers;
  expect(services.grafana.volumes).toContain(`./deploy/monitoring:${options.path}:ro`);
});
