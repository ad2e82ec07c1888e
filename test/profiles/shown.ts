import {
  type GraphQLNamedType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { createSchema } from '../../src/gateway/schema.ts';
import { isObject } from '../../src/is-object.ts';

/** The schema's view of a record: a selection of everything, its expected answer, and the members without a field. */
interface Shown {
  readonly selection: string;
  readonly data: unknown;
  readonly unshown: readonly string[];
}

const schema = createSchema();
const leaf = (data: unknown): Shown => ({ selection: '', data, unshown: [] });
const at = (name: string, paths: readonly string[]) => paths.map((path) => `${name}.${path}`);

const otherNames: Readonly<Record<string, string>> = {
  clickhouseVersion: 'engineVersion',
  userId: 'id',
  quotaCode: 'code',
  adjustable: 'isAdjustable',
  key: 'apiKey',
  backupName: 'name',
  grandTotalCHC: 'totalChc',
  costs: 'byEntity',
  date: 'days',
  totalRemainingCredits: 'totalRemainingChc',
  remainingCredits: 'remainingChc',
  totalAmount: 'grantedChc',
  amountSpent: 'spentChc',
  duration: 'durationInHours',
  startDate: 'startsAt',
  effectiveAutoscalingMode: 'autoscalingMode',
  effectiveMinReplicaMemoryGb: 'minReplicaMemoryGb',
  effectiveMaxReplicaMemoryGb: 'maxReplicaMemoryGb',
  effectiveMinReplicas: 'minReplicas',
  effectiveMaxReplicas: 'maxReplicas',
  effectiveIdleScaling: 'idleScaling',
  effectiveIdleTimeoutMinutes: 'idleTimeoutMinutes',
  expirationDate: 'expiresAt',
  expireAt: 'expiresAt',
  seekTimestamp: 'seekAt',
  usedAt: 'lastUsedAt',
};

/** The name among the fields, or the members of an input, for a member of a ClickHouse Cloud record. */
export const nameIn = (fields: object, member: string): string => {
  const own = member
    .replace(/^clickhouse_/, 'engine_')
    .replace(/CHC$/, 'Chc')
    .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());
  const known = [own, otherNames[member] ?? ''].find((each) => each in fields);
  // Sources are `mysql` there, and `mySql` here.
  const isSame = (each: string): boolean => each.toLowerCase() === own.toLowerCase();
  return known ?? Object.keys(fields).find(isSame) ?? '';
};

const ofMember = (type: GraphQLNamedType, member: string, value: unknown): Shown => {
  const fields = isObjectType(type) ? type.getFields() : {};
  const name = nameIn(fields, member);
  const field = fields[name];
  if (!field) return { ...leaf({}), unshown: [member] };
  const named = getNamedType(field.type);
  if (value === null && isCompositeType(named)) return leaf({});
  const { selection, data, unshown } = ofValue(named, value);
  return {
    selection: selection === '' ? name : `${name} { ${selection} }`,
    ...{ data: { [name]: data }, unshown: at(member, unshown) },
  };
};

const ofValue = (type: GraphQLNamedType, value: unknown): Shown => {
  if (Array.isArray(value)) {
    const all = value.map((each) => ofValue(type, each));
    return { ...(all[0] ?? leaf([])), data: all.map(({ data }) => data) };
  }
  if (isEnumType(type)) return leaf(String(value).toUpperCase());
  if (!isObject(value)) return leaf(value);
  if (isUnionType(type)) {
    const [kind = '', source] = Object.entries(value).find(([, each]) => isObject(each)) ?? [];
    const isKind = new RegExp(`^${kind}Source$`, 'i');
    const __typename = type.getTypes().find(({ name }) => isKind.test(name))?.name ?? '';
    if (__typename === '') return { ...leaf({}), unshown: [kind] };
    const { selection, data, unshown } = shownOf(__typename, source);
    return {
      selection: `__typename ... on ${__typename} { ${selection} }`,
      ...{ data: Object.assign({ __typename }, data), unshown: at(kind, unshown) },
    };
  }
  const parts = Object.entries(value).map(([member, each]) => ofMember(type, member, each));
  return {
    selection: parts.map(({ selection }) => selection).join(' '),
    data: Object.assign({}, ...parts.map(({ data }) => data)),
    unshown: parts.flatMap(({ unshown }) => unshown),
  };
};

/** Compares a record of ClickHouse Cloud with a type of the schema. */
export const shownOf = (typeName: string, record: unknown): Shown => {
  const type = schema.getType(typeName);
  if (!type) throw new Error(`No type ${typeName}`);
  return ofValue(type, record);
};
