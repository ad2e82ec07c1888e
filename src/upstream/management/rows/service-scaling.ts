import type { Problem } from '../../error.ts';
import { patch, type Wire } from '../../operation.ts';
import { integer, notNegative } from '../numbers.ts';
import { inCloud, inOrganization } from '../row-parts.ts';
import type { ServiceWithIds } from './service.ts';

type ScalingRequest = Wire<{
  minTotalMemoryGb: number;
  maxTotalMemoryGb: number;
  numReplicas: number;
  idleScaling: boolean;
  idleTimeoutMinutes: number;
  // not in the documented interface; `updateReplicaScaling` takes them
  minReplicaMemoryGb: number;
  maxReplicaMemoryGb: number;
  autoscalingMode: string;
  minReplicas: number;
  maxReplicas: number;
}>;

const isTotalMemory = (gb: number): boolean => gb >= 24 && gb <= 1068 && gb % 12 === 0;

const totalMemory = 'a multiple of 12 from 24 to 1068';

const replicas = (field: string, value: number | null | undefined): Problem[] =>
  integer(field, value, (n) => n >= 1 && n <= 20, 'an integer from 1 to 20');

const idleTimeout = ({ idleTimeoutMinutes }: ScalingRequest): Problem[] =>
  integer('idleTimeoutMinutes', idleTimeoutMinutes, (n) => n >= 5, 'an integer of at least 5');

/** Documented rule 3, and the documented limits. */
const scalingRule = (body: ScalingRequest): Problem[] => [
  ...(Object.keys(totalScaling(body)).length === 0
    ? [
        {
          field: ['minTotalMemoryGb'],
          message:
            'minTotalMemoryGb, maxTotalMemoryGb, numReplicas, idleScaling or idleTimeoutMinutes must be given, got none.',
        },
      ]
    : []),
  ...integer('minTotalMemoryGb', body.minTotalMemoryGb, isTotalMemory, totalMemory),
  ...integer('maxTotalMemoryGb', body.maxTotalMemoryGb, isTotalMemory, totalMemory),
  ...replicas('numReplicas', body.numReplicas),
  ...idleTimeout(body),
];

/** The members that only `updateReplicaScaling` takes. */
const replicaMembers = [
  'minReplicaMemoryGb',
  'maxReplicaMemoryGb',
  'autoscalingMode',
  'minReplicas',
  'maxReplicas',
] as const;

const isSet = (value: unknown): boolean => value !== null && value !== undefined;

/** The `replicaMembers` with a value. Null does not count, since a form may send it for an empty field. */
export const replicaMembersOf = (body: ScalingRequest): readonly string[] =>
  replicaMembers.filter((name) => isSet(body[name]));

const without = (body: ScalingRequest, names: readonly string[]): ScalingRequest =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** The body for `updateServiceScaling`. */
const totalScaling = (body: ScalingRequest): ScalingRequest => without(body, replicaMembers);

/** The body for `updateReplicaScaling`. */
export const replicaScaling = (body: ScalingRequest): ScalingRequest =>
  without(body, ['minTotalMemoryGb', 'maxTotalMemoryGb']);

/** Whether only `updateServiceScaling` takes the body: it sets total memory, or has no member for the other path. */
export const needsTotals = (body: ScalingRequest): boolean =>
  isSet(body.minTotalMemoryGb) ||
  isSet(body.maxTotalMemoryGb) ||
  Object.keys(replicaScaling(body)).length === 0;

const noTotal = (end: 'min' | 'max', body: ScalingRequest): Problem[] => {
  const [name, successor] = [`${end}TotalMemoryGb`, `${end}ReplicaMemoryGb`] as const;
  if (!isSet(body[name])) return [];
  const advice = isSet(body[successor]) ? '' : `: give ${successor} instead`;
  const message = `${name} must not be given together with ${replicaMembersOf(body).join(', ')}${advice}.`;
  return [{ field: [name], message }];
};

/** The rule of ClickHouse Cloud. Its bounds change, so only negative numbers are refused here. */
export const cloudScalingRule = (body: ScalingRequest): Problem[] =>
  (
    [
      'minTotalMemoryGb',
      'maxTotalMemoryGb',
      'minReplicaMemoryGb',
      'maxReplicaMemoryGb',
      'numReplicas',
      'minReplicas',
      'maxReplicas',
      'idleTimeoutMinutes',
    ] as const
  ).flatMap((name) => notNegative(name, body[name]));

/** Not in the documented interface. Neither path takes both total memory and memory of replicas. */
const replicaScalingRule = (body: ScalingRequest): Problem[] => [
  ...noTotal('min', body),
  ...noTotal('max', body),
  ...cloudScalingRule(body),
];

export const rows = {
  /** Documented rule 3. */
  updateServiceScaling: patch('/v1/organizations/{organizationId}/services/{serviceId}/scaling', {
    permission: 'control-plane:service:manage-scaling-config',
    changes: ['getService', 'listServices', 'getScalingSchedule', 'listActivities'],
  })
    .body<ScalingRequest>({ rule: scalingRule, encode: totalScaling })
    .oneOrNone<ServiceWithIds>(inOrganization),

  /** Not in the documented interface; replaces `updateServiceScaling` in ClickHouse Cloud. */
  updateReplicaScaling: inCloud(
    patch('/v1/organizations/{organizationId}/services/{serviceId}/replicaScaling', {
      permission: 'control-plane:service:manage-scaling-config',
      changes: ['getService', 'listServices', 'getScalingSchedule', 'listActivities'],
    })
      .body<ScalingRequest>({ rule: replicaScalingRule, encode: replicaScaling })
      .oneOrNone<ServiceWithIds>(inOrganization),
  ),
};
