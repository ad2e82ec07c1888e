import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { parseAllDocuments } from 'yaml';
import { compile, createFolder, root, tsconfig } from '../support/client/folder.ts';
import { at, idOf, type Json, type Manifest, render } from '../support/deploy.ts';

const manifests = render('deploy/example');

type Row = readonly [path: string, expected: Json];
const under = (path: string, rows: readonly Row[]): readonly Row[] =>
  rows.map(([rest, expected]) => [`${path} ${rest}`, expected]);

const podsOf = (component: string): Json => ({
  matchLabels: { 'app.kubernetes.io/name': 'sluice', 'app.kubernetes.io/component': component },
});
const tcp = (port: number): Json => [{ protocol: 'TCP', port }];
const spreadOver = (topologyKey: string): Json => ({
  ...{ topologyKey, maxSkew: 1, whenUnsatisfiable: 'ScheduleAnyway' },
  labelSelector: podsOf('gateway'),
});
const ping: Json = { command: ['redis-cli', '-e', 'ping'] };

/** What every pod has. */
const pod = (user: number): readonly Row[] => [
  ['automountServiceAccountToken', false],
  ['enableServiceLinks', false],
  [
    'securityContext',
    {
      ...{ runAsNonRoot: true, runAsUser: user, runAsGroup: user },
      seccompProfile: { type: 'RuntimeDefault' },
    },
  ],
  [
    'containers 0 securityContext',
    {
      ...{ allowPrivilegeEscalation: false, readOnlyRootFilesystem: true },
      capabilities: { drop: ['ALL'] },
    },
  ],
];

const nameServer: Json = {
  to: [
    { namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } },
    { ipBlock: { cidr: '169.254.20.10/32' } },
  ],
  ports: [
    { protocol: 'UDP', port: 53 },
    { protocol: 'TCP', port: 53 },
  ],
};

/** Every part of `deploy/` that protects the gateway, its callers or the cluster, and what it has to say. */
const hardening: readonly Row[] = [
  ['Namespace sluice metadata labels', { 'pod-security.kubernetes.io/enforce': 'restricted' }],
  ['ServiceAccount sluice automountServiceAccountToken', false],
  [
    'Deployment sluice spec strategy',
    { type: 'RollingUpdate', rollingUpdate: { maxUnavailable: 0, maxSurge: 1 } },
  ],
  ...under('Deployment sluice spec template spec', [
    ...pod(1000),
    ['serviceAccountName', 'sluice'],
    [
      'topologySpreadConstraints',
      [spreadOver('kubernetes.io/hostname'), spreadOver('topology.kubernetes.io/zone')],
    ],
    ['terminationGracePeriodSeconds', 25],
    ['containers 0 lifecycle', { preStop: { exec: { command: ['sleep', '10'] } } }],
    [
      'containers 0 resources',
      { requests: { cpu: '500m', memory: '256Mi' }, limits: { memory: '1Gi' } },
    ],
    [
      'containers 0 startupProbe',
      { httpGet: { path: '/healthz', port: 'http' }, periodSeconds: 1, failureThreshold: 60 },
    ],
    [
      'containers 0 readinessProbe',
      {
        httpGet: { path: '/readyz', port: 'http' },
        ...{ periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 },
      },
    ],
    [
      'containers 0 livenessProbe',
      {
        httpGet: { path: '/healthz', port: 'metrics' },
        ...{ periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
      },
    ],
  ]),
  ['Deployment sluice-redis spec replicas', 1],
  ['Deployment sluice-redis spec strategy', { type: 'Recreate' }],
  ...under('Deployment sluice-redis spec template spec', [
    ...pod(999),
    ['terminationGracePeriodSeconds', 5],
    [
      'containers 0 resources',
      { requests: { cpu: '100m', memory: '384Mi' }, limits: { memory: '384Mi' } },
    ],
    [
      'containers 0 startupProbe',
      { exec: ping, periodSeconds: 1, timeoutSeconds: 3, failureThreshold: 30 },
    ],
    [
      'containers 0 readinessProbe',
      { exec: ping, periodSeconds: 5, timeoutSeconds: 3, failureThreshold: 2 },
    ],
    [
      'containers 0 livenessProbe',
      { exec: ping, periodSeconds: 10, timeoutSeconds: 5, failureThreshold: 3 },
    ],
  ]),
  [
    'PodDisruptionBudget sluice spec',
    {
      ...{ maxUnavailable: 1, unhealthyPodEvictionPolicy: 'AlwaysAllow' },
      selector: podsOf('gateway'),
    },
  ],
  ['HorizontalPodAutoscaler sluice spec minReplicas', 2],
  ['HorizontalPodAutoscaler sluice spec maxReplicas', 10],
  [
    'NetworkPolicy sluice spec',
    {
      podSelector: podsOf('gateway'),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ ports: tcp(4000) }, { from: [{ namespaceSelector: {} }], ports: tcp(9464) }],
      egress: [nameServer, { ports: tcp(443) }],
    },
  ],
  [
    'NetworkPolicy sluice-redis spec',
    {
      podSelector: podsOf('redis'),
      policyTypes: ['Ingress', 'Egress'],
      ingress: [{ from: [{ podSelector: podsOf('gateway') }], ports: tcp(6379) }],
    },
  ],
  [
    'NetworkPolicy sluice-to-redis spec',
    {
      podSelector: podsOf('gateway'),
      policyTypes: ['Egress'],
      egress: [{ to: [{ podSelector: podsOf('redis') }], ports: tcp(6379) }],
    },
  ],
];

const kubectl = [process.env.KUBECTL, '/usr/bin/kubectl', '/usr/local/bin/kubectl'].find(
  (path) => path !== undefined && existsSync(path),
);
const sorted = (all: readonly Manifest[]): readonly Manifest[] =>
  [...all].sort((one, other) => idOf(one).localeCompare(idOf(other)));

describe('the manifests', () => {
  it.each(hardening)('protect: %s', (path, expected) => {
    expect(at(manifests, path)).toEqual(expected);
  });

  it.each([
    ['deploy/gateway', 6],
    ['deploy/example', 12],
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
    const program = manifests.map((manifest) => {
      const { apiVersion, kind } = manifest;
      const type = `import('kubernetes-types/${modules[apiVersion]}.js').${kind}`;
      return `(${JSON.stringify(manifest)}) satisfies ${type};\n`;
    });
    const config = tsconfig({ noEmit: true, types: [] });
    const files = { 'manifests.ts': `export {};\n${program.join('')}`, 'tsconfig.json': config };
    expect((await compile(await createFolder(files, ['kubernetes-types']))).stdout).toBe('');
  });

  // Without kubectl the other tests trust the renderer in test/support/deploy.ts.
  it.skipIf(kubectl === undefined)('are what kubectl makes of them', () => {
    // No cluster of whoever runs the tests.
    const env = { PATH: process.env.PATH, KUBECONFIG: '/dev/null' };
    const args = ['kustomize', 'deploy/example'];
    const made = execFileSync(kubectl ?? '', args, { cwd: root, env, encoding: 'utf8' });
    const documents = parseAllDocuments(made).map((document) => document.toJS() as Manifest);
    expect(sorted(manifests)).toEqual(sorted(documents));
  });
});
