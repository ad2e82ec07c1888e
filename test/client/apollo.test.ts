import '../support/client/built.ts';
import { InMemoryCache } from '@apollo/client';
import {
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
import { expect, it } from 'vitest';
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

const compositeFields = (type: GraphQLObjectType) =>
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

type Values = Readonly<Record<string, unknown>>;
const of = (__typename: string, id: string, more: Values = {}) => ({ __typename, id, ...more });

/** The key of an object; what Apollo keeps inside of its parent gets one here, too. */
const keyIn = (cache: InMemoryCache, object: ReturnType<typeof of>): string =>
  cache.identify(object) ?? object.id;

const cacheOf = (...objects: readonly ReturnType<typeof of>[]): InMemoryCache => {
  const cache = new InMemoryCache({ possibleTypes, typePolicies });
  return cache.restore(Object.fromEntries(objects.map((each) => [keyIn(cache, each), each])));
};

const known = [
  of('Organization', 'o'),
  of('Service', 's', { organizationId: 'o' }),
  of('Service', 'short'),
  of('Pipe', 'p', { organizationId: 'o', serviceId: 's' }),
  of('Dashboard', 'd'),
  of('Dashboard', 'e'),
  of('Alert', 'a'),
  of('Tile', 't', { dashboardId: 'd' }),
  of('DataSource', 'x'),
  of('SavedSearch', 'q'),
  of('Webhook', 'w'),
  of('ApiKey', 'k'),
];

/** What a cache of these objects has under `Type.field`, beside a parent of these values; undefined where it would ask. */
const find = (objects: typeof known, path: string, args: Values = {}, near: Values = {}) => {
  const [type = '', field = ''] = path.split('.');
  const parent = of(type, 'parent', near);
  const cache = cacheOf(...objects, parent);
  const given = Object.entries(args).map(([name, value]) => `${name}: ${JSON.stringify(value)}`);
  const call = field + (given.length > 0 ? `(${given})` : '');
  const fragment = parse(`fragment Read on ${type} { found: ${call} { __typename id } }`);
  return cache.readFragment<Values>({ id: keyIn(cache, parent), fragment })?.found;
};

const service = { organizationId: 'o', serviceId: 's' };

const lookUps = [
  ['Query.organization', { organizationId: 'o' }, {}, 'Organization:o'],
  ['Query.service', service, {}, 'Service:s'],
  ['Query.pipe', { ...service, pipeId: 'p' }, {}, 'Pipe:p'],
  ['Query.dashboard', { dashboardId: 'd' }, {}, 'Dashboard:d'],
  ['Query.alert', { alertId: 'a' }, {}, 'Alert:a'],
  ['Organization.service', { id: 's' }, { id: 'o' }, 'Service:s'],
  ['Service.organization', {}, { organizationId: 'o' }, 'Organization:o'],
  ['Service.pipe', { id: 'p' }, { id: 's', organizationId: 'o' }, 'Pipe:p'],
  ['Pipe.service', {}, service, 'Service:s'],
  ['Tile.dashboard', {}, { dashboardId: 'd' }, 'Dashboard:d'],
  ['Alert.dashboard', {}, { dashboardId: 'd' }, 'Dashboard:d'],
  ['Alert.tile', {}, { dashboardId: 'd', tileId: 't' }, 'Tile:t'],
  ['Alert.savedSearch', {}, { savedSearchId: 'q' }, 'SavedSearch:q'],
  ['Activity.actorKey', {}, { actorId: 'k' }, 'ApiKey:k'],
  ['AlertChannel.webhook', {}, { webhookId: 'w' }, 'Webhook:w'],
  ['SavedSearch.source', {}, { sourceId: 'x' }, 'DataSource:x'],
  ['TileSeries.source', {}, { sourceId: 'x' }, 'DataSource:x'],
  ['UsageCostEntity.service', {}, service, 'Service:s'],
  ['Caller.organization', {}, { organizationId: 'o' }, 'Organization:o'],
] as const;

it('a field that leads to one object is every one with a read, and every one whose object has a key that is at hand', () => {
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
  // A nodeId is not taken apart, and nothing tells which backup is the last, and in whose service a dashboard is.
  const others = ['Query.node', 'Service.lastBackup', 'Dashboard.service'];
  expect([...withRead, ...others].sort()).toEqual(single.sort());
});

it.each(lookUps)(
  'a field that leads to one object %s, by arguments %j and neighbours %j',
  (path, args, near, found) => {
    const [type = '', field = ''] = path.split('.');
    const declared = objects.find(({ name }) => name === type)?.getFields()[field];
    // The identifiers of the objects in a ClickStack differ from those in all others.
    const names = declared?.args.map(({ name }) => name).filter((name) => name !== 'service');
    expect(names?.sort()).toEqual(Object.keys(args).sort());
    const [__typename, id] = found.split(':');
    expect(find(known, path, args, near)).toEqual({ __typename, id });
    expect(find([], path, args, near)).toBeUndefined();
    // Nor is it found under another parent.
    const changed = (values: Values) =>
      Object.keys(values)
        .filter((name) => values[name] !== id)
        .map((name) => ({ ...values, [name]: 'another' }));
    for (const other of changed(args)) expect(find(known, path, other, near)).toBeUndefined();
    for (const other of changed(near)) expect(find(known, path, args, other)).toBeUndefined();
  },
);

it.each([
  ['id', of('Service', 's')],
  ['id', null],
  ['name', { __typename: 'Service', name: 'n' }],
])(
  'a field that leads to one object is what was read, with its identifier, null or without: %s',
  (field, service) => {
    const query = parse(`{ service(organizationId: "o", serviceId: "s") { __typename ${field} } }`);
    const cache = cacheOf(...known);
    cache.writeQuery({ query, data: { service } });
    expect(cache.readQuery({ query })).toEqual({ service });
  },
);

it('a field that leads to one object is found where its parent is not known, and follows its neighbours', () => {
  const args = { organizationId: 'another', serviceId: 'short' };
  expect(find(known, 'Query.service', args)).toMatchObject({ id: 'short' });
  const near = (more: Values) => find(known, 'Alert.dashboard', {}, more);
  expect(near({})).toBeUndefined();
  const dashboard = { __ref: 'Dashboard:d' };
  expect(near({ dashboard })).toMatchObject({ id: 'd' });
  expect(near({ dashboard, dashboardId: 'e' })).toMatchObject({ id: 'e' });
  expect(near({ dashboard, dashboardId: null })).toBeNull();
});

it('tiles with the same id stay apart, and none is taken without its dashboardId', () => {
  const keys = ['d', 'e'].map((dashboardId) =>
    cacheOf().identify(of('Tile', 't', { dashboardId })),
  );
  expect(new Set(keys).size).toBe(2);
  const query = parse('{ dashboard(dashboardId: "d") { __typename id tiles { __typename id } } }');
  const dashboard = of('Dashboard', 'd', { tiles: [of('Tile', 't')] });
  expect(() => cacheOf().writeQuery({ query, data: { dashboard } })).toThrow(/dashboardId/);
});
