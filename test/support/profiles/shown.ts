import {
  type GraphQLNamedType,
  getNamedType,
  isCompositeType,
  isEnumType,
  isObjectType,
  isUnionType,
} from 'graphql';
import { createSchema } from '../../../src/gateway/schema.ts';
import { isObject } from '../../../src/is-object.ts';

/** The schema's view of a record: a selection of everything, its expected answer, and the members without a field. */
export interface Shown {
  readonly selection: string;
  readonly data: unknown;
  readonly unshown: readonly string[];
}

const schema = createSchema();

/** The field for a member of a ClickHouse Cloud record. */
const fieldOf = (member: string): string =>
  (member === 'clickhouseVersion' ? 'engineVersion' : member)
    .replace(/^clickhouse_/, 'engine_')
    .replaceAll(/_(.)/g, (_, letter: string) => letter.toUpperCase());

const capitals: Readonly<Record<string, string>> = {
  ...{ mysql: 'MySql', bigquery: 'BigQuery', mongodb: 'MongoDb', pubsub: 'PubSub' },
};
const typeOfSource = (kind: string): string =>
  `${capitals[kind] ?? kind.replace(/^./, (letter) => letter.toUpperCase())}Source`;

const ofMember = (type: GraphQLNamedType, member: string, value: unknown): Shown => {
  const name = fieldOf(member);
  const field = isObjectType(type) ? type.getFields()[name] : undefined;
  if (!field) return { selection: '', data: {}, unshown: [member] };
  const named = getNamedType(field.type);
  if (value === null && isCompositeType(named)) return { selection: '', data: {}, unshown: [] };
  const inner = ofValue(named, value);
  return {
    selection: inner.selection === '' ? name : `${name} { ${inner.selection} }`,
    data: { [name]: inner.data },
    unshown: inner.unshown.map((path) => `${member}.${path}`),
  };
};

const ofObject = (type: GraphQLNamedType, record: object): Shown => {
  const parts = Object.entries(record).map(([member, value]) => ofMember(type, member, value));
  return {
    selection: parts.map(({ selection }) => selection).join(' '),
    data: Object.assign({}, ...parts.map(({ data }) => data)),
    unshown: parts.flatMap(({ unshown }) => unshown),
  };
};

const ofSource = (record: object): Shown => {
  const [kind = '', value] = Object.entries(record).find(([, each]) => isObject(each)) ?? [];
  const typeName = typeOfSource(kind);
  const { selection, data, unshown } = shownOf(typeName, value);
  return {
    selection: `__typename ... on ${typeName} { ${selection} }`,
    data: Object.assign({ __typename: typeName }, data),
    unshown: unshown.map((path) => `${kind}.${path}`),
  };
};

const ofValue = (type: GraphQLNamedType, value: unknown): Shown => {
  if (Array.isArray(value)) {
    const all = value.map((each) => ofValue(type, each));
    return {
      ...all[0],
      selection: all[0]?.selection ?? '',
      data: all.map(({ data }) => data),
      unshown: all[0]?.unshown ?? [],
    };
  }
  if (isEnumType(type)) return { selection: '', data: String(value).toUpperCase(), unshown: [] };
  if (!isObject(value)) return { selection: '', data: value, unshown: [] };
  return isUnionType(type) ? ofSource(value) : ofObject(type, value);
};

/** Compares a record of ClickHouse Cloud with a type of the schema. */
export const shownOf = (typeName: string, record: object): Shown => {
  const type = schema.getType(typeName);
  if (!type) throw new Error(`No type ${typeName}`);
  return ofObject(type, record);
};
