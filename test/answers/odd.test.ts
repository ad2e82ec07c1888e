import { expect, it } from 'vitest';
import { type Answer, type AnswerError, json, useStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const organizationId = withIds('organization-1');

type Members = Readonly<Record<string, unknown>>;

let answer: Answer;
const stack = useStack({ management: () => answer, observability: () => answer });

/** An answer that either interface could have sent. */
const enveloped = (value: unknown): Answer => json({ status: 200, result: value, data: value });

/** Asks with one value in the answer to every upstream call; gives the data, and path and code of each error. */
const ask = async (document: string, value: unknown) => {
  answer = enveloped(value);
  const { body } = await stack.query(withIds(document));
  const errors: readonly AnswerError[] = body.errors ?? [];
  return {
    data: body.data,
    errors: errors.map(({ path, extensions }) => `${path.join('.')} ${extensions.code}`),
  };
};

/** A query for the selection in place of `…`, and the way to the record in its answer; names in the plural are lists. */
const places = {
  service: ['{ service(@service-1) { … } }', 'service'],
  pipe: ['{ service(@service-1) { pipes { … } } }', 'service pipes'],
  alert: ['{ alerts { … } }', 'alerts'],
  dashboard: ['{ dashboard(dashboardId: "d1") { … } }', 'dashboard'],
  key: [
    'mutation { createApiKey(input: { @organization-1, name: "k", roles: [ADMIN] }) { … } }',
    'createApiKey',
  ],
} as const;

const unknown = (kind: string | null) => ({ __typename: 'UnknownSource', kind });
const sourceKinds = [
  [{ mongodb: { uri: 'x' } }, unknown('mongodb')],
  [{}, unknown(null)],
  [{ kafka: null }, unknown(null)],
  [{ kafka: null, kinesis: {} }, { __typename: 'KinesisSource' }],
] as const;
const kindOf = 'source { __typename ... on UnknownSource { kind } }';
const offset = 'source { ... on KafkaSource { topics offset { timestamp } } }';
const tiles = [
  { id: 't1', x: 'left', y: 1.5 },
  { id: 't2', x: 0 },
];
const roles = ['admin', 'billing', null];

/** Where the odd record is, a selection of it, the record, what is shown of it, and where that has an error. */
type Odd = [keyof typeof places, selection: string, Members, shown: Members, error?: string];
const odd: readonly Odd[] = [
  ['service', 'x: privateEndpointIds', { privateEndpointIds: ['v', null] }, { x: null }, 'x.1'],
  ['service', 'organizationId', { organizationId: 'y', new: [1] }, { organizationId }],
  // Also where no member of an object is selected.
  ['service', 'x: endpoints { __typename }', { endpoints: [[]] }, { x: null }, 'x'],
  ['pipe', 'source { __typename }', { source: [] }, { source: null }, 'source'],
  [
    ...(['pipe', offset, { source: { kafka: { topics: 't', offset: 'x' } } }] as const),
    ...([{ source: { topics: 't', offset: null } }, 'source.offset'] as const),
  ],
  ...sourceKinds.map(([source, shown]): Odd => ['pipe', kindOf, { source }, { source: shown }]),
  ['alert', 'silenced', { silenced: ['u1'] }, { silenced: null }, 'silenced'],
  ['alert', 'x: thresholdType', { thresholdType: 'above', comparison: 'below' }, { x: 'ABOVE' }],
  ['alert', 'source', { source: 'saved_search' }, { source: 'SEARCH' }],
  [
    ...(['dashboard', 'tiles { x y }', { tiles }] as const),
    {
      tiles: [
        { x: null, y: 2 },
        { x: 0, y: null },
      ],
    },
    'tiles.0.x',
  ],
  [
    'key',
    'x: apiKey { roles }',
    { key: { roles } },
    { x: { roles: ['ADMIN', 'UNKNOWN', 'UNKNOWN'] } },
  ],
  ['key', 'apiKey { name }', { key: ['abc'] }, { apiKey: null }, 'apiKey'],
];

it.each(odd)('in a %s, %s of %j is %j', async (name, selection, record, shown, error) => {
  const [document, place] = places[name];
  const row = { id: name === 'service' ? withIds('service-1') : 'x1', ...record };
  const isList = /s$/.test(place);
  const asked = await ask(document.replace('…', selection), isList ? [row] : row);
  const way = [...place.split(' '), ...(isList ? [0] : [])];
  expect(way.reduce((value, name) => value[name], asked.data)).toEqual(shown);
  const at = [...way, error].join('.');
  expect(asked.errors).toEqual(error ? [`${at} UPSTREAM_BAD_RESPONSE`] : []);
});

const rows = [
  { id: 'x1', name: 'one', email: 'one' },
  ...[{ name: 'nameless' }, { id: null }, { id: 7 }, { id: '' }, null, 'text', []],
  { id: 'x2', name: 'two', email: 'two' },
];

it.each([
  ['listPipes', '{ service(@service-1) { pipes { name } } }'],
  ['listServices', '{ organization(organizationId: "organization-1") { services { name } } }'],
  [
    'listInvitations',
    '{ organization(organizationId: "organization-1") { invitations { name: email } } }',
  ],
  ['listOrganizations', '{ organizations { name } }'],
  ['listDashboards', '{ dashboards { name } }'],
  ['listAlerts', '{ alerts { name } }'],
])(
  'rows that cannot be told apart are left out, the others kept, and it is logged: %s',
  async (operation, document) => {
    const logged = stack.complaints().length;
    const asked = await ask(document, rows);
    expect(asked.errors).toEqual([]);
    expect(JSON.stringify(asked.data)).toContain('[{"name":"one"},{"name":"two"}]');
    const lines = stack.complaints().slice(logged);
    expect(JSON.parse(lines)).toMatchObject({ level: 'warn', operation, rows: 7 });
    expect(lines).not.toContain('nameless');
  },
);

it('an identifier of a row that leads nowhere is the upstream’s fault, not the caller’s', async () => {
  expect(await ask('{ organizations { services { id } } }', [{ id: 'org-1' }])).toEqual({
    data: { organizations: [{ services: null }] },
    errors: ['organizations.0.services UPSTREAM_BAD_RESPONSE'],
  });
});
