import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { readConfig } from '../../src/config.ts';
import { readDockerfile, valuesOf } from '../support/deploy/dockerfile.ts';
import { at } from '../support/deploy/hardening.ts';
import { keptRules, redisRules, startRedisBy } from '../support/deploy/redis.ts';
import { idOf, isObject, type Json, type JsonObject, render } from '../support/deploy/render.ts';
import { redisPath } from '../support/redis/path.ts';

const manifests = [...render('deploy/example'), ...render('deploy/service-monitor')];
const pod = 'Deployment sluice spec template spec';
const container = `${pod} containers 0`;

const objectsAt = (path: string): readonly JsonObject[] => {
  const value = at(manifests, path);
  return Array.isArray(value) ? value.filter(isObject) : [];
};

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
  objectsAt(`Deployment ${deployment} spec template spec containers 0 ports`);

describe('the manifests agree with the gateway', () => {
  it('REPLICAS is the most pods that the autoscaler starts, and the gateway accepts it', () => {
    const replicas = objectsAt(`${container} env`).find(({ name }) => name === 'REPLICAS')?.value;
    const most = at(manifests, 'HorizontalPodAutoscaler sluice spec maxReplicas');
    expect(replicas).toBe(String(most));
    const urls = { MANAGEMENT_URL: 'http://a.example', OBSERVABILITY_URL: 'http://b.example' };
    expect(readConfig({ ...urls, REPLICAS: String(replicas) }).replicas).toBe(most);
  });

  it('a pod has the time that preStop and the requests under way take, and five seconds more', () => {
    const source = readFileSync(new URL('../../src/gateway/server.ts', import.meta.url), 'utf8');
    const drainMs = Number(/drainMs = ([\d_]+),/.exec(source)?.[1]?.replaceAll('_', ''));
    const preStop = `${container} lifecycle preStop exec command`;
    const [program, seconds] = [0, 1].map((place) => at(manifests, `${preStop} ${place}`));
    expect(program).toBe('sleep');
    expect(at(manifests, `${pod} terminationGracePeriodSeconds`)).toBe(
      Number(seconds) + drainMs / 1000 + 5,
    );
  });

  it('pods run as the user of the image, and are asked on its port', async () => {
    const instructions = await readDockerfile();
    const { runAsUser, runAsGroup } = at(manifests, `${pod} securityContext`) as JsonObject;
    expect(valuesOf(instructions, 'USER')).toEqual([`${runAsUser}:${runAsGroup}`]);
    const port = portsOf('sluice').find(({ name }) => name === 'http')?.containerPort;
    expect(valuesOf(instructions, 'EXPOSE')).toEqual([String(port)]);
  });
});

describe('the manifests agree with each other', () => {
  const podLabels = manifests
    .filter(({ kind }) => kind === 'Deployment')
    .map((manifest) => at(manifests, `${idOf(manifest)} spec template metadata labels`));

  it('everything that selects pods by our labels selects pods that there are', () => {
    const selectors = membersNamed('matchLabels', [...manifests]).filter(
      (labels) => 'app.kubernetes.io/name' in labels,
    );
    expect(selectors).toHaveLength(11);
    for (const selector of selectors) expect(podLabels).toContainEqual(selector);
  });

  it.each(['sluice', 'sluice-redis'])('Deployment and Service %s select their own pods', (name) => {
    const labels = at(manifests, `Deployment ${name} spec template metadata labels`);
    expect(at(manifests, `Deployment ${name} spec selector matchLabels`)).toEqual(labels);
    expect(at(manifests, `Service ${name} spec selector`)).toEqual(labels);
    expect(at(manifests, `Service ${name} metadata labels`)).toEqual(labels);
  });

  it('network policies let in what containers listen on, and let the gateway to Redis', () => {
    const listening = [...portsOf('sluice'), ...portsOf('sluice-redis')];
    const letIn = ['sluice', 'sluice-redis']
      .flatMap((name) => objectsAt(`NetworkPolicy ${name} spec ingress`))
      .flatMap(({ ports }) => (Array.isArray(ports) ? ports.filter(isObject) : []))
      .map(({ port }) => port);
    expect(letIn).toEqual(listening.map(({ containerPort }) => containerPort));
    expect(at(manifests, 'NetworkPolicy sluice-to-redis spec egress 0 ports 0 port')).toBe(
      portsOf('sluice-redis')[0]?.containerPort,
    );
  });

  it.each(['sluice', 'sluice-redis'])(
    'the Service %s leads to ports that its pods have',
    (name) => {
      const names = portsOf(name).map((port) => port.name);
      expect(objectsAt(`Service ${name} spec ports`).map(({ targetPort }) => targetPort)).toEqual(
        names,
      );
    },
  );

  it('Prometheus reads a port that the Service has', () => {
    const [endpoint] = objectsAt('ServiceMonitor sluice spec endpoints');
    const ports = objectsAt('Service sluice spec ports').map(({ name }) => name);
    expect(ports).toContain(endpoint?.port);
    expect(at(manifests, 'ServiceMonitor sluice spec selector matchLabels')).toEqual(
      at(manifests, 'Service sluice metadata labels'),
    );
  });

  it('probes ask ports that pods have, and liveness one that callers cannot fill', () => {
    const names = portsOf('sluice').map(({ name }) => name);
    const asked = ['startup', 'readiness', 'liveness'].map((probe) =>
      at(manifests, `${container} ${probe}Probe httpGet port`),
    );
    for (const port of asked) expect(names).toContain(port);
    expect(asked.at(-1)).toBe('metrics');
    const listening = portsOf('sluice').find(({ name }) => name === 'metrics')?.containerPort;
    const set = objectsAt(`${container} env`).find(({ name }) => name === 'METRICS_PORT');
    expect(set?.value).toBe(String(listening));
  });

  it('no manifest holds a secret', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    const named = membersNamed('secretKeyRef', [...manifests]);
    expect(named).toHaveLength(3);
    const values = objectsAt(`${container} env`).filter(({ value }) => value !== undefined);
    expect(values.map(({ name }) => name)).toEqual(['METRICS_PORT', 'REPLICAS']);
  });
});

it.skipIf(redisPath === undefined)('Redis, by its command there, keeps to the rules', async () => {
  const command = objectsAt('Deployment sluice-redis spec template spec containers')[0]?.command;
  const password = 'a-password-of-redis';
  // Kubernetes puts the value there.
  const words = (Array.isArray(command) ? command : []).map((word) =>
    String(word).replace('$(REDISCLI_AUTH)', password),
  );
  const redis = await startRedisBy(words as [string, ...string[]]);
  expect(await redisRules(redis, password)).toEqual(keptRules);
});
