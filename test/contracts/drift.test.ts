import { type GraphQLNamedType, getNamedType, isInputObjectType } from 'graphql';
import { describe, expect, it } from 'vitest';
import { createSchema } from '../../src/gateway/schema.ts';
import { isObject } from '../../src/is-object.ts';
import { managementOperations } from '../../src/upstream/management/operations.ts';
import { clickhouseCloud } from '../../src/upstream/management/profiles/clickhouse-cloud.ts';
import { observabilityOperations } from '../../src/upstream/observability/operations.ts';
import { hiddenIn } from '../profiles/hidden.ts';
import { nameIn, shownOf } from '../profiles/shown.ts';
import { type Contract, type Name, parseContract, readContract, valuesOf } from './contract.ts';
import * as leftOut from './left-out.ts';
import { listsOf } from './lists.ts';

const schema = createSchema();
const contracts = {
  'clickhouse-cloud': readContract('clickhouse-cloud'),
  clickstack: readContract('clickstack'),
};
const { 'clickhouse-cloud': cloud, clickstack } = contracts;

const paths: Readonly<Record<string, string>> = clickhouseCloud.paths ?? {};
const callsOf = (operations: object): ReadonlySet<string> =>
  new Set(
    Object.entries(operations).map(
      ([name, { method, path }]) =>
        `${method} ${(paths[name] ?? path).replaceAll(/\{\w+\}/g, '{}')}`,
    ),
  );
const rows: Readonly<Record<Name, ReadonlySet<string>>> = {
  'clickhouse-cloud': callsOf(managementOperations('command')),
  clickstack: callsOf(observabilityOperations),
};

/** The identifiers of the operations of a list that no row has. */
const operationsWithoutRow = ({ operations }: Contract, name: Name): readonly string[] =>
  operations.filter(({ call }) => !rows[name].has(call)).map(({ id }) => id);

/** What is in a list and not known, and what is known to be left out and not in the list. */
const nothing = { isNew: [], isGone: [] };

const idsOf = ({ operations }: { readonly operations: Readonly<Record<string, string>> }) =>
  Object.values(operations).flatMap((ids) => leftOut.entriesOf(ids));

describe.each<[Name, readonly string[]]>([
  ['clickhouse-cloud', idsOf(leftOut.clickhouseCloud)],
  ['clickstack', idsOf(leftOut.clickstack)],
])('%s', (name, left) => {
  it('each operation is in a row, or left out on purpose', () => {
    const without = operationsWithoutRow(contracts[name], name);
    expect(leftOut.differences(without, left)).toEqual(nothing);
  });
});

/** The paths of a value's members that an input does not take. */
const unknownTo = (type: GraphQLNamedType | undefined, value: unknown): readonly string[] => {
  if (Array.isArray(value)) return value.flatMap((each) => unknownTo(type, each));
  if (!isObject(value) || !isInputObjectType(type)) return [];
  return Object.entries(value).flatMap(([member, each]) => {
    const fields = type.getFields();
    const field = fields[nameIn(fields, member)];
    if (!field) return [member];
    return unknownTo(getNamedType(field.type), each).map((path) => `${member}.${path}`);
  });
};

/** The types of answers or bodies of the operations that have a row. */
const typesOf = (name: Name, of: 'takes' | 'answers'): readonly string[] => [
  ...new Set(
    contracts[name].operations
      .filter(({ call }) => rows[name].has(call))
      .flatMap((operation) => operation[of]?.replace('[]', '') ?? []),
  ),
];

/** The values of a schema. Of the members of a pipe's source, one is set. */
const separated = (contract: Contract, name: string): readonly unknown[] =>
  valuesOf(contract, name).flatMap((value) => {
    if (name !== 'ClickPipe' || !isObject(value) || !('source' in value)) return [value];
    return Object.entries(Object(value.source)).map(([kind, source]) => ({
      ...value,
      source: { [kind]: source },
    }));
  });

it.each([
  ['clickhouse-cloud', 'answers', leftOut.clickhouseCloud.answers],
  ['clickhouse-cloud', 'takes', leftOut.clickhouseCloud.bodies],
  ['clickstack', 'takes', leftOut.clickstack.bodies],
] as const)('%s: a type is named for each schema that a row %s', (name, of, known) => {
  expect(Object.keys(known).sort()).toEqual([...typesOf(name, of)].sort());
});

it.each(Object.entries(leftOut.clickhouseCloud.answers))(
  'each member of %s is shown, or left out on purpose',
  (name, [type, left]) => {
    const hidden = separated(cloud, name).flatMap((value) => shownOf(type, value).unshown);
    expect(leftOut.differences(hidden, leftOut.entriesOf(left))).toEqual(nothing);
  },
);

it.each([
  ...Object.entries(leftOut.clickhouseCloud.bodies).map((each) => [...each, cloud] as const),
  ...Object.entries(leftOut.clickstack.bodies).map((each) => [...each, clickstack] as const),
])('each member of %s is taken, or left out on purpose', (name, [type, left], contract) => {
  const unknown = valuesOf(contract, name).flatMap((value) =>
    type === 'Mutation' ? Object.keys(Object(value)) : unknownTo(schema.getType(type), value),
  );
  expect(leftOut.differences(unknown, leftOut.entriesOf(left))).toEqual(nothing);
});

it.each(leftOut.hiddenOfHyperdx.map(({ record, ...rest }) => [record, rest] as const))(
  'each member of HyperDX’s %s is shown, or left out on purpose',
  async (_, { schema: name, operation, later }) => {
    const hidden = await hiddenIn(valuesOf(clickstack, name), operation);
    expect(leftOut.differences(hidden, leftOut.entriesOf(later))).toEqual(nothing);
  },
);

describe('npm run contracts', () => {
  const time = { type: ['string', 'null'], format: 'date-time' };
  const description = {
    info: { title: 'A description', version: '1.0' },
    paths: {
      '/v1/pipes/{pipeId}': {
        get: {
          operationId: 'pipeGet',
          responses: {
            200: {
              content: {
                'application/json': {
                  schema: {
                    properties: {
                      requestId: { type: 'string' },
                      result: { $ref: '#/components/schemas/Pipe' },
                    },
                  },
                },
              },
            },
          },
        },
        delete: { operationId: 'pipeDelete', responses: { 200: {} } },
      },
      '/v1/services/{serviceId}/clickstack/alerts': {
        post: {
          operationId: 'clickStackCreateAlert',
          requestBody: {
            content: {
              'application/json': { schema: { $ref: '#/components/schemas/ClickStackAlert' } },
            },
          },
          responses: { 200: {} },
        },
      },
    },
    components: {
      schemas: {
        Pipe: {
          properties: {
            id: { type: 'string' },
            createdAt: time,
            source: {
              oneOf: [
                { $ref: '#/components/schemas/Kafka' },
                { $ref: '#/components/schemas/MySql' },
                { type: 'null' },
              ],
            },
            scaling: { type: 'object', properties: { replicas: { type: 'integer' } } },
          },
        },
        Kafka: { properties: { brokers: { type: 'array', items: { type: 'string' } } } },
        MySql: { properties: { type: { type: 'string', enum: ['mysql', 'mariadb'] } } },
        ClickStackAlert: {
          allOf: [
            { $ref: '#/components/schemas/ClickStackBase' },
            { properties: { tags: { type: 'object' } } },
          ],
        },
        ClickStackBase: { properties: { name: { type: 'string' } } },
        Unused: { properties: { id: { type: 'string' } } },
      },
    },
  };

  it('makes both lists of a description', () => {
    expect(listsOf([description], '2026-11-29')).toEqual({
      'clickhouse-cloud': `# A description, version 1.0, read on 2026-11-29.

pipeDelete DELETE /v1/pipes/{}
pipeGet GET /v1/pipes/{} > Pipe

Kafka: brokers:text[]
MySql: type:"mysql"
Pipe.scaling: replicas:number
Pipe: createdAt:time id scaling:Pipe.scaling source:Kafka|MySql
`,
      clickstack: `# A description, version 1.0, read on 2026-11-29.

createAlert POST /api/v2/alerts < Alert

Alert: name tags:object
`,
    });
  });

  it('a newer list names each operation and member that is new, and each that is gone', () => {
    const newer = parseContract(
      `memberPing GET /v1/ping > Member
Member: nickname role name
`,
    );
    const ids = operationsWithoutRow(newer, 'clickhouse-cloud');
    expect(leftOut.differences(ids, ['memberDelete'])).toEqual({
      ...{ isNew: ['memberPing'], isGone: ['memberDelete'] },
    });
    const hidden = valuesOf(newer, 'Member').flatMap((value) => shownOf('Member', value).unshown);
    expect(leftOut.differences(hidden, ['role', 'tier'])).toEqual({
      ...{ isNew: ['nickname'], isGone: ['tier'] },
    });
  });
});
