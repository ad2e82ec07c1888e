import '../support/client/built.ts';
import { InMemoryCache, type StoreObject } from '@apollo/client';
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
  parse,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import { possibleTypes, typePolicies } from '../../client/src/apollo.ts';
import { createSchema } from '../../src/gateway/schema.ts';

const schema = createSchema();
const types = Object.values(schema.getTypeMap()).filter(({ name }) => !name.startsWith('__'));

/** Apollo drops the payloads of mutations, and what in them has no key of its own. */
const objects = types
  .filter((type) => isObjectType(type))
  .filter(({ name }) => name !== 'Mutation' && !name.endsWith('Payload'));

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

it('typePolicies consider every type that stays in the cache, and no other', () => {
  expect(Object.keys(policies).sort()).toEqual(objects.map(({ name }) => name).sort());
});

it.each(objects)('$name: by its key, with whole lists, and parts that are merged', (type) => {
  const { keyFields, fields = {} } = policies[type.name] ?? {};
  const isRoot = ['Query', 'Subscription'].includes(type.name);
  expect(keyFields === false).toBe(!isRoot && !isIdentified(type));
  for (const name of keyFields || []) expect(String(type.getFields()[name]?.type)).toBe('ID!');
  expect(Object.keys(type.getFields())).toEqual(expect.arrayContaining(Object.keys(fields)));
  for (const { name, type: answer } of compositeFields(type)) {
    expect([name, Object(fields[name]).merge === false]).toEqual([name, isList(answer)]);
    // What has no key of its own is merged into what holds it.
    for (const each of isList(answer) ? [] : answersOf(answer)) {
      const isMerged = policies[each.name]?.merge ?? isIdentified(each);
      expect([each.name, isMerged]).toEqual([each.name, true]);
    }
  }
});

const cacheOf = (): InMemoryCache => new InMemoryCache({ possibleTypes, typePolicies });

type Values = Readonly<Record<string, unknown>>;
type Known = StoreObject & { readonly __typename: string };

/** Writes an object as an answer would that holds these values. */
const write = (cache: InMemoryCache, data: Known): void => {
  const selected = (values: Values): string =>
    Object.entries(values)
      .map(([name, value]) => name + (value instanceof Object ? selected({ ...value }) : ''))
      .join(' ')
      .replace(/.*/, '{ $& }');
  const fragment = parse(`fragment Written on ${data.__typename} ${selected(data)}`);
  cache.writeFragment({ id: cache.identify(data) ?? '', fragment, data });
};

const filled = (): InMemoryCache => {
  const cache = cacheOf();
  for (const object of [
    { __typename: 'Organization', id: 'o' },
    { __typename: 'Service', id: 's', organizationId: 'o' },
    { __typename: 'Service', id: 'short' },
    { __typename: 'Pipe', id: 'p', organizationId: 'o', serviceId: 's' },
    { __typename: 'Dashboard', id: 'd' },
    { __typename: 'Dashboard', id: 'e' },
    { __typename: 'Alert', id: 'a' },
    { __typename: 'Tile', id: 't', dashboardId: 'd' },
  ]) {
    write(cache, object);
  }
  return cache;
};

type Strings = Readonly<Record<string, string>>;

/** What a cache has under a field of an object or, without one, of `Query`; undefined where it would ask. */
const read = (cache: InMemoryCache, field: string, args: Strings, parent?: Known): unknown => {
  const given = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const selection = `{ found: ${field}${given.length > 0 ? `(${given})` : ''} { __typename id } }`;
  const data = parent
    ? cache.readFragment<Values>({
        id: cache.identify(parent) ?? '',
        fragment: parse(`fragment Read on ${parent.__typename} ${selection}`),
      })
    : cache.readQuery<Values>({ query: parse(selection) });
  return data?.found;
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

  /** What a cache has there, beside a parent of these values. */
  const find = (cache: InMemoryCache, path: string, args: Strings, near: Strings): unknown => {
    const [type = '', field = ''] = path.split('.');
    if (type === 'Query') return read(cache, field, args);
    const parent = { __typename: type, id: 'parent', ...near };
    write(cache, parent);
    return read(cache, field, args, parent);
  };

  it('is every one with a read, and every one whose object has a key that is at hand', () => {
    const withRead = Object.entries(policies).flatMap(([type, { fields = {} }]) =>
      Object.entries(fields)
        .filter(([, policy]) => typeof policy === 'function')
        .map(([field]) => `${type}.${field}`),
    );
    expect(lookUps.map(([field]) => field).sort()).toEqual(withRead.sort());
    // Events are not looked for in the cache, and nothing beside an unread service names it.
    const single = objects
      .filter(({ name }) => name !== 'Subscription' && name !== 'UnreadService')
      .flatMap((type) =>
        compositeFields(type)
          .filter((field) => !isList(field.type) && answersOf(field.type).every(isIdentified))
          .map(({ name }) => `${type.name}.${name}`),
      );
    // A nodeId is not taken apart.
    expect([...withRead, 'Query.node'].sort()).toEqual(single.sort());
  });

  it.each(lookUps)('%s, by arguments %j and neighbours %j', (path, args, near, found) => {
    const [type = '', field = ''] = path.split('.');
    const declared = objects.find(({ name }) => name === type)?.getFields()[field];
    expect(declared?.args.map(({ name }) => name).sort()).toEqual(Object.keys(args).sort());
    const [__typename, id] = found.split(':');
    expect(find(filled(), path, args, near)).toEqual({ __typename, id });
    expect(find(cacheOf(), path, args, near)).toBeUndefined();
    // Nor is it found under another parent.
    const changed = (values: Strings) =>
      Object.keys(values)
        .filter((name) => values[name] !== id)
        .map((name) => ({ ...values, [name]: 'another' }));
    for (const other of changed(args)) expect(find(filled(), path, other, near)).toBeUndefined();
    for (const other of changed(near)) expect(find(filled(), path, args, other)).toBeUndefined();
  });

  it('is what was read, where that is its object, has no identifier or is null', () => {
    const cache = filled();
    const query = (fields: string) =>
      parse(`{ service(organizationId: "o", serviceId: "s") { __typename ${fields} } }`);
    const of = (more: Strings) => ({ __typename: 'Service', ...more });
    for (const [field, service] of [
      ['name', of({ name: 'n' })],
      ['id', of({ id: 's' })],
      ['id', null],
    ] as const) {
      cache.writeQuery({ query: query(field), data: { service } });
      expect(cache.readQuery({ query: query(field) })).toEqual({ service });
    }
  });

  it('is found where its parent is not known, and not where it is another', () => {
    const find = (serviceId: string) =>
      read(filled(), 'service', { organizationId: 'another', serviceId });
    expect(find('short')).toMatchObject({ id: 'short' });
    expect(find('s')).toBeUndefined();
  });

  it('follows its neighbours when they change', () => {
    const cache = filled();
    const alert = { __typename: 'Alert', id: 'a' };
    const dashboard = () => read(cache, 'dashboard', {}, alert);
    expect(dashboard()).toBeUndefined();
    write(cache, { ...alert, dashboard: { __typename: 'Dashboard', id: 'd' } });
    expect(dashboard()).toMatchObject({ id: 'd' });
    write(cache, { ...alert, dashboardId: 'e' });
    expect(dashboard()).toMatchObject({ id: 'e' });
    write(cache, { ...alert, dashboardId: null });
    expect(dashboard()).toBeNull();
  });
});

it('what has no key of its own is put together from two answers', () => {
  const cache = cacheOf();
  const pipe = { __typename: 'Pipe', id: 'p' };
  write(cache, { ...pipe, scaling: { __typename: 'PipeScaling', replicas: 2 } });
  write(cache, { ...pipe, scaling: { __typename: 'PipeScaling', concurrency: 3 } });
  expect(cache.extract()).toMatchObject({ 'Pipe:p': { scaling: { replicas: 2, concurrency: 3 } } });
});

it('tiles with the same id stay apart, and none is taken without its dashboardId', () => {
  const cache = cacheOf();
  const tile = { __typename: 'Tile', id: 't' };
  write(cache, { ...tile, dashboardId: 'd', name: 'one' });
  write(cache, { ...tile, dashboardId: 'e', name: 'other' });
  const names = Object.values(cache.extract()).flatMap((object) => object?.name ?? []);
  expect(names.sort()).toEqual(['one', 'other']);
  const query = parse('{ dashboard(id: "d") { __typename id tiles { __typename id } } }');
  const dashboard = { __typename: 'Dashboard', id: 'd', tiles: [tile] };
  expect(() => cache.writeQuery({ query, data: { dashboard } })).toThrow(/dashboardId/);
});
