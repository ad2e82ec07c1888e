import {
  buildSchema,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  validateSchema,
} from 'graphql';
import { describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { cloud, hyperdx, oneTree } from '../profiles/rows.ts';
import { read } from '../support/docs/pages.ts';
import { stackInTest } from '../support/harness.ts';
import { node, run } from '../support/process/run-main.ts';

const whole = read('schema.graphql');

/** What `sluice schema` prints with these arguments, without any setting. */
const print = async (...args: readonly string[]): Promise<string> => {
  const { code, text, errors } = await run({}, [...node, 'schema', ...args]).ended;
  expect([code, errors]).toEqual([0, '']);
  return text;
};

const fieldsOf = (schema: GraphQLSchema): readonly string[] =>
  Object.values(schema.getTypeMap())
    .filter((type) => isObjectType(type) && !type.name.startsWith('__'))
    .flatMap((type) =>
      isObjectType(type) ? Object.keys(type.getFields()).map((name) => `${type.name}.${name}`) : [],
    );

it('sluice schema prints the whole schema', async () => {
  expect(await print()).toBe(whole);
});

describe.each<[args: string, config: Partial<Config>, gone: readonly string[]]>([
  ['--profile reference', {}, ['DataSource', 'UsageCost', 'WakeServiceInput', 'ApiKeyFilter']],
  ['--profile clickhouse-cloud', cloud, ['DataSource', 'UpdateDashboardInput']],
  ['--profile=hyperdx', hyperdx, ['UsageCost', 'ApiKeyFilter']],
  ['--profile hyperdx --profile clickhouse-cloud', { ...cloud, ...hyperdx }, []],
  ['--profile clickstack-cloud', oneTree, []],
])('sluice schema %s', (args, config, gone) => {
  it('has the fields that a gateway with the profile does not call unavailable, and no type that only others lead to', async () => {
    const text = await print(...args.split(' '));
    const schema = buildSchema(text);
    expect(validateSchema(schema)).toEqual([]);
    const stack = await stackInTest({ config });
    const { body } = await stack.query('{ gateway { unavailableFields } }');
    const missing: readonly string[] = body.data.gateway.unavailableFields;
    const types = Object.keys(schema.getTypeMap());
    const expected = fieldsOf(buildSchema(whole)).filter(
      (field) => types.includes(field.split('.')[0] ?? '') && !missing.includes(field),
    );
    expect(fieldsOf(schema).toSorted()).toEqual(expected.toSorted());
    for (const name of gone)
      expect([name, whole.includes(name), types]).toEqual([
        name,
        true,
        expect.not.arrayContaining([name]),
      ]);
    const roots = ['Query', 'Mutation', 'Subscription'];
    const led = types.filter(
      (name) =>
        !(name.startsWith('__') || roots.includes(name)) &&
        !new RegExp(`(?:: \\[*|[|=] )${name}\\b`).test(text),
    );
    expect(led).toEqual([]);
  });
});

it('without a profile that has them, keys of a payload remain, and nodes that nothing leads to do not', async () => {
  const schema = buildSchema(await print('--profile', 'reference'));
  const nodeType = schema.getType('Node');
  const nodes = isInterfaceType(nodeType) ? schema.getPossibleTypes(nodeType) : [];
  expect(nodes.map(({ name }) => name).toSorted()).toEqual([
    'Alert',
    'ApiKey',
    'Dashboard',
    'Organization',
    'Pipe',
    'Service',
    'Tile',
  ]);
});

const names = 'reference, clickhouse-cloud, hyperdx, clickstack-cloud';
it.each([
  [['schema', '--profile', 'cnry'], `--profile takes one of these names: ${names}.`],
  [['schema', '--profile'], `--profile takes one of these names: ${names}.`],
  [['schema', '--profile='], `--profile takes one of these names: ${names}.`],
  [
    ['schema', '--profile=hyperdx', '--profile=clickstack-cloud'],
    'hyperdx and clickstack-cloud are of one interface: give one of them.',
  ],
  [
    ['--profile', 'hyperdx'],
    '--profile is only for `sluice schema`: the gateway reads its profiles from MANAGEMENT_PROFILE and OBSERVABILITY_PROFILE.',
  ],
])('sluice %j is refused in a sentence', async (args, said) => {
  const { code, text, errors } = await run({}, [...node, ...args]).ended;
  expect([code, text, errors]).toEqual([1, '', `${said}\n`]);
});
