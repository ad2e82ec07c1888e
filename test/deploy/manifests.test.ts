import { execFileSync, execSync } from 'node:child_process';
import { dirname } from 'node:path';
import { describe, expect, it } from 'vitest';
import { parse } from 'yaml';
import { compile, createFolder, root, tsconfig } from '../support/client/folder.ts';
import {
  at,
  documentsOf,
  idOf,
  isObject,
  type Manifest,
  openExample,
  render,
} from '../support/deploy.ts';
import { blocks } from '../support/docs/blocks.ts';
import { read } from '../support/docs/pages.ts';
import { kubectlPath } from '../support/programs.ts';

const manifests = render('deploy/example');

/** Every part of `deploy/` that protects the gateway, its callers or the cluster, by its place, and what it has to say. */
const hardening: Manifest = parse(
  `
Namespace sluice metadata labels: { pod-security.kubernetes.io/enforce: restricted }
ServiceAccount sluice automountServiceAccountToken: false
Deployment sluice spec strategy: { type: RollingUpdate, rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } }
Deployment sluice-redis spec: { replicas: 1, strategy: { type: Recreate } }
HorizontalPodAutoscaler sluice spec:
  scaleTargetRef: { apiVersion: apps/v1, kind: Deployment, name: sluice }
  metrics: [{ type: Resource, resource: { name: cpu, target: { type: Utilization, averageUtilization: 70 } } }]
  minReplicas: 2
  maxReplicas: 10
Deployment sluice spec template spec:
  serviceAccountName: sluice
  terminationGracePeriodSeconds: 50
  topologySpreadConstraints:
    - &spread
      topologyKey: kubernetes.io/hostname
      maxSkew: 1
      whenUnsatisfiable: ScheduleAnyway
      labelSelector: &gateway
        matchLabels: { app.kubernetes.io/name: sluice, app.kubernetes.io/component: gateway }
    - { <<: *spread, topologyKey: topology.kubernetes.io/zone }
  securityContext: &user
    { runAsNonRoot: true, runAsUser: 1000, runAsGroup: 1000, seccompProfile: { type: RuntimeDefault } }
  automountServiceAccountToken: false
  enableServiceLinks: false
Deployment sluice spec template spec containers 0:
  lifecycle: { preStop: { exec: { command: [sleep, '10'] } } }
  resources: { requests: { cpu: 500m, memory: 256Mi }, limits: { memory: 1Gi } }
  startupProbe: { httpGet: { path: /healthz, port: http }, periodSeconds: 1, failureThreshold: 60 }
  readinessProbe: { httpGet: { path: /readyz, port: http }, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 }
  livenessProbe: { httpGet: { path: /healthz, port: metrics }, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 }
  securityContext: &container
    { allowPrivilegeEscalation: false, readOnlyRootFilesystem: true, capabilities: { drop: [ALL] } }
Deployment sluice-redis spec template spec:
  terminationGracePeriodSeconds: 5
  automountServiceAccountToken: false
  enableServiceLinks: false
  securityContext: { <<: *user, runAsUser: 999, runAsGroup: 999 }
Deployment sluice-redis spec template spec containers 0:
  resources: { requests: { cpu: 100m, memory: 384Mi }, limits: { memory: 384Mi } }
  startupProbe: &ping
    { exec: { command: [redis-cli, -e, ping] }, periodSeconds: 1, timeoutSeconds: 3, failureThreshold: 30 }
  readinessProbe: { <<: *ping, periodSeconds: 5, failureThreshold: 2 }
  livenessProbe: { <<: *ping, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 }
  securityContext: *container
PodDisruptionBudget sluice:
  spec: { maxUnavailable: 1, unhealthyPodEvictionPolicy: AlwaysAllow, selector: *gateway }
NetworkPolicy sluice:
  spec:
    podSelector: *gateway
    policyTypes: [Ingress, Egress]
    ingress: [{ ports: [{ protocol: TCP, port: 4000 }] }]
    egress:
      - to:
          - namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: kube-system } }
          - { ipBlock: { cidr: 169.254.20.10/32 } }
        ports: [{ protocol: UDP, port: 53 }, { protocol: TCP, port: 53 }]
      - to: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: openshift-dns } } }]
        ports: [{ protocol: UDP, port: 5353 }, { protocol: TCP, port: 5353 }]
NetworkPolicy sluice-metrics:
  spec:
    podSelector: *gateway
    policyTypes: [Ingress]
    ingress:
      - from: [{ namespaceSelector: { matchLabels: { kubernetes.io/metadata.name: monitoring } } }]
        ports: [{ protocol: TCP, port: 9464 }]
NetworkPolicy sluice-to-upstreams:
  spec: { podSelector: *gateway, policyTypes: [Egress], egress: [{ ports: [{ protocol: TCP, port: 443 }] }] }
NetworkPolicy sluice-redis:
  spec:
    podSelector: &redis { matchLabels: { app.kubernetes.io/name: sluice, app.kubernetes.io/component: redis } }
    policyTypes: [Ingress, Egress]
    ingress: [{ from: [{ podSelector: *gateway }], ports: &toRedis [{ protocol: TCP, port: 6379 }] }]
NetworkPolicy sluice-to-redis:
  spec: { podSelector: *gateway, policyTypes: [Egress], egress: [{ to: [{ podSelector: *redis }], ports: *toRedis }] }
`,
  { merge: true },
);

/** What the example offers besides, by its place. */
const offered: Manifest = parse(`
Ingress sluice metadata annotations:
  nginx.ingress.kubernetes.io/proxy-read-timeout: '200'
  nginx.ingress.kubernetes.io/proxy-send-timeout: '200'
  nginx.ingress.kubernetes.io/proxy-buffering: 'off'
Ingress sluice spec tls: [{ hosts: [sluice.example], secretName: sluice-tls }]
Ingress sluice spec rules 0 http paths 0 backend service: { name: sluice, port: { name: http } }
HTTPRoute sluice spec rules:
  [{ backendRefs: [{ name: sluice, port: 80 }], timeouts: { request: 0s, backendRequest: 0s } }]
Service sluice spec ports 0: { name: http, port: 80, targetPort: http }
NetworkPolicy sluice-metrics spec ingress 0 from 0 namespaceSelector matchExpressions 0 values:
  [openshift-monitoring, openshift-user-workload-monitoring]
NetworkPolicy sluice-to-upstreams spec egress:
  [{ to: [{ ipBlock: { cidr: 10.0.0.10/32 } }], ports: [{ protocol: TCP, port: 3128 }] }]
ConfigMap sluice-dashboard-hash metadata labels: { grafana_dashboard: '1', app.kubernetes.io/name: sluice }
`);

/** What kubectl makes of a folder, with `hash` in the place of a hash. */
const kustomized = (folder: string): readonly Manifest[] => {
  // Never the cluster of the person who runs the tests.
  const env = { PATH: process.env.PATH, KUBECONFIG: '/dev/null' };
  const args = ['kustomize', folder];
  const made = execFileSync(kubectlPath ?? '', args, { cwd: root, env, encoding: 'utf8' });
  return documentsOf(made.replace(/^( {2}name: sluice-dashboard-)[a-z0-9]{10}$/m, '$1hash'));
};
const sorted = (all: readonly Manifest[]): readonly Manifest[] =>
  [...all].sort((one, other) => idOf(one).localeCompare(idOf(other)));

describe('the manifests', () => {
  it.each(Object.entries(hardening))('protect: %s', (path, expected) => {
    const found = at(manifests, path);
    // Of a whole object, each member that is named there is to be so, and no other way.
    if (!isObject(expected)) expect(found).toEqual(expected);
    else for (const [name, member] of Object.entries(expected)) expect(found[name]).toEqual(member);
  });

  it.each([
    ['deploy/gateway', 8],
    ['deploy/example', 14],
  ])('of %s are as many as its files have, each once', (folder, count) => {
    const ids = render(folder).map(idOf);
    expect([ids.length, new Set(ids).size]).toEqual([count, count]);
  });

  it('of the example are in its namespace and have its image', () => {
    const elsewhere = manifests.filter(({ metadata }) => metadata.namespace !== 'sluice');
    expect(elsewhere.map(idOf)).toEqual(['Namespace sluice']);
    expect(JSON.stringify(manifests)).toContain('"image":"registry.example/sluice:0.1.0"');
  });

  it('are of kinds that each cluster knows, with what the types of Kubernetes say, and nothing else', async () => {
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

  it('of the example with every line that it offers let callers in, Prometheus, and calls through a proxy', async () => {
    const all = render(await openExample());
    for (const [path, expected] of Object.entries(offered))
      expect([path, at(all, path)]).toEqual([path, expected]);
    const rule = at(all, 'PrometheusRule sluice spec');
    expect(rule).toEqual(parse(read('deploy/monitoring/alerts.yaml')));
    const { data } = at(all, 'ConfigMap sluice-dashboard-hash');
    expect(data).toEqual({ 'sluice.json': read('deploy/monitoring/dashboard.json') });
  });

  // Without kubectl the other tests trust the renderer in test/support/deploy.ts.
  it.skipIf(kubectlPath === undefined)('are what kubectl makes of them', async () => {
    expect(sorted(manifests)).toEqual(sorted(kustomized('deploy/example')));
    const example = await openExample();
    expect(sorted(render(example))).toEqual(sorted(kustomized(example)));
  });

  it.skipIf(kubectlPath === undefined)(
    'come from the tag of a release, as documented',
    async () => {
      const repository = dirname(dirname(await openExample()));
      const { version } = JSON.parse(read('package.json'));
      const commit = 'git -c user.name=Test -c user.email=test@test.example commit -qm Release';
      execSync(`git init -q && git add . && ${commit} && git tag v${version}`, { cwd: repository });
      const [shown] = blocks.filter(({ conditions }) =>
        conditions['run-by']?.includes('manifests'),
      );
      const url = `file://${repository}//`;
      const text = shown?.text.replaceAll('https://git.example/sluice//', url) ?? '';
      const made = kustomized(await createFolder({ 'kustomization.yaml': text }, []));
      const own = ['Namespace sluice', 'ConfigMap sluice-settings'];
      const rest = manifests.map(idOf).filter((id) => !own.includes(id));
      expect(made.map(idOf).sort()).toEqual(rest.sort());
    },
  );
});
