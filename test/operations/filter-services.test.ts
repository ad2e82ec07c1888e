import { expect, it, onTestFinished } from 'vitest';
import { noSuchThing } from '../support/answering.ts';
import { result, startSandboxStack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

/** The services, each named after its tags. */
const tagged: readonly (readonly [name: string, tags: unknown])[] = [
  ['sales', [{ key: 'owner', value: 'sales' }]],
  ['Sales', [{ key: 'owner', value: 'Sales' }]],
  ['owner alone', [{ key: 'owner' }]],
  [
    'second of two',
    [
      { key: 'environment', value: 'test' },
      { key: 'owner', value: 'a=b' },
    ],
  ],
  ['key with a sign', [{ key: 'owner=a', value: 'b' }]],
  ['none', []],
  ['absent', undefined],
  ['null', null],
  ['no list', { key: 'owner', value: 'sales' }],
  ['odd rows', [null, 'owner', 7]],
];

const services = tagged.map(([name, tags], index) => ({
  id: withIds(`service-${index + 1}`),
  name,
  tags,
}));

const owned = ['sales', 'Sales', 'owner alone', 'second of two'];

it.each([
  [{ tag: 'owner' }, owned],
  [{ tag: 'owner=sales' }, ['sales']],
  [{ tag: 'owner=a=b' }, ['second of two', 'key with a sign']],
  [{ tag: 'Owner' }, []],
  [{ tag: 'sales' }, []],
  [{ tag: '' }, []],
  [{ tag: null }, services.map(({ name }) => name)],
  [{ tag: 'owner', nameContains: 'SALES' }, ['sales', 'Sales']],
  [{ tag: 'owner', phaseIn: ['UNKNOWN'] }, owned],
  [{ tag: 'owner', phaseIn: ['RUNNING'] }, []],
])('services under the filter %j', async (filter, names) => {
  const stack = await startStack({
    management: () => result(services),
    observability: () => noSuchThing,
  });
  onTestFinished(() => stack.close());
  const { body } = await stack.query(
    withIds(`query ($filter: ServiceFilter) { organization(id: "organization-1") {
      services(filter: $filter) { name } serviceCount(filter: $filter) all: serviceCount
    } }`),
    { variables: { filter } },
  );
  const found = names.map((name) => ({ name }));
  const organization = { services: found, serviceCount: found.length, all: services.length };
  expect(body).toEqual({ data: { organization } });
  expect(stack.callList()).toEqual([withIds('GET /v1/organizations/organization-1/services')]);
});

it('services of ClickHouse Cloud have tags and phases, and one that sleeps shows in the list of all pipes', async () => {
  const stack = await startSandboxStack({
    sandbox: { profile: 'live' },
    config: { managementProfile: 'clickhouse-cloud' },
  });
  onTestFinished(() => stack.close());
  const { header } = stack.sandbox.credentials.management.second;
  const { body } = await stack.query(
    `{ organizations {
      services(filter: { tag: "environment=development" }) { name phase tags { key } }
      awake: serviceCount(filter: { phaseIn: RUNNING })
      pipes { totalCount unreadServices { code service { name phase } } }
    } }`,
    { headers: { 'management-authorization': header } },
  );
  expect(body.errors).toBeUndefined();
  const name = 'metering archive';
  expect(body.data.organizations).toEqual([
    {
      services: [{ name, phase: 'IDLE', tags: [{ key: 'owner' }, { key: 'environment' }] }],
      awake: 1,
      pipes: {
        totalCount: 1,
        unreadServices: [{ code: 'SERVICE_NOT_RUNNING', service: { name, phase: 'IDLE' } }],
      },
    },
  ]);
});
