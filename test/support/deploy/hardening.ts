import { isDeepStrictEqual } from 'node:util';
import { idOf, isObject, type Json, type Manifest } from './render.ts';

/** Where something stands: the manifest's kind and name, then members, and places in lists, all separated by spaces. */
type Path = string;
type Row = readonly [path: Path, expected: Json];

const under = (path: Path, rows: readonly Row[]): readonly Row[] =>
  rows.map(([rest, expected]) => [`${path} ${rest}`, expected]);

const labels = (component: string): Json => ({
  'app.kubernetes.io/name': 'sluice',
  'app.kubernetes.io/component': component,
});
const podsOf = (component: string): Json => ({ matchLabels: labels(component) });
const tcp = (port: number): Json => [{ protocol: 'TCP', port }];

const spreadOver = (topologyKey: string): Json => ({
  topologyKey,
  maxSkew: 1,
  whenUnsatisfiable: 'ScheduleAnyway',
  labelSelector: podsOf('gateway'),
});

/** What every pod has. */
const pod = (user: number): readonly Row[] => [
  ['automountServiceAccountToken', false],
  ['enableServiceLinks', false],
  ['securityContext runAsNonRoot', true],
  ['securityContext runAsUser', user],
  ['securityContext runAsGroup', user],
  ['securityContext seccompProfile type', 'RuntimeDefault'],
  ['containers 0 securityContext allowPrivilegeEscalation', false],
  ['containers 0 securityContext readOnlyRootFilesystem', true],
  ['containers 0 securityContext capabilities drop', ['ALL']],
];

const gatewayPod: readonly Row[] = [
  ...pod(1000),
  ['serviceAccountName', 'sluice'],
  ['topologySpreadConstraints 0', spreadOver('kubernetes.io/hostname')],
  ['topologySpreadConstraints 1', spreadOver('topology.kubernetes.io/zone')],
  ['terminationGracePeriodSeconds', 25],
  ['containers 0 lifecycle preStop', { exec: { command: ['sleep', '10'] } }],
  ['containers 0 resources requests', { cpu: '500m', memory: '256Mi' }],
  ['containers 0 resources limits', { memory: '1Gi' }],
  ['containers 0 startupProbe httpGet', { path: '/healthz', port: 'http' }],
  ['containers 0 startupProbe periodSeconds', 1],
  ['containers 0 startupProbe failureThreshold', 60],
  ['containers 0 readinessProbe httpGet', { path: '/readyz', port: 'http' }],
  ['containers 0 readinessProbe periodSeconds', 5],
  ['containers 0 readinessProbe timeoutSeconds', 3],
  ['containers 0 readinessProbe failureThreshold', 2],
  ['containers 0 livenessProbe httpGet', { path: '/healthz', port: 'metrics' }],
  ['containers 0 livenessProbe periodSeconds', 10],
  ['containers 0 livenessProbe timeoutSeconds', 5],
  ['containers 0 livenessProbe failureThreshold', 3],
];

const ping: Json = { command: ['redis-cli', '-e', 'ping'] };

const redisPod: readonly Row[] = [
  ...pod(999),
  ['terminationGracePeriodSeconds', 5],
  [
    'containers 0 command',
    [
      ...['redis-server', '--save', '', '--appendonly', 'no', '--maxmemory', '256mb'],
      ...['--maxmemory-policy', 'noeviction', '--requirepass', '$(REDISCLI_AUTH)'],
    ],
  ],
  ['containers 0 resources requests', { cpu: '100m', memory: '384Mi' }],
  ['containers 0 resources limits', { memory: '384Mi' }],
  ['containers 0 startupProbe exec', ping],
  ['containers 0 startupProbe periodSeconds', 1],
  ['containers 0 startupProbe timeoutSeconds', 3],
  ['containers 0 startupProbe failureThreshold', 30],
  ['containers 0 readinessProbe exec', ping],
  ['containers 0 readinessProbe periodSeconds', 5],
  ['containers 0 readinessProbe timeoutSeconds', 3],
  ['containers 0 readinessProbe failureThreshold', 2],
  ['containers 0 livenessProbe exec', ping],
  ['containers 0 livenessProbe periodSeconds', 10],
  ['containers 0 livenessProbe timeoutSeconds', 5],
  ['containers 0 livenessProbe failureThreshold', 3],
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

/** Every line of `deploy/` that protects the gateway, its callers or the cluster, and what it has to say. */
export const hardening: readonly Row[] = [
  ['Namespace sluice metadata labels', { 'pod-security.kubernetes.io/enforce': 'restricted' }],
  ['ServiceAccount sluice automountServiceAccountToken', false],
  ...under('Deployment sluice spec strategy', [
    ['type', 'RollingUpdate'],
    ['rollingUpdate', { maxUnavailable: 0, maxSurge: 1 }],
  ]),
  ...under('Deployment sluice spec template spec', gatewayPod),
  ...under('Deployment sluice-redis spec', [
    ['replicas', 1],
    ['strategy', { type: 'Recreate' }],
  ]),
  ...under('Deployment sluice-redis spec template spec', redisPod),
  ...under('PodDisruptionBudget sluice spec', [
    ['maxUnavailable', 1],
    ['unhealthyPodEvictionPolicy', 'AlwaysAllow'],
    ['selector', podsOf('gateway')],
  ]),
  ...under('HorizontalPodAutoscaler sluice spec', [
    ['scaleTargetRef', { apiVersion: 'apps/v1', kind: 'Deployment', name: 'sluice' }],
    ['minReplicas', 2],
    ['maxReplicas', 10],
    [
      'metrics 0',
      {
        type: 'Resource',
        resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 70 } },
      },
    ],
  ]),
  ...under('NetworkPolicy sluice spec', [
    ['podSelector', podsOf('gateway')],
    ['policyTypes', ['Ingress', 'Egress']],
    ['ingress', [{ ports: tcp(4000) }, { from: [{ namespaceSelector: {} }], ports: tcp(9464) }]],
    ['egress', [nameServer, { ports: tcp(443) }]],
  ]),
  ...under('NetworkPolicy sluice-redis spec', [
    ['podSelector', podsOf('redis')],
    ['policyTypes', ['Ingress', 'Egress']],
    ['ingress', [{ from: [{ podSelector: podsOf('gateway') }], ports: tcp(6379) }]],
  ]),
  ...under('NetworkPolicy sluice-to-redis spec', [
    ['podSelector', podsOf('gateway')],
    ['policyTypes', ['Egress']],
    ['egress', [{ to: [{ podSelector: podsOf('redis') }], ports: tcp(6379) }]],
  ]),
];

const memberOf = (value: Json | undefined, name: string): Json | undefined => {
  if (Array.isArray(value)) return value[Number(name)];
  return isObject(value) ? value[name] : undefined;
};

/** What stands at a path. */
export const at = (manifests: readonly Manifest[], path: Path): Json | undefined => {
  const [kind, name, ...members] = path.split(' ');
  const manifest = manifests.find((one) => idOf(one) === `${kind} ${name}`);
  return members.reduce<Json | undefined>(memberOf, manifest);
};

/** The lines that are missing, or say something else. */
export const faultsOf = (manifests: readonly Manifest[]): readonly Path[] =>
  hardening.flatMap(([path, expected]) =>
    isDeepStrictEqual(at(manifests, path), expected) ? [] : [path],
  );

const leavesIn = (value: Json, path: Path): readonly Path[] => {
  const inner = Array.isArray(value) || isObject(value) ? Object.entries(value) : [];
  return inner.length === 0
    ? [path]
    : inner.flatMap(([name, member]) => leavesIn(member, `${path} ${name}`));
};

/** Every value in the manifests, by its path: a line of them, roughly. */
export const leavesOf = (manifests: readonly Manifest[]): readonly Path[] =>
  manifests.flatMap((manifest) => leavesIn(manifest, idOf(manifest)));

const removed = (value: Json | undefined, [name = '', ...rest]: readonly string[]): Json => {
  const keep = ([member, inner]: [string, Json]): readonly [string, Json][] => {
    if (member !== name) return [[member, inner]];
    return rest.length === 0 ? [] : [[member, removed(inner, rest)]];
  };
  const members = Object.entries(value ?? {}).flatMap(keep);
  return Array.isArray(value) ? members.map(([, item]) => item) : Object.fromEntries(members);
};

/** The same manifests without what stands at a path. */
export const without = (manifests: readonly Manifest[], path: Path): readonly Manifest[] => {
  const [kind, name, ...members] = path.split(' ');
  return manifests.map((manifest) =>
    idOf(manifest) === `${kind} ${name}` ? (removed(manifest, members) as Manifest) : manifest,
  );
};
