import { execSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { settings } from '../../src/config/settings.ts';
import { readConfig } from '../../src/config.ts';
import { compile, createFolder, tsconfig } from '../support/client/folder.ts';
import {
  at,
  idOf,
  type Manifest,
  openExample,
  readCompose,
  render,
  valuesOf,
} from '../support/deploy.ts';
import { blocks } from '../support/docs/blocks.ts';
import { read } from '../support/docs/pages.ts';
import { kubectlPath } from '../support/programs.ts';

describe.skipIf(kubectlPath === undefined)('with kubectl', () => {
  const manifests = kubectlPath === undefined ? [] : render('deploy/example');
  const find = (path: string): Manifest => at(manifests, path);
  const ofKind = (kind: string, all = manifests) =>
    all.filter((manifest) => manifest.kind === kind);
  const named = (list: readonly Manifest[], wanted: string) =>
    list.find(({ name }) => name === wanted);
  const pods: readonly Manifest[] = ofKind('Deployment').map(({ spec }) => spec.template.spec);
  const containers: readonly Manifest[] = pods.flatMap((pod) => pod.containers);
  const [container] = find('Deployment sluice spec template spec containers') ?? [];

  it('the manifests are of kinds that each cluster knows, with what the types of Kubernetes say, and nothing else', async () => {
    const modules: Readonly<Record<string, string>> = {
      ...{ v1: 'core/v1', 'apps/v1': 'apps/v1', 'autoscaling/v2': 'autoscaling/v2' },
      ...{ 'policy/v1': 'policy/v1', 'networking.k8s.io/v1': 'networking/v1' },
    };
    const ofOperators = ['HTTPRoute', 'PrometheusRule', 'ServiceMonitor'];
    const more = render(await openExample()).filter(({ kind }) => !ofOperators.includes(kind));
    const program = [...manifests, ...more].map((manifest) => {
      const { apiVersion, kind } = manifest;
      const type = `import('kubernetes-types/${modules[apiVersion]}.js').${kind}`;
      return `(${JSON.stringify(manifest)}) satisfies ${type};\n`;
    });
    const config = tsconfig({ noEmit: true, types: [] });
    const files = { 'manifests.ts': `export {};\n${program.join('')}`, 'tsconfig.json': config };
    expect((await compile(await createFolder(files, ['kubernetes-types']))).stdout).toBe('');
  });

  it('the manifests are in one namespace, which takes restricted pods alone, and hold no secret', () => {
    const elsewhere = manifests.filter(({ metadata }) => metadata.namespace !== 'sluice');
    expect(elsewhere.map(idOf)).toEqual(['Namespace sluice']);
    const { labels } = find('Namespace sluice metadata');
    expect(labels['pod-security.kubernetes.io/enforce']).toBe('restricted');
    expect(ofKind('Secret')).toEqual([]);
    const values = container.env.filter(({ value }: Manifest) => value !== undefined);
    expect(values.map(({ name }: Manifest) => name).sort()).toEqual(['METRICS_PORT', 'REPLICAS']);
  });

  it('the manifests run each pod without rights, within limits, and ask whether it is alive', () => {
    expect(pods).toHaveLength(2);
    for (const pod of pods) {
      expect(pod).toMatchObject({ automountServiceAccountToken: false, enableServiceLinks: false });
      const seccompProfile = { type: 'RuntimeDefault' };
      expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, seccompProfile });
    }
    for (const { securityContext, resources, ...probes } of containers) {
      expect(securityContext).toEqual({
        ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
        capabilities: { drop: ['ALL'] },
      });
      expect(resources).toMatchObject({
        ...{ requests: { cpu: expect.anything(), memory: expect.anything() } },
        limits: { memory: expect.anything() },
      });
      for (const probe of ['startupProbe', 'readinessProbe', 'livenessProbe'])
        expect(probes).toHaveProperty(probe);
    }
  });

  it('the manifests keep serving while pods are replaced or moved, and never run two Redis', () => {
    expect(find('Deployment sluice spec strategy rollingUpdate maxUnavailable')).toBe(0);
    expect(find('PodDisruptionBudget sluice spec maxUnavailable')).toBe(1);
    const { scaleTargetRef, minReplicas } = find('HorizontalPodAutoscaler sluice spec');
    expect([scaleTargetRef.name, minReplicas > 1]).toEqual(['sluice', true]);
    const redis = find('Deployment sluice-redis spec');
    expect([redis.replicas, redis.strategy.type]).toEqual([1, 'Recreate']);
  });

  it('the manifests let nothing in or out of a pod but what its policies name', () => {
    const policies = ofKind('NetworkPolicy').map(({ spec }) => spec);
    for (const name of ['gateway', 'redis']) {
      const own = policies.filter(
        ({ podSelector }) => podSelector.matchLabels['app.kubernetes.io/component'] === name,
      );
      const types = new Set(own.flatMap(({ policyTypes }) => policyTypes));
      expect([...types].sort()).toEqual(['Egress', 'Ingress']);
    }
    const portsOf = (rules: readonly Manifest[]) =>
      rules.flatMap(({ ports }) => ports.map(({ port }: Manifest) => port));
    const ingress = policies.flatMap((policy) => policy.ingress ?? []);
    const egress = policies.flatMap((policy) => policy.egress ?? []);
    const listening = containers.flatMap(({ ports }) => ports);
    const open = listening.map(({ containerPort }) => containerPort);
    expect(portsOf(ingress).sort()).toEqual(open.sort());
    // From anywhere to callers' port, and to anywhere at HTTPS.
    const http = named(container.ports, 'http').containerPort;
    expect(portsOf(ingress.filter(({ from }) => from === undefined))).toEqual([http]);
    expect(portsOf(egress.filter(({ to }) => to === undefined))).toEqual([443]);
    const redis = find('NetworkPolicy sluice-to-redis spec egress 0');
    expect(redis).toEqual({
      to: [{ podSelector: find('NetworkPolicy sluice-redis spec podSelector') }],
      ports: find('NetworkPolicy sluice-redis spec ingress 0 ports'),
    });
  });

  it('the manifests give the gateway settings that it takes, and the time, the user and the ports that it needs', () => {
    const REPLICAS = named(container.env, 'REPLICAS').value;
    const urls = { MANAGEMENT_URL: 'http://a.example', OBSERVABILITY_URL: 'http://b.example' };
    const most = find('HorizontalPodAutoscaler sluice spec maxReplicas');
    expect(readConfig({ ...urls, REPLICAS }).replicas).toBe(most);

    const { terminationGracePeriodSeconds, securityContext } = find(
      'Deployment sluice spec template spec',
    );
    const slept = Number(container.lifecycle.preStop.exec.command[1]);
    const drain = Number(settings.drainMs.fallback) / 1000;
    expect(terminationGracePeriodSeconds).toBe(slept + drain + 5);
    const { gateway } = readCompose({ REDIS_PASSWORD: 'password', CACHE_SECRET: 'secret' });
    expect(gateway.stop_grace_period).toBe(`${drain + 5}s`);

    const { runAsUser, runAsGroup } = securityContext;
    expect(valuesOf('USER')).toEqual([`${runAsUser}:${runAsGroup}`]);
    expect(valuesOf('EXPOSE')).toEqual([String(named(container.ports, 'http').containerPort)]);
    const { startupProbe, readinessProbe, livenessProbe } = container;
    for (const { httpGet } of [startupProbe, readinessProbe, livenessProbe])
      expect(named(container.ports, httpGet.port)).toBeDefined();
    // Callers may fill the other port.
    expect(livenessProbe.httpGet.port).toBe('metrics');
    const { containerPort } = named(container.ports, 'metrics');
    expect(named(container.env, 'METRICS_PORT').value).toBe(String(containerPort));
  });

  it('the manifests select pods, ports and services that there are, also with every line that the example offers', async () => {
    const all = render(await openExample());
    const labels = ofKind('Deployment', all).map(({ spec }) => spec.template.metadata.labels);
    const selectors = [...JSON.stringify(all).matchAll(/"matchLabels":(\{[^}]*\})/g)]
      .map(([, selector = '']) => JSON.parse(selector))
      .filter((selector) => 'app.kubernetes.io/name' in selector);
    expect(selectors.length).toBeGreaterThan(10);
    for (const selector of selectors) expect(labels).toContainEqual(selector);
    for (const name of ['sluice', 'sluice-redis']) {
      const { selector, ports } = at(all, `Service ${name} spec`);
      const { template } = at(all, `Deployment ${name} spec`);
      expect(template.metadata.labels).toEqual(selector);
      const targets = ports.map((port: Manifest) => port.targetPort);
      expect(targets).toEqual(template.spec.containers[0].ports.map(({ name }: Manifest) => name));
    }
    const ports = at(all, 'Service sluice spec ports');
    const [endpoint] = at(all, 'ServiceMonitor sluice spec endpoints');
    expect(named(ports, endpoint.port)).toBeDefined();
    const { service } = at(all, 'Ingress sluice spec rules 0 http paths 0 backend');
    expect(service).toEqual({ name: 'sluice', port: { name: ports[0].name } });
    // Streams are neither kept back nor cut off.
    const { annotations } = at(all, 'Ingress sluice metadata');
    expect(annotations['nginx.ingress.kubernetes.io/proxy-buffering']).toBe('off');
    const [route] = at(all, 'HTTPRoute sluice spec rules');
    expect(route.backendRefs).toEqual([{ name: 'sluice', port: ports[0].port }]);
    expect(route.timeouts).toEqual({ request: '0s', backendRequest: '0s' });
    const rule = at(all, 'PrometheusRule sluice spec');
    expect(rule).toEqual(parse(read('deploy/monitoring/alerts.yaml')));
    const [dashboard] = ofKind('ConfigMap', all).filter(({ data }) => data['sluice.json']);
    expect(dashboard.data['sluice.json']).toBe(read('deploy/monitoring/dashboard.json'));
  });

  it('the manifests come from the tag of a release, as documented', async () => {
    const repository = dirname(dirname(await openExample()));
    const { version } = JSON.parse(read('package.json'));
    const commit = 'git -c user.name=Test -c user.email=test@test.example commit -qm Release';
    execSync(`git init -q && git add . && ${commit} && git tag v${version}`, { cwd: repository });
    const [shown] = blocks.filter(({ conditions }) => conditions['run-by']?.includes('manifests'));
    const url = `file://${repository}//`;
    const text = shown?.text.replaceAll('https://git.example/sluice//', url) ?? '';
    const made = render(await createFolder({ 'kustomization.yaml': text }, []));
    const own = ['Namespace sluice', 'ConfigMap sluice-settings'];
    const rest = manifests.map(idOf).filter((id) => !own.includes(id));
    expect(made.map(idOf).sort()).toEqual(rest.sort());
  });
});
