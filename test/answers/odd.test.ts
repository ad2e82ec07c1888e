import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import {
  type Answer,
  type AnswerError,
  data,
  json,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';

type Members = Readonly<Record<string, unknown>>;

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const ofService = `service(organizationId: "${organizationId}", serviceId: "${serviceId}")`;
const ofOrganization = `organization(id: "${organizationId}")`;
const createKey = `createApiKey(input: { organizationId: "${organizationId}", roles: [ADMIN] })`;

let stack: Stack;
let answer: Answer;
beforeAll(async () => {
  stack = await startStack({ management: () => answer, observability: () => answer });
});
afterAll(() => stack.close());

/** Asks with one answer for every upstream call; gives the data, and path and code of each error. */
const ask = async (document: string, given: Answer) => {
  answer = given;
  const { body } = await stack.query(document);
  const errors: readonly AnswerError[] = body.errors ?? [];
  return {
    data: body.data,
    errors: errors.map(({ path, extensions }) => [path.join('.'), extensions.code]),
  };
};

/** An odd record between members, or rows, that stay as they are. */
interface Kind {
  readonly document: (selection: string) => string;
  readonly answer: (record: Members) => Answer;
  readonly data: (shown: Members, others: Members) => unknown;
  /** Where the record is in the answer. */
  readonly at: string;
}

const pipeAround = {
  before: { name: 'before', state: 'Running' },
  after: { name: 'after', state: 'Failed' },
};
const kinds = {
  service: {
    document: (selection) => `{ ${ofService} { name ${selection} isPrimary } }`,
    answer: (record) => result({ ...record, id: serviceId, name: 'a', isPrimary: true }),
    data: (shown) => ({ service: { name: 'a', ...shown, isPrimary: true } }),
    at: 'service',
  },
  pipe: {
    document: (selection) => `{ ${ofService} { pipes { name ${selection} state } } }`,
    answer: (record) =>
      result([
        { ...pipeAround.before, id: 'p1' },
        { ...record, id: 'p2', name: 'odd', state: 'Stopped' },
        { ...pipeAround.after, id: 'p3' },
      ]),
    data: (shown, others) => ({
      service: {
        pipes: [
          { ...pipeAround.before, ...others },
          { ...shown, name: 'odd', state: 'Stopped' },
          { ...pipeAround.after, ...others },
        ],
      },
    }),
    at: 'service.pipes.1',
  },
  alert: {
    document: (selection) => `{ alerts { name ${selection} state } }`,
    answer: (record) =>
      data([
        { id: 'a1', name: 'odd', state: 'OK', ...record },
        { id: 'a2', name: 'b' },
      ]),
    data: (shown, others) => ({
      alerts: [
        { name: 'odd', state: 'OK', ...shown },
        { name: 'b', state: null, ...others },
      ],
    }),
    at: 'alerts.0',
  },
  dashboard: {
    document: (selection) => `{ dashboard(id: "d1") { name ${selection} } }`,
    answer: (record) => data({ id: 'd1', name: 'd', ...record }),
    data: (shown) => ({ dashboard: { name: 'd', ...shown } }),
    at: 'dashboard',
  },
  key: {
    document: (selection) => `mutation { ${createKey} { ${selection} keyId keySecret } }`,
    answer: (record) => result({ keyId: 'i', keySecret: 's', ...record }),
    data: (shown) => ({ createApiKey: { ...shown, keyId: 'i', keySecret: 's' } }),
    at: 'createApiKey',
  },
} satisfies Readonly<Record<string, Kind>>;

const nothing = (shown: Members): Members =>
  Object.fromEntries(Object.keys(shown).map((name) => [name, null]));

/** Values that no object, or list of objects, can be of. */
const noObjects = ['kafka', '', 7, true, false, [], ['x'], [[]]];
const noLists = ['x', 7, true, { host: 'h' }, ['a'], [{ host: 'h' }, 7], [[]]];
const objects: readonly (readonly [
  keyof typeof kinds,
  member: string,
  selection: string,
  odd: readonly unknown[],
])[] = [
  // Other objects and lists are in odd-fields.test.ts.
  ['service', 'endpoints', '{ __typename }', noLists],
  ['pipe', 'scaling', '{ __typename }', noObjects],
  ['pipe', 'source', '{ __typename }', noObjects],
  ['pipe', 'source', '{ ... on KafkaSource { topics } }', noObjects],
];

it.each(objects)(
  'in a %s, a value of %s %s that is no object is null, and an error',
  async (name, member, selection, odd) => {
    const kind: Kind = kinds[name];
    for (const value of [...odd, null]) {
      const none = { [member]: null };
      const errors = value === null ? [] : [[`${kind.at}.${member}`, 'UPSTREAM_BAD_RESPONSE']];
      const asked = await ask(
        kind.document(`${member} ${selection}`),
        kind.answer({ [member]: value }),
      );
      expect([value, asked]).toEqual([value, { data: kind.data(none, none), errors }]);
    }
    expect(stack.complaints()).toBe('');
  },
);

const endpoints = [{ port: 'https' }, { port: 443 }];
const tiles = [
  { id: 't1', x: 'left', y: 1.5, series: null },
  { id: 't2', x: 0 },
];
const tilesShown = { x: null, y: 2, series: null };
const unknown = (kind: string | null) => ({ __typename: 'UnknownSource', kind });
const sourceKinds = [
  [{ mongodb: { uri: 'x' } }, unknown('mongodb')],
  [{ validateSamples: true, mysql: {} }, unknown('mysql')],
  [{}, unknown(null)],
  [{ kafka: null }, unknown(null)],
  [{ kafka: null, kinesis: {} }, { __typename: 'KinesisSource' }],
] as const;
const sourceKind = 'source { __typename ... on UnknownSource { kind } }';
const offset = 'source { ... on KafkaSource { topics offset { timestamp } } }';
const oddOffset = { source: { kafka: { topics: 't', offset: 'x' } } };
const enums = [
  ['source', 'saved_search', 'SEARCH'],
  ['source', 'search', 'SEARCH'],
  ['source', 'SAVED_SEARCH', 'UNKNOWN'],
  ['thresholdType', 'equal', 'UNKNOWN'],
] as const;

/** A selection, the odd record, what is shown of it, and where that has an error. */
type Odd = [
  kind: keyof typeof kinds,
  selection: string,
  record: Members,
  shown: Members,
  error?: string,
];
const records: readonly Odd[] = [
  ['service', 'iamRole', { iamRole: ['r'] }, { iamRole: null }, 'iamRole'],
  ['service', 'numReplicas', { numReplicas: 1.5 }, { numReplicas: null }, 'numReplicas'],
  ['service', 'idleScaling', { idleScaling: 'yes' }, { idleScaling: null }, 'idleScaling'],
  [
    'service',
    'ids: privateEndpointIds',
    { privateEndpointIds: ['v', null] },
    { ids: null },
    'ids.1',
  ],
  [
    ...(['service', 'endpoints { port }', { endpoints }] as const),
    ...([{ endpoints: [{ port: null }, endpoints[1]] }, 'endpoints.0.port'] as const),
  ],
  ['service', 'organizationId', { organizationId: 'y', pipes: 5, new: [1] }, { organizationId }],
  ['pipe', offset, oddOffset, { source: { topics: 't', offset: null } }, 'source.offset'],
  ...sourceKinds.map(([source, shown]): Odd => ['pipe', sourceKind, { source }, { source: shown }]),
  ['alert', 'silenced', { silenced: ['u1'] }, { silenced: null }, 'silenced'],
  [
    'alert',
    'thresholdType',
    { thresholdType: 'above', comparison: 'below' },
    { thresholdType: 'ABOVE' },
  ],
  ...enums.map(
    ([name, value, shown]): Odd => ['alert', name, { [name]: value }, { [name]: shown }],
  ),
  [
    ...(['dashboard', 'tiles { x y series { type } }', { tiles }] as const),
    { tiles: [tilesShown, { x: 0, y: null, series: null }] },
    'tiles.0.x',
  ],
  [
    ...([
      'key',
      'apiKey { roles }',
      { key: { id: 'k', roles: ['admin', 'billing', null] } },
    ] as const),
    { apiKey: { roles: ['ADMIN', 'UNKNOWN', 'UNKNOWN'] } },
  ],
  ['key', 'apiKey { name }', { key: null }, { apiKey: null }],
  ...['abc', 7, ['abc'], true].map(
    (key): Odd => ['key', 'apiKey { name }', { key }, { apiKey: null }, 'apiKey'],
  ),
];

it.each(records)('in a %s, %s of %j is %j', async (name, selection, record, shown, error) => {
  const kind: Kind = kinds[name];
  const errors = error === undefined ? [] : [[`${kind.at}.${error}`, 'UPSTREAM_BAD_RESPONSE']];
  const asked = await ask(kind.document(selection), kind.answer(record));
  expect(asked).toEqual({ data: kind.data(shown, nothing(shown)), errors });
});

describe('rows that cannot be told apart are left out, the others kept, and it is logged:', () => {
  const rows = [
    { id: 'x1', name: 'one', email: 'one' },
    ...[{ name: 'nameless' }, { id: null }, { id: 7 }, { id: '' }, null, 'text', []],
    { id: 'x2', name: 'two', email: 'two' },
  ];

  it.each([
    ['listPipes', `{ ${ofService} { pipes { name } } }`],
    ['listServices', `{ ${ofOrganization} { services { name } } }`],
    ['listInvitations', `{ ${ofOrganization} { invitations { name: email } } }`],
    ['listOrganizations', '{ organizations { name } }'],
    ['listDashboards', '{ dashboards { name } }'],
    ['listAlerts', '{ alerts { name } }'],
  ])('%s', async (operation, document) => {
    const logged = stack.complaints().length;
    const both = json({ status: 200, result: rows, data: rows });
    const asked = await ask(document, both);
    expect(asked.errors).toEqual([]);
    expect(JSON.stringify(asked.data)).toContain('[{"name":"one"},{"name":"two"}]');
    const lines = stack.complaints().slice(logged);
    expect(JSON.parse(lines)).toMatchObject({ level: 40, operation, rows: 7 });
    expect(lines).not.toContain('nameless');
  });

  it('tiles of a dashboard', async () => {
    const asked = await ask(
      '{ dashboard(id: "d1") { tiles { name } } }',
      data({ id: 'd1', tiles: rows }),
    );
    const kept = [{ name: 'one' }, { name: 'two' }];
    expect(asked).toEqual({ data: { dashboard: { tiles: kept } }, errors: [] });
  });
});

it('an identifier of a row that leads nowhere is the upstream’s fault, not the caller’s', async () => {
  const asked = await ask(
    '{ organizations { name services { id } } }',
    result([{ id: 'org-1', name: 'one' }]),
  );
  expect(asked).toEqual({
    data: { organizations: [{ name: 'one', services: null }] },
    errors: [['organizations.0.services', 'UPSTREAM_BAD_RESPONSE']],
  });
});
