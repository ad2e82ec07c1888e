import { describe, expect, it, onTestFinished } from 'vitest';
import { settings } from '../../src/config/settings.ts';
import { readConfig } from '../../src/config.ts';
import { at, isObject, type Manifest, readCompose, render, valuesOf } from '../support/deploy.ts';
import { redisPath } from '../support/redis/path.ts';
import { launchRedis, sendCommand } from '../support/redis/server.ts';

const manifests = [...render('deploy/example'), ...render('deploy/monitoring')];
const find = (path: string): Manifest => at(manifests, path);
const pod = find('Deployment sluice spec template spec');
const [container] = pod.containers;
const redisContainer = find('Deployment sluice-redis spec template spec containers 0');
const named = (list: readonly Manifest[], wanted: string) =>
  list.find(({ name }) => name === wanted);
const both = ['sluice', 'sluice-redis'];
const password = 'a-password-of-redis';
const { gateway, redis } = readCompose({ REDIS_PASSWORD: password, CACHE_SECRET: 'secret' });

/** Every object in the manifests that is the value of a member of that name. */
const membersNamed = (name: string, value: Manifest = manifests): readonly object[] => {
  if (Array.isArray(value)) return value.flatMap((item) => membersNamed(name, item));
  if (!isObject(value)) return [];
  return Object.entries(value).flatMap(([member, inner]) => [
    ...(member === name ? [inner] : []),
    ...membersNamed(name, inner),
  ]);
};

describe('the manifests agree with the gateway', () => {
  it('REPLICAS is the most pods that the autoscaler starts, and the gateway accepts it', () => {
    const REPLICAS = named(container.env, 'REPLICAS').value;
    const urls = { MANAGEMENT_URL: 'http://a.example', OBSERVABILITY_URL: 'http://b.example' };
    const most = find('HorizontalPodAutoscaler sluice spec maxReplicas');
    expect(readConfig({ ...urls, REPLICAS }).replicas).toBe(most);
  });

  it('a pod and a container have the time that preStop and DRAIN_MS take, and five seconds more', () => {
    const slept = Number(container.lifecycle.preStop.exec.command[1]);
    const drain = Number(settings.drainMs.fallback) / 1000;
    expect(pod.terminationGracePeriodSeconds).toBe(slept + drain + 5);
    expect(gateway.stop_grace_period).toBe(`${drain + 5}s`);
  });

  it('pods run as the user of the image, and are asked on its port', () => {
    const { runAsUser, runAsGroup } = pod.securityContext;
    expect(valuesOf('USER')).toEqual([`${runAsUser}:${runAsGroup}`]);
    const { containerPort } = named(container.ports, 'http');
    expect(valuesOf('EXPOSE')).toEqual([String(containerPort)]);
  });
});

describe('the manifests agree with each other', () => {
  it('everything that selects pods by our labels selects pods that there are', () => {
    const labels = both.map((name) => find(`Deployment ${name} spec template metadata labels`));
    const selectors = membersNamed('matchLabels').filter(
      (selector) => 'app.kubernetes.io/name' in selector,
    );
    expect(selectors).toHaveLength(13);
    for (const selector of selectors) expect(labels).toContainEqual(selector);
  });

  it.each(both)('%s: Deployment and Service select its pods, and ports that these have', (name) => {
    const labels = find(`Deployment ${name} spec template metadata labels`);
    expect(find(`Deployment ${name} spec selector matchLabels`)).toEqual(labels);
    expect(find(`Service ${name} spec selector`)).toEqual(labels);
    expect(find(`Service ${name} metadata labels`)).toEqual(labels);
    const targets = find(`Service ${name} spec ports`).map((port: Manifest) => port.targetPort);
    const { ports } = find(`Deployment ${name} spec template spec containers 0`);
    expect(targets).toEqual(ports.map((port: Manifest) => port.name));
  });

  it('network policies let in what containers listen on, and let the gateway to Redis', () => {
    const letIn = ['sluice', 'sluice-metrics', 'sluice-redis']
      .flatMap((name) => find(`NetworkPolicy ${name} spec ingress`))
      .flatMap(({ ports }) => ports.map(({ port }: Manifest) => port));
    const listening = [...container.ports, ...redisContainer.ports].map(
      (port) => port.containerPort,
    );
    expect(letIn).toEqual(listening);
    const out = find('NetworkPolicy sluice-to-redis spec egress 0 ports 0 port');
    expect(out).toBe(listening.at(-1));
  });

  it('Prometheus reads a port that the Service has', () => {
    const { endpoints, selector } = find('ServiceMonitor sluice spec');
    expect(named(find('Service sluice spec ports'), endpoints[0].port)).toBeDefined();
    expect(selector.matchLabels).toEqual(find('Service sluice metadata labels'));
  });

  it('probes ask ports that pods have, and liveness one that callers cannot fill', () => {
    const { startupProbe, readinessProbe, livenessProbe, ports } = container;
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe]) {
      expect(named(ports, httpGet.port)).toBeDefined();
    }
    expect(livenessProbe.httpGet.port).toBe('metrics');
    const { containerPort } = named(ports, 'metrics');
    expect(named(container.env, 'METRICS_PORT').value).toBe(String(containerPort));
  });

  it('no manifest holds a secret', () => {
    expect(manifests.filter(({ kind }) => kind === 'Secret')).toEqual([]);
    expect(membersNamed('secretKeyRef')).toHaveLength(3);
    const values = container.env.filter(({ value }: Manifest) => value !== undefined);
    expect(values.map(({ name }: Manifest) => name)).toEqual(['METRICS_PORT', 'REPLICAS']);
  });
});

it.skipIf(redisPath === undefined).each([
  ['pods', redisContainer.command],
  ['compose.yaml', redis.command],
])(
  'Redis, by its command in %s, evicts and writes nothing, and requires a password',
  async (_, words) => {
    // Kubernetes and Compose put the value there.
    const [program, ...args] = words.map((word: string) =>
      word.replace('$(REDISCLI_AUTH)', password),
    );
    expect(program).toBe('redis-server');
    // What the command has to change.
    const usual = ['--save', '60 1', '--appendonly', 'yes', '--maxmemory-policy', 'allkeys-lru'];
    const { port, stop } = await launchRedis({ args: [...usual, ...args] });
    onTestFinished(stop);
    const names = ['maxmemory-policy', 'save', 'appendonly', 'maxmemory'];
    const replies = names.map((name) => sendCommand(port, password, ['CONFIG', 'GET', name]));
    const [policy, save, log, maximum] = (await Promise.all(replies)).map((reply) =>
      String([reply].flat()[1]),
    );
    expect([policy, save, log]).toEqual(['noeviction', '', 'no']);
    expect(Number(maximum)).toBeGreaterThan(0);
    await expect(sendCommand(port, undefined, ['PING'])).rejects.toThrow('NOAUTH');
  },
);
