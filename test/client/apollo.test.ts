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
const isDropped = ({ name }: { readonly name: string }): boolean =>
  name === 'Mutation' || name.endsWith('Payload');

/** Whether a type has fields to start from, and is no object of its own. */
const isRoot = ({ name }: { readonly name: string }): boolean =>
  name === 'Query' || name === 'Subscription';

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
    if (!isRoot(type)) expect(keyFields === false).toBe(!isIdentified(type));
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

const cacheOf = (): InMemoryCache => new InMemoryCache({ possibleTypes, typePolicies });

type Values = Readonly<Record<string, unknown>>;
interface Known extends StoreObject {
  readonly __typename: string;
}

/** Writes an object as an answer would that holds these values. */
const write = (cache: InMemoryCache, data: Known): void => {
  const selected = (values: Values): string =>
    Object.entries(values)
      .map(([name, value]) =>
        value instanceof Object ? `${name} { ${selected({ ...value })} }` : name,
      )
      .join(' ');
  const fragment = parse(`fragment Written on ${data.__typename} { ${selected(data)} }`);
  cache.writeFragment({ id: cache.identify(data) ?? '', fragment, data });
};

const known: readonly Known[] = [
  { __typename: 'Organization', id: 'o' },
  { __typename: 'Service', id: 's', organizationId: 'o' },
  { __typename: 'Service', id: 'short' },
  { __typename: 'Pipe', id: 'p', organizationId: 'o', serviceId: 's' },
  { __typename: 'Dashboard', id: 'd' },
  { __typename: 'Dashboard', id: 'e' },
  { __typename: 'Alert', id: 'a' },
  { __typename: 'Tile', id: 't', dashboardId: 'd' },
];

const filled = (): InMemoryCache => {
  const cache = cacheOf();
  for (const object of known) write(cache, object);
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

  /** What a filled cache has there, beside a parent of these values. */
  const find = (path: string, args: Strings, near: Strings): unknown => {
    const [type = '', field = ''] = path.split('.');
    const cache = filled();
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

  it.each(lookUps)('%s is found by arguments %j and neighbours %j', (field, args, near, found) => {
    const [type = '', name = ''] = field.split('.');
    const declared = objects.find((object) => object.name === type)?.getFields()[name];
    expect(declared?.args.map((arg) => arg.name).sort()).toEqual(Object.keys(args).sort());
    const [__typename, id] = found.split(':');
    expect(find(field, args, near)).toEqual({ __typename, id });
  });

  it.each(lookUps)('%s is not found under another parent', (field, args, near, found) => {
    const changed = (values: Strings) =>
      Object.entries(values)
        .filter(([, value]) => !found.endsWith(`:${value}`))
        .map(([name]) => ({ ...values, [name]: 'another' }));
    for (const other of changed(args)) expect(find(field, other, near)).toBeUndefined();
    for (const other of changed(near)) expect(find(field, args, other)).toBeUndefined();
  });

  it.each(lookUps)('%s is asked for where the cache lacks it', (field, args, near) => {
    const [type = '', name = ''] = field.split('.');
    const cache = cacheOf();
    const parent = { __typename: type, id: 'parent', ...near };
    if (type !== 'Query') write(cache, parent);
    expect(read(cache, name, args, type === 'Query' ? undefined : parent)).toBeUndefined();
  });

  it('is what was read, where that is its object or null', () => {
    const cache = cacheOf();
    const query = parse('{ service(organizationId: "o", serviceId: "s") { __typename id } }');
    for (const answer of [{ __typename: 'Service', id: 's' }, null]) {
      cache.writeQuery({ query, data: { service: answer } });
      expect(read(cache, 'service', service)).toEqual(answer);
    }
  });

  it('is what was read, where that has no identifier of its own', () => {
    const cache = filled();
    const query = parse('{ service(organizationId: "o", serviceId: "s") { __typename name } }');
    const data = { service: { __typename: 'Service', name: 'n' } };
    cache.writeQuery({ query, data });
    expect(cache.readQuery({ query })).toEqual(data);
  });

  it('is found where its parent is not known, and not where it is another', () => {
    const args = { organizationId: 'another' };
    expect(read(filled(), 'service', { ...args, serviceId: 'short' })).toMatchObject({
      id: 'short',
    });
    expect(read(filled(), 'service', { ...args, serviceId: 's' })).toBeUndefined();
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
