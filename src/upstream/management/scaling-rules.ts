import type { Problem } from '../error.ts';
import type { ScalingRequest } from './requests.ts';

const integer = (
  field: string,
  value: number | null | undefined,
  holds: (value: number) => boolean,
  expected: string,
): Problem[] =>
  value === null || value === undefined || (Number.isInteger(value) && holds(value))
    ? []
    : [{ field: [field], message: `${field} must be ${expected}, got ${value}.` }];

/** Refuses what no bounds can allow. */
export const notNegative = (field: string, value: number | null | undefined): Problem[] =>
  integer(field, value, (n) => n >= 0, 'an integer of at least 0');

const isTotalMemory = (gb: number): boolean => gb >= 24 && gb <= 1068 && gb % 12 === 0;
const totalMemory = 'a multiple of 12 from 24 to 1068';

const replicas = (field: string, value: number | null | undefined): Problem[] =>
  integer(field, value, (n) => n >= 1 && n <= 20, 'an integer from 1 to 20');

const idleTimeout = ({ idleTimeoutMinutes }: ScalingRequest): Problem[] =>
  integer('idleTimeoutMinutes', idleTimeoutMinutes, (n) => n >= 5, 'an integer of at least 5');

/** Rule 3 and the section "Limits". */
export const scalingRule = (body: ScalingRequest): Problem[] => [
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

/** The members that only the successor of the documented path takes. */
const replicaMembers = [
  'minReplicaMemoryGb',
  'maxReplicaMemoryGb',
  'autoscalingMode',
  'minReplicas',
  'maxReplicas',
] as const;

const isSet = (value: unknown): boolean => value !== null && value !== undefined;

/** Those of them that have a value. A null alone does not need the successor: a form may send it for an empty field. */
export const replicaMembersOf = (body: ScalingRequest): readonly string[] =>
  replicaMembers.filter((name) => isSet(body[name]));

const without = (body: ScalingRequest, names: readonly string[]): ScalingRequest =>
  Object.fromEntries(Object.entries(body).filter(([name]) => !names.includes(name)));

/** The body for the documented path. */
export const totalScaling = (body: ScalingRequest): ScalingRequest => without(body, replicaMembers);

/** The body for its successor. */
export const replicaScaling = (body: ScalingRequest): ScalingRequest =>
  without(body, ['minTotalMemoryGb', 'maxTotalMemoryGb']);

/** Whether only the documented path takes the body: it gives total memory, or nothing else. */
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

/** Of ClickHouse Cloud, whose own bounds change: numbers that no bounds can allow. */
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

/** Beyond the reference. No path takes members of both. */
export const replicaScalingRule = (body: ScalingRequest): Problem[] => [
  ...noTotal('min', body),
  ...noTotal('max', body),
  ...cloudScalingRule(body),
];
