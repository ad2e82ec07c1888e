import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import {
  at,
  idOf,
  isObject,
  type Json,
  type JsonObject,
  keptRules,
  objectsAt,
  readCompose,
  redisRules,
  render,
  startRedisBy,
  valuesOf,
} from '../support/deploy.ts';
import { read } from '../support/docs/pages.ts';
import { redisPath } from '../support/redis/path.ts';

const manifests = [...render('deploy/example'), ...render('deploy/service-monitor')];
const pod = 'Deployment sluice spec template spec';
const container = `${pod} containers 0`;
const env = objectsAt(manifests, `${container} env`);
const settingOf = (name: string) => env.find((variable) => variable.name === name)?.value;
const both = ['sluice', 'sluice-redis'];

/** Every object in the manifests that is the value of a member of that name. */
const membersNamed = (name: string, value: Json): readonly JsonObject[] => {
  if (Array.isArray(value)) return value.flatMap((item) => membersNamed(name, item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([member, inner]) => [
    ...(member === name && isObject(inner) ? [inner] : []),
    ...membersNamed(name, inner),
  ]);
};

const portsOf = (deployment: string) =>
  objectsAt(manifests, `Deployment ${deployment} spec template spec containers 0 ports`);
const portNames = (deployment: string) => portsOf(deployment).map(({ name }) => name);

describe('the manifests agree with the gateway', () => {
  it('REPLICAS is the most pods that the autoscaler starts, and the gateway accepts it', () => {
    const most = at(manifests, 'HorizontalPodAutoscaler sluice spec maxReplicas');
    const REPLICAS = String(settingOf('REPLICAS'));
    const urls = { MANAGEMENT_URL: 'http://a.example', OBSERVABILITY_URL: 'http://b.example' };
    expect(readConfig({ ...urls, REPLICAS }).replicas).toBe(most);
  });

  it('a pod has the time that preStop and the requests under way take, and five seconds more', () => {
    const [, drainMs] = /drainMs = ([\d_]+),/.exec(read('src/gateway/server.ts')) ?? [];
    const seconds = Number(drainMs?.replaceAll('_', '')) / 1000;
    const slept = at(manifests, `${container} lifecycle preStop exec command 1`);
    const given = at(manifests, `${pod} terminationGracePeriodSeconds`);
    expect(given).toBe(Number(slept) + seconds + 5);
  });

  it('pods run as the user of the image, and are asked on its port', () => {
    const { runAsUser, runAsGroup } = at(manifests, `${pod} securityContext`) as JsonObject;
    expect(valuesOf('USER')).toEqual([`${runAsUser}:${runAsGroup}`]);
    const port = portsOf('sluice').find(({ name }) => name === 'http')?.containerPort;
    expect(valuesOf('EXPOSE')).toEqual([String(port)]);
  });
});

describe('the manifests agree with each other', () => {
  it('everything that selects pods by our labels selects pods that there are', () => {
    const labels = manifests
      .filter(({ kind }) => kind === 'Deployment')
      .map((manifest) => at(manifests, `${idOf(manifest)} spec template metadata labels`));
    const selectors = membersNamed('matchLabels', [...manifests]).filter(
      (selector) => 'app.kubernetes.io/name' in selector,
    );
    expect(selectors).toHaveLength(11);
    for (const selector of selectors) expect(labels).toContainEqual(selector);
  });

  it.each(both)(
    'Deployment and Service %s select their own pods, and ports that these have',
    (name) => {
      const labels = at(manifests, `Deployment ${name} spec template metadata labels`);
      expect(at(manifests, `Deployment ${name} spec selector matchLabels`)).toEqual(labels);
      expect(at(manifests, `Service ${name} spec selector`)).toEqual(labels);
      expect(at(manifests, `Service ${name} metadata labels`)).toEqual(labels);
      const ports = objectsAt(manifests, `Service ${name} spec ports`);
      expect(ports.map(({ targetPort }) => targetPort)).toEqual(portNames(name));
    },
  );

  it('network policies let in what containers listen on, and let the gateway to Redis', () => {
    const letIn = both
      .flatMap((name) => objectsAt(manifests, `NetworkPolicy ${name} spec ingress`))
      .flatMap(({ ports }) => (Array.isArray(ports) ? ports.filter(isObject) : []));
    const listening = both.flatMap(portsOf).map(({ containerPort }) => containerPort);
    expect(letIn.map(({ port }) => port)).toEqual(listening);
    const out = at(manifests, 'NetworkPolicy sluice-to-redis spec egress 0 ports 0 port');
    expect(out).toBe(listening.at(-1));
  });

  it('Prometheus reads a port that the Service has', () => {
    const [endpoint] = objectsAt(manifests, 'ServiceMonitor sluice spec endpoints');
    const ports = objectsAt(manifests, 'Service sluice spec ports').map(({ name }) => name);
    expect(ports).toContain(endpoint?.port);
    const labels = at(manifests, 'Service sluice metadata labels');
    expect(at(manifests, 'ServiceMonitor sluice spec selector matchLabels')).toEqual(labels);
  });

  it('probes ask ports that pods have, and liveness one that callers cannot fill', () => {
    const asked = ['startup', 'readiness', 'liveness'].map((probe) =>
      at(manifests, `${container} ${probe}Probe httpGet port`),
    );
    for (const port of asked) expect(portNames('sluice')).toContain(port);
    expect(asked.at(-1)).toBe('metrics');
    const listening = portsOf('sluice').find(({ name }) => name === 'metrics')?.containerPort;
    expect(settingOf('METRICS_PORT')).toBe(String(listening));
  });

  it('no manifest holds a secret', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(membersNamed('secretKeyRef', [...manifests])).toHaveLength(3);
    const values = env.filter(({ value }) => value !== undefined);
    expect(values.map(({ name }) => name)).toEqual(['METRICS_PORT', 'REPLICAS']);
  });
});

const password = 'a-password-of-redis';
// Kubernetes and Compose put the value there.
const inPods = JSON.stringify(
  at(manifests, 'Deployment sluice-redis spec template spec containers 0 command'),
).replace('$(REDISCLI_AUTH)', password);
const { redis } = readCompose({ REDIS_PASSWORD: password, CACHE_SECRET: 'secret' });

it.skipIf(redisPath === undefined).each([
  ['pods', JSON.parse(inPods)],
  ['compose.yaml', redis?.command],
])('Redis, by its command in %s, keeps to the rules', async (_, command) => {
  const { port } = await startRedisBy(command);
  expect(await redisRules(port, password)).toEqual(keptRules);
});
