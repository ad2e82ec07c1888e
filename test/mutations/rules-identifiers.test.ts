import { describe, expect, it } from 'vitest';
import { data, result } from '../support/harness.ts';
import { expectRefusal, useStack } from '../support/refusals.ts';

const uuid = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000002';
const pipeId = '919e0000-0000-4000-8000-000000000003';
const token = 'da5b00000000000000000001';
const stack = useStack({
  management: result({ id: uuid, name: 'found' }),
  observability: data({ id: token, name: 'found' }),
});

/** None is a UUID, and several would lead a URL elsewhere. */
const notUuids = [
  '',
  ' ',
  '.',
  '..',
  '%2e%2e',
  token,
  '0a9a0000000040008000000000000001',
  '{0a9a0000-0000-4000-8000-000000000001}',
  '0a9a0000-0000-4000-8000-00000000000g',
  '0a9a0000-0000-4000-8000-0000000000011',
  `${uuid}\n`,
  ` ${uuid}`,
  `${uuid}/keys`,
  `${uuid}?x=1`,
  `${uuid}#`,
  `..%2f${uuid}`,
  'null',
];

/** None is 1 to 128 letters, digits, underscores or hyphens. */
const notTokens = [
  '',
  ' ',
  '.',
  '..',
  '%2e',
  `${token}/`,
  `${token}/../x`,
  `${token}?x`,
  `${token}#x`,
  `${token}\n`,
  'a b',
  'a\\b',
  'a:b',
  'é',
  '\u0000',
  'x'.repeat(129),
];

const inService = ['organizationId', 'serviceId'];
const inPipe = [...inService, 'pipeId'];
const mutations = [
  { field: 'updateOrganization', names: ['organizationId'] },
  { field: 'createApiKey', names: ['organizationId'], more: { roles: ['ADMIN'] } },
  { field: 'updateServiceScaling', names: inService },
  { field: 'updateServicePassword', names: inService },
  { field: 'createPipe', names: inService, more: { source: { kafka: {} } } },
  { field: 'updatePipe', names: inPipe },
  { field: 'startPipe', names: inPipe },
  { field: 'stopPipe', names: inPipe },
  { field: 'resyncPipe', names: inPipe },
  { field: 'deleteDashboard', names: ['dashboardId'], bad: notTokens },
  { field: 'updateAlert', names: ['alertId'], bad: notTokens },
].flatMap(({ field, names, bad = notUuids, more = {} }) =>
  names.map((name) => ({
    field,
    name,
    bad,
    good: { ...more, ...Object.fromEntries(names.map((n) => [n, uuid])) },
  })),
);

/** The argument that a selection gives the variable to. */
const argumentOf = (selection: string): string => /(\w+): \$id/.exec(selection)?.[1] ?? '';

/** How a message shows a value: quoted as JSON, and cut where it is long. */
const shown = (value: string): string => JSON.stringify(value).slice(1, 60).replace(/"$/, '');

describe('a malformed identifier', () => {
  it.each(mutations)('$name of $field is refused before any call', async (row) => {
    for (const value of row.bad) {
      await expectRefusal(stack(), row.field, { ...row.good, [row.name]: value }, [
        { field: [row.name], names: [row.name, 'must be', 'got', shown(value)] },
      ]);
    }
  });

  it('is reported beside every other one', async () => {
    const input = { organizationId: '.', serviceId: '..', pipeId: 'x' };
    await expectRefusal(
      stack(),
      'stopPipe',
      input,
      ['organizationId', 'serviceId', 'pipeId'].map((name) => ({ field: [name], names: [name] })),
    );
  });

  it.each([
    ['organization(id: $id) { name }', notUuids],
    ['organization(id: $id) { id nodeId }', notUuids],
    ['organization(id: $id) { services { name } invitations { email } }', notUuids],
    [`service(organizationId: $id, serviceId: "${uuid}") { name }`, notUuids],
    [`service(organizationId: "${uuid}", serviceId: $id) { id }`, notUuids],
    [`service(organizationId: "${uuid}", serviceId: $id) { pipes { name } }`, notUuids],
    [`pipe(organizationId: $id, serviceId: "${uuid}", pipeId: "${uuid}") { name }`, notUuids],
    [`pipe(organizationId: "${uuid}", serviceId: $id, pipeId: "${uuid}") { id }`, notUuids],
    [`pipe(organizationId: "${uuid}", serviceId: "${uuid}", pipeId: $id) { name }`, notUuids],
    ['dashboard(id: $id) { name }', notTokens],
    ['dashboard(id: $id) { alerts { name } }', notTokens],
    ['alert(id: $id) { name }', notTokens],
    ['alert(id: $id) { id }', notTokens],
  ])('in { %s } is a top-level error before any call', async (selection, values) => {
    const [field = ''] = selection.split('(');
    for (const id of values) {
      const { body } = await stack().query(`query ($id: ID!) { ${selection} }`, {
        variables: { id },
      });
      expect(stack().callList()).toEqual([]);
      expect(body.data).toEqual({ [field]: null });
      expect(body.errors).toMatchObject([
        { path: [field], extensions: { code: 'BAD_USER_INPUT', retryable: false } },
      ]);
      expect(body.errors[0].message).toContain(shown(id));
      expect(body.errors[0].message).toMatch(new RegExp(`^${argumentOf(selection)} must be `));
    }
  });

  it.each([
    [`organization(id: "${uuid}") { service(id: $id) { name } }`, ['organization', 'service']],
    [
      `service(organizationId: "${uuid}", serviceId: "${uuid}") { pipe(id: $id) { state } }`,
      ['service', 'pipe'],
    ],
  ])('of a relation in { %s } is an error of that relation', async (selection, path) => {
    for (const id of notUuids) {
      const { body } = await stack().query(`query ($id: ID!) { ${selection} }`, {
        variables: { id },
      });
      expect(stack().callList()).toEqual([]);
      const [parent = '', relation = ''] = path;
      expect(body.data).toEqual({ [parent]: { [relation]: null } });
      expect(body.errors).toMatchObject([
        {
          path,
          message: expect.stringMatching(/^id must be /),
          extensions: { code: 'BAD_USER_INPUT' },
        },
      ]);
    }
  });

  it('costs its own field alone', async () => {
    const { body } = await stack().query(
      `{ good: alert(id: "${token}") { name } bad: alert(id: "..") { name } }`,
    );
    expect(stack().callList()).toEqual([`GET /api/v2/alerts/${token}`]);
    expect(body.data).toEqual({ good: { name: 'found' }, bad: null });
    expect(body.errors).toMatchObject([{ path: ['bad'] }]);
  });

  it('is not a UUID in upper case, which goes out as it came', async () => {
    const { body } = await stack().query(
      '{ organization(id: "0A9A0000-0000-4000-8000-00000000000F") { name } }',
    );
    expect(body).toEqual({ data: { organization: { name: 'found' } } });
    expect(stack().callList()).toEqual([
      'GET /v1/organizations/0A9A0000-0000-4000-8000-00000000000F',
    ]);
  });
});

const handle = (...parts: readonly string[]): string =>
  Buffer.from(parts.join(':')).toString('base64url');

describe('a nodeId', () => {
  it.each([
    ['Organization', [uuid], `GET /v1/organizations/${uuid}`],
    ['Service', [uuid, serviceId], `GET /v1/organizations/${uuid}/services/${serviceId}`],
    [
      'Pipe',
      [uuid, serviceId, pipeId],
      `GET /v1/organizations/${uuid}/services/${serviceId}/pipes/${pipeId}`,
    ],
    ['Dashboard', [token], `GET /api/v2/dashboards/${token}`],
    ['Alert', [token], `GET /api/v2/alerts/${token}`],
  ])('of type %s leads to its own read', async (type, path, call) => {
    const { body } = await stack().query(
      `query ($nodeId: ID!) { node(nodeId: $nodeId) { __typename nodeId ... on ${type} { name } } }`,
      { variables: { nodeId: handle(type, ...path) } },
    );
    expect(body).toEqual({
      data: { node: { __typename: type, nodeId: handle(type, ...path), name: 'found' } },
    });
    expect(stack().callList()).toEqual([call]);
  });

  const whole = handle('Alert', token);
  it.each([
    ['empty', ''],
    ['an upstream id', token],
    ['a UUID', uuid],
    ['not base64url', '!'.repeat(20)],
    ['padded', `${handle('Organization', uuid)}=`],
    ['cut', handle('Organization', uuid).slice(0, -4)],
    ['longer than it was', `${whole}A`],
    ['in the plain base64 alphabet with a line end', `${whole}\n`],
    ['of a type that is no Node', handle('Tile', token, 'tile-1')],
    ['of a type that does not exist', handle('Nothing', token)],
    ['of a type named like a member of every object', handle('constructor', token)],
    ['of the prototype', handle('__proto__', token)],
    ['of a type in another case', handle('alert', token)],
    ['without identifiers', handle('Alert')],
    ['with an empty identifier', handle('Alert', '')],
    ['with one identifier too few', handle('Service', uuid)],
    ['with one identifier too many', handle('Alert', token, token)],
    ['with an identifier that would change the path', handle('Alert', '..')],
    ['with an identifier that would lengthen the path', handle('Dashboard', `${token}/x`)],
    ['with an identifier of the other upstream', handle('Organization', token)],
    ['with an upstream id in place of a UUID', handle('Pipe', uuid, uuid, token)],
  ])('that is %s is refused before any call', async (_, nodeId) => {
    const { body } = await stack().query(
      'query ($id: ID!) { node(nodeId: $id) { nodeId } nodes(nodeIds: [$id]) { nodeId } }',
      { variables: { id: nodeId } },
    );
    expect(stack().callList()).toEqual([]);
    expect(body.data).toEqual({ node: null, nodes: [null] });
    expect(body.errors).toMatchObject([
      { path: ['node'], extensions: { code: 'BAD_USER_INPUT' } },
      { path: ['nodes', 0], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
  });

  it('that is refused leaves the others of `nodes` in their places', async () => {
    const { body } = await stack().query(
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on Alert { name } } }',
      { variables: { ids: ['x', whole, handle('Alert', '.')] } },
    );
    expect(stack().callList()).toEqual([`GET /api/v2/alerts/${token}`]);
    expect(body.data).toEqual({ nodes: [null, { nodeId: whole, name: 'found' }, null] });
    expect(body.errors).toMatchObject([{ path: ['nodes', 0] }, { path: ['nodes', 2] }]);
  });
});
