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

/** How the records of a service differ from the schema. */
export interface Dialect {
  /** The field that shows a member. */
  fieldOf(member: string): string;
  /** Of a member of an object that the schema has a union for: the type it is. */
  readonly variants: Readonly<Record<string, string>>;
}

/** What the schema has of a record. */
export interface Shown {
  /** Selects everything that is shown. */
  readonly selection: string;
  /** The answer to that. */
  readonly data: unknown;
  /** The paths of the members that the schema has no field for. */
  readonly unshown: readonly string[];
}

const schema = createSchema();

const ofObject = (type: GraphQLNamedType, record: object, dialect: Dialect): Shown => {
  if (!isObjectType(type)) throw new Error(`${type.name} is no object type`);
  const parts = Object.entries(record).map(([member, value]) => {
    const name = dialect.fieldOf(member);
    const field = type.getFields()[name];
    if (!field) return { selection: '', data: {}, unshown: [member] };
    const named = getNamedType(field.type);
    if (value === null && isCompositeType(named)) return { selection: '', data: {}, unshown: [] };
    const inner = ofValue(named, value, dialect);
    return {
      selection: inner.selection === '' ? name : `${name} { ${inner.selection} }`,
      data: { [name]: inner.data },
      unshown: inner.unshown.map((path) => `${member}.${path}`),
    };
  });
  return {
    selection: parts
      .map(({ selection }) => selection)
      .filter((each) => each !== '')
      .join(' '),
    data: Object.assign({}, ...parts.map(({ data }) => data)),
    unshown: parts.flatMap(({ unshown }) => unshown),
  };
};

const ofUnion = (record: object, dialect: Dialect): Shown => {
  const [member, value] = Object.entries(record).find(([, each]) => isObject(each)) ?? [];
  const typeName = dialect.variants[member ?? ''];
  const type = schema.getType(typeName ?? '');
  if (!type || !isObject(value)) throw new Error(`No type for ${member}`);
  const { selection, data, unshown } = ofObject(type, value, dialect);
  return {
    selection: `__typename ... on ${typeName} { ${selection} }`,
    data: Object.assign({ __typename: typeName }, data),
    unshown: unshown.map((path) => `${member}.${path}`),
  };
};

const ofValue = (type: GraphQLNamedType, value: unknown, dialect: Dialect): Shown => {
  if (Array.isArray(value)) {
    const all = value.map((each) => ofValue(type, each, dialect));
    return {
      selection: all[0]?.selection ?? '',
      data: all.map(({ data }) => data),
      unshown: [...new Set(all.flatMap(({ unshown }) => unshown))],
    };
  }
  if (isEnumType(type)) return { selection: '', data: String(value).toUpperCase(), unshown: [] };
  if (!isObject(value)) return { selection: '', data: value, unshown: [] };
  return isUnionType(type) ? ofUnion(value, dialect) : ofObject(type, value, dialect);
};

/** Takes a record apart: what of it the schema shows, and how it is asked for. */
export const shownOf = (typeName: string, record: object, dialect: Dialect): Shown => {
  const type = schema.getType(typeName);
  if (!type) throw new Error(`No type ${typeName}`);
  return ofValue(type, record, dialect);
};
