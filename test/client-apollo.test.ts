import './client-built.ts';
import {
  type GraphQLField,
  type GraphQLObjectType,
  type GraphQLOutputType,
  getNamedType,
  getNullableType,
  isAbstractType,
  isCompositeType,
  isListType,
  isNonNullType,
  isObjectType,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { possibleTypes, type ReadOptions, typePolicies } from '../client/src/apollo.ts';
import { createSchema } from '../src/schema.ts';

const schema = createSchema();
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** Apollo drops the payloads of mutations, and what in them has no key of its own. */
const isDropped = ({ name }: { readonly name: string }): boolean =>
  name === 'Mutation' || name.endsWith('Payload');

const objects = types.filter((type) => isObjectType(type)).filter((type) => !isDropped(type));

interface Policy {
  readonly keyFields?: readonly string[] | false;
  readonly merge?: boolean;
  readonly fields?: Readonly<Record<string, unknown>>;
}
const policies: Readonly<Record<string, Policy>> = typePolicies;

const compositeFields = (type: GraphQLObjectType): GraphQLField<unknown, unknown>[] =>
  Object.values(type.getFields()).filter(({ type }) => isCompositeType(getNamedType(type)));

const isList = (type: GraphQLOutputType): boolean => isListType(getNullableType(type));

/** The object types that a field may answer with. */
const answersOf = (type: GraphQLOutputType): readonly GraphQLObjectType[] => {
  const named = getNamedType(type);
  if (isAbstractType(named)) return schema.getPossibleTypes(named);
  return isObjectType(named) ? [named] : [];
};

/** Whether objects of a type always have an identifier. */
const isIdentified = (type: GraphQLObjectType): boolean => isNonNullType(type.getFields().id?.type);

it('possibleTypes are those of the schema', () => {
  const expected = types
    .filter((type) => isAbstractType(type))
    .map((type): [string, string[]] => [
      type.name,
      schema
        .getPossibleTypes(type)
        .map(({ name }) => name)
        .sort(),
    ]);
  expect(possibleTypes).toEqual(Object.fromEntries(expected));
});

describe('typePolicies', () => {
  it('consider every type that stays in the cache, and no other', () => {
    expect(Object.keys(policies).sort()).toEqual(objects.map(({ name }) => name).sort());
  });

  it.each(objects)('$name: has a key where it has an identifier, and all named fields', (type) => {
    const { keyFields, fields = {} } = policies[type.name] ?? {};
    if (type.name !== 'Query') expect(keyFields === false).toBe(!isIdentified(type));
    for (const name of keyFields || []) expect(String(type.getFields()[name]?.type)).toBe('ID!');
    expect(Object.keys(type.getFields())).toEqual(expect.arrayContaining(Object.keys(fields)));
  });

  it.each(objects)('$name: lists of objects are replaced as a whole', (type) => {
    for (const { name, type: answer } of compositeFields(type)) {
      const policy = policies[type.name]?.fields?.[name];
      if (isList(answer)) expect([name, policy]).toEqual([name, { merge: false }]);
      else expect([name, policy]).not.toEqual([name, { merge: false }]);
    }
  });

  it.each(objects)('$name: what has no key of its own is merged into it', (type) => {
    for (const { type: answer } of compositeFields(type).filter(({ type }) => !isList(type))) {
      for (const each of answersOf(answer)) {
        expect([each.name, policies[each.name]?.merge ?? isIdentified(each)]).toEqual([
          each.name,
          true,
        ]);
      }
    }
  });
});

type Store = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

const store: Store = {
  'Organization:o': {},
  'Service:s': { organizationId: 'o' },
  'Service:short': {},
  'Pipe:p': { organizationId: 'o', serviceId: 's' },
  'Dashboard:d': {},
  'Alert:a': {},
  'Tile:t': { dashboardId: 'd' },
};

/** What Apollo hands to `read`, over a cache of the objects above; a reference is the key of its object. */
const optionsOf = (
  args: Readonly<Record<string, string>>,
  neighbours: Readonly<Record<string, unknown>>,
): ReadOptions => ({
  args,
  readField: (name, from) => {
    if (from === undefined) return neighbours[name];
    const key = String(from);
    return name === 'id' && key in store ? key.split(':')[1] : store[key]?.[name];
  },
  toReference: (object) => `${object.__typename}:${'id' in object ? object.id : ''}`,
});

const read = (
  field: string,
  existing: unknown,
  args: Readonly<Record<string, string>>,
  neighbours: Readonly<Record<string, unknown>> = {},
): unknown => {
  const [type = '', name = ''] = field.split('.');
  const policy = policies[type]?.fields?.[name];
  if (typeof policy !== 'function') throw new Error(`${field} has no read`);
  return policy(existing, optionsOf(args, neighbours));
};

const service = { organizationId: 'o', serviceId: 's' };

describe('a field that leads to one object', () => {
  const lookUps = [
    ['Query.organization', { id: 'o' }, {}, 'Organization:o'],
    ['Query.service', service, {}, 'Service:s'],
    ['Query.pipe', { ...service, pipeId: 'p' }, {}, 'Pipe:p'],
    ['Query.dashboard', { id: 'd' }, {}, 'Dashboard:d'],
    ['Query.alert', { id: 'a' }, {}, 'Alert:a'],
    ['Organization.service', { id: 's' }, { id: 'o' }, 'Service:s'],
    ['Service.organization', {}, { organizationId: 'o' }, 'Organization:o'],
    ['Service.pipe', { id: 'p' }, { id: 's', organizationId: 'o' }, 'Pipe:p'],
    ['Pipe.service', {}, service, 'Service:s'],
    ['Tile.dashboard', {}, { dashboardId: 'd' }, 'Dashboard:d'],
    ['Alert.dashboard', {}, { dashboardId: 'd' }, 'Dashboard:d'],
    ['Alert.tile', {}, { dashboardId: 'd', tileId: 't' }, 'Tile:t'],
  ] as const;

  it('is every one with a read, and every one whose object has a key that is at hand', () => {
    const withRead = Object.entries(policies).flatMap(([type, { fields = {} }]) =>
      Object.entries(fields)
        .filter(([, policy]) => typeof policy === 'function')
        .map(([field]) => `${type}.${field}`),
    );
    expect(lookUps.map(([field]) => field).sort()).toEqual(withRead.sort());
    const single = objects.flatMap((type) =>
      compositeFields(type)
        .filter((field) => !isList(field.type) && answersOf(field.type).every(isIdentified))
        .map(({ name }) => `${type.name}.${name}`),
    );
    // A nodeId is not taken apart.
    expect([...withRead, 'Query.node'].sort()).toEqual(single.sort());
  });

  it.each(lookUps)('%s is found by arguments %j and neighbours %j', (field, args, near, found) => {
    const [type = '', name = ''] = field.split('.');
    const declared = objects.find((object) => object.name === type)?.getFields()[name];
    expect(declared?.args.map((arg) => arg.name).sort()).toEqual(Object.keys(args).sort());
    expect(read(field, undefined, args, near)).toBe(found);
  });

  it.each(lookUps)('%s is not found under another parent', (field, args, near, found) => {
    const changed = (values: Readonly<Record<string, string>>) =>
      Object.entries(values)
        .filter(([, value]) => !found.endsWith(`:${value}`))
        .map(([name]) => ({ ...values, [name]: 'another' }));
    for (const other of changed(args)) expect(read(field, undefined, other, near)).toBeUndefined();
    for (const other of changed(near)) expect(read(field, undefined, args, other)).toBeUndefined();
  });

  it('is what was read, where that is its object or null', () => {
    expect(read('Query.service', 'Service:s', service)).toBe('Service:s');
    expect(read('Query.service', null, service)).toBeNull();
  });

  it('is looked up under its key even where the cache lacks it, and so asked for', () => {
    expect(read('Query.service', undefined, { ...service, serviceId: 'x' })).toBe('Service:x');
  });

  it('is found where its parent is not known, and not where it is another', () => {
    const args = { organizationId: 'another' };
    expect(read('Query.service', undefined, { ...args, serviceId: 'short' })).toBe('Service:short');
    expect(read('Query.service', undefined, { ...args, serviceId: 's' })).toBeUndefined();
  });

  it('follows its neighbours when they change', () => {
    const near = { dashboardId: 'd' };
    expect(read('Alert.dashboard', 'Dashboard:d', {}, near)).toBe('Dashboard:d');
    expect(read('Alert.dashboard', 'Organization:o', {}, near)).toBe('Dashboard:d');
    expect(read('Alert.dashboard', 'Dashboard:d', {}, { dashboardId: null })).toBeNull();
    expect(read('Alert.dashboard', 'Dashboard:d', {}, {})).toBe('Dashboard:d');
    expect(read('Alert.dashboard', undefined, {}, {})).toBeUndefined();
  });
});
