import { expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { cloud, hyperdx, oneTree, startProfile } from '../profiles/rows.ts';
import { type AnswerError, data, json, result, stackInTest } from '../support/harness.ts';
import { shortCall, withIds } from '../support/world/ids.ts';

const codesOf = (body: { errors?: readonly AnswerError[] }) =>
  (body.errors ?? []).map(({ path, extensions }) => [path.join('.'), extensions.code]);

const nodeId = (...path: readonly string[]): string => JSON.parse(withIds(`"${path.join(':')}"`));

const oneKey = {
  'management-authorization': 'Basic a2V5LWlkOmtleS1zZWNyZXQ=',
  'observability-authorization': '',
};

/** Types that only a list has: the path of a nodeId, and the call of the list. */
const listed: readonly (readonly [
  profile: string,
  type: string,
  config: Partial<Config>,
  above: readonly string[],
  call: string,
])[] = [
  ['clickhouse-cloud', 'ApiKey', cloud, ['organization-1'], 'keys'],
  ['hyperdx', 'DataSource', hyperdx, [], 'sources'],
  ['hyperdx', 'Webhook', hyperdx, [], 'webhooks'],
  ['hyperdx', 'SavedSearch', hyperdx, [], 'saved-searches'],
  ...(['DataSource sources', 'Webhook webhooks', 'SavedSearch saved-searches'] as const).map(
    (each) => {
      const [type = '', resource = ''] = each.split(' ');
      const above = ['organization-1', 'service-2'];
      const call = `services/service-2/clickstack/${resource}`;
      return ['clickstack-cloud', type, oneTree, above, call] as const;
    },
  ),
];

it.each(listed)(
  'with the profile %s, nodes of %s are read by one call of the list',
  async (_profile, type, config, above, call) => {
    const answered = [
      { id: 'a', name: 'A' },
      { id: 'b', name: 'B' },
    ];
    const stack = await stackInTest({
      management: () => json({ status: 200, requestId: 'r', result: answered, totalCount: 2 }),
      observability: () => data(answered),
      config,
      ...(config === oneTree && { credentials: oneKey }),
    });
    const nodeIds = ['a', 'b', 'gone', '__proto__'].map((id) => nodeId(type, ...above, id));
    const { body } = await stack.query(
      `query ($ids: [ID!]!) { nodes(nodeIds: $ids) { __typename nodeId ... on ${type} { id name } } }`,
      { variables: { ids: nodeIds } },
    );
    expect(body.data.nodes).toEqual([
      { __typename: type, nodeId: nodeIds[0], id: 'a', name: 'A' },
      { __typename: type, nodeId: nodeIds[1], id: 'b', name: 'B' },
      ...[null, null],
    ]);
    expect(codesOf(body)).toEqual([
      ['nodes.2', 'NOT_FOUND'],
      ['nodes.3', 'NOT_FOUND'],
    ]);
    expect(stack.calls.map(shortCall)).toEqual([call]);
  },
);

it.each(listed.filter(([, , config]) => config !== oneTree))(
  'without the profile %s, nodes of %s have identifiers alone',
  async (_profile, type, _config, above) => {
    const stack = await stackInTest({ management: result, observability: data });
    const id = nodeId(type, ...above, 'a');
    const { body } = await stack.query(
      `{ node(nodeId: "${id}") { nodeId ... on ${type} { id name } } }`,
    );
    expect(body.data).toEqual({ node: { nodeId: id, id: 'a', name: null } });
    expect(codesOf(body)).toEqual([['node.name', 'OPERATION_UNAVAILABLE']]);
    expect(stack.calls).toEqual([]);
  },
);

it.each([
  ['in a ClickStack', hyperdx, ['organization-1', 'service-1']],
  ['in no ClickStack', oneTree, []],
])(
  'a nodeId from a gateway whose objects are %s is refused before any call',
  async (_, config, above) => {
    const stack = await startProfile({}, config);
    const types = ['DataSource:a', 'Webhook:a', 'SavedSearch:a', 'Tile:d:t'];
    const ids = types.map((each) => {
      const [type = '', ...path] = each.split(':');
      return nodeId(type, ...above, ...path);
    });
    const { body } = await stack.query('query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId } }', {
      variables: { ids },
    });
    expect(body.data).toEqual({ nodes: types.map(() => null) });
    expect(codesOf(body)).toEqual(
      types.map((_each, index) => [`nodes.${index}`, 'BAD_USER_INPUT']),
    );
    expect(stack.calls).toEqual([]);
  },
);

it('tiles with any identifiers are read again by their nodeId', async () => {
  const names = ['a:b', 'a', '%', '%41', 'A', '../x', '__proto__', 'é 😀', '\0', '"'];
  const tiles = names.map((id) => ({ id, name: `tile ${id}` }));
  const stack = await stackInTest({ observability: () => data({ id: 'd', tiles }) });
  const shown = await stack.query('{ dashboard(dashboardId: "d") { tiles { nodeId id name } } }');
  const { tiles: all } = shown.body.data.dashboard;
  expect(all.map(({ id }: { readonly id: string }) => id)).toEqual(names);
  const ids = all.map((each: { readonly nodeId: string }) => each.nodeId);
  const { body } = await stack.query(
    'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on Tile { id name } } }',
    { variables: { ids } },
  );
  expect(body).toEqual({ data: { nodes: all } });
});
