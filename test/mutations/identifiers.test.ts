import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { data, result, type Stack, startStack } from '../support/harness.ts';

const uuid = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000002';
const pipeId = '919e0000-0000-4000-8000-000000000003';
const token = 'da5b00000000000000000001';

let stack: Stack;
beforeAll(async () => {
  stack = await startStack({
    management: () => result({ id: uuid, name: 'found' }),
    observability: () => data({ id: token, name: 'found' }),
  });
});
beforeEach(() => {
  stack.calls.length = 0;
});
afterAll(() => stack.close());

/** None is a UUID, and several would lead a URL elsewhere. */
const notUuids = [
  ...['', ' ', '.', '..', '%2e%2e', token, '0a9a0000000040008000000000000001', 'null'],
  ...[`{${uuid}}`, '0a9a0000-0000-4000-8000-00000000000g', `${uuid}1`, `${uuid}\n`, ` ${uuid}`],
  ...[`${uuid}/keys`, `${uuid}?x=1`, `${uuid}#`, `..%2f${uuid}`],
];
/** None is 1 to 128 letters, digits, underscores or hyphens. */
const notTokens = [
  ...['', ' ', '.', '..', '%2e', `${token}/`, `${token}/../x`, `${token}?x`, `${token}#x`],
  ...[`${token}\n`, 'a b', 'a\\b', 'a:b', 'é', '\u0000', 'x'.repeat(129)],
];

/** How a message shows a value: quoted as JSON, and cut where it is long. */
const shown = (value: string): string => JSON.stringify(value).slice(1, 60).replace(/"$/, '');
const typeOf = (field: string): string =>
  `${field.replace(/^./, (letter) => letter.toUpperCase())}Input!`;

describe('a malformed identifier is refused before any call,', () => {
  it.each([
    ['updateOrganization', 'organizationId', notUuids],
    ['createApiKey', 'organizationId', notUuids],
    ['updateServiceScaling', 'organizationId serviceId', notUuids],
    ['updateServicePassword', 'organizationId serviceId', notUuids],
    ['createPipe', 'organizationId serviceId', notUuids],
    ['updatePipe', 'organizationId serviceId pipeId', notUuids],
    ['startPipe', 'organizationId serviceId pipeId', notUuids],
    ['stopPipe', 'organizationId serviceId pipeId', notUuids],
    ['resyncPipe', 'organizationId serviceId pipeId', notUuids],
    ['deleteDashboard', 'dashboardId', notTokens],
    ['updateAlert', 'alertId', notTokens],
  ])('by %s of its %s', async (field, listed, values) => {
    const names = listed.split(' ');
    const document = `mutation ($input: ${typeOf(field)}) {
      ${field}(input: $input) { userErrors { code message field } } }`;
    const more = { createApiKey: { roles: ['ADMIN'] }, createPipe: { source: { kafka: {} } } };
    const good = Object.fromEntries(names.map((name) => [name, uuid]));
    for (const name of names) {
      for (const value of values) {
        const input = { ...Object(more)[field], ...good, [name]: value };
        const { body } = await stack.query(document, { variables: { input } });
        const [error, ...others] = body.data[field].userErrors;
        expect([error.code, error.field, others]).toEqual(['BAD_USER_INPUT', [name], []]);
        expect(error.message).toMatch(new RegExp(`^${name} must be .* got `, 's'));
        expect(error.message).toContain(shown(value));
      }
    }
    expect(stack.calls).toEqual([]);
  });

  it('and each of several is told', async () => {
    const { body } = await stack.query(
      'mutation { stopPipe(input: { organizationId: ".", serviceId: "..", pipeId: "x" }) { userErrors { field } } }',
    );
    expect(body.data.stopPipe.userErrors).toEqual(
      ['organizationId', 'serviceId', 'pipeId'].map((name) => ({ field: [name] })),
    );
    expect(stack.calls).toEqual([]);
  });

  it.each<
    [selection: string, values: readonly string[], message: RegExp, path?: readonly string[]]
  >([
    ['organization(id: $id) { name }', notUuids, /^id must be /],
    ['organization(id: $id) { id nodeId }', notUuids, /^id must be /],
    ['organization(id: $id) { services { name } invitations { email } }', notUuids, /^id must /],
    [`service(organizationId: $id, serviceId: "${uuid}") { name }`, notUuids, /^organizationId m/],
    [
      `service(organizationId: "${uuid}", serviceId: $id) { pipes { name } }`,
      notUuids,
      /^serviceI/,
    ],
    [
      `pipe(organizationId: $id, serviceId: "${uuid}", pipeId: "${uuid}") { id }`,
      notUuids,
      /^organ/,
    ],
    [
      `pipe(organizationId: "${uuid}", serviceId: "${uuid}", pipeId: $id) { name }`,
      notUuids,
      /^pipeI/,
    ],
    ['dashboard(id: $id) { alerts { name } }', notTokens, /^id must be /],
    ['alert(id: $id) { id }', notTokens, /^id must be /],
    [
      `organization(id: "${uuid}") { service(id: $id) { name } }`,
      ...([notUuids, /^id must be /, ['organization', 'service']] as const),
    ],
    [
      `service(organizationId: "${uuid}", serviceId: "${uuid}") { pipe(id: $id) { state } }`,
      ...([notUuids, /^id must be /, ['service', 'pipe']] as const),
    ],
  ])(
    'by { %s }',
    async (selection, values, message, path = [/^\w+/.exec(selection)?.[0] ?? '']) => {
      for (const id of values) {
        const document = `query ($id: ID!) { ${selection} }`;
        const { body } = await stack.query(document, { variables: { id } });
        const data = path.reduceRight<unknown>((inner, name) => ({ [name]: inner }), null);
        expect(body.data).toEqual(data);
        expect(body.errors).toMatchObject([
          { path, extensions: { code: 'BAD_USER_INPUT', retryable: false } },
        ]);
        expect(body.errors[0].message).toMatch(message);
        expect(body.errors[0].message).toContain(shown(id));
      }
      expect(stack.calls).toEqual([]);
    },
  );

  it('and costs its own field alone', async () => {
    const { body } = await stack.query(
      `{ good: alert(id: "${token}") { name } bad: alert(id: "..") { name } }`,
    );
    expect(body.data).toEqual({ good: { name: 'found' }, bad: null });
    expect(body.errors).toMatchObject([{ path: ['bad'] }]);
    expect(stack.callList()).toEqual([`GET /api/v2/alerts/${token}`]);
  });
});

it('a UUID in upper case goes out as it came', async () => {
  const id = '0A9A0000-0000-4000-8000-00000000000F';
  const { body } = await stack.query(`{ organization(id: "${id}") { name } }`);
  expect(body).toEqual({ data: { organization: { name: 'found' } } });
  expect(stack.callList()).toEqual([`GET /v1/organizations/${id}`]);
});

const handle = (...parts: readonly string[]): string =>
  Buffer.from(parts.join(':')).toString('base64url');
const whole = handle('Alert', token);

describe('a nodeId', () => {
  it.each([
    ['Organization', [uuid], `v1/organizations/${uuid}`],
    ['Service', [uuid, serviceId], `v1/organizations/${uuid}/services/${serviceId}`],
    [
      'Pipe',
      [uuid, serviceId, pipeId],
      `v1/organizations/${uuid}/services/${serviceId}/pipes/${pipeId}`,
    ],
    ['Dashboard', [token], `api/v2/dashboards/${token}`],
    ['Alert', [token], `api/v2/alerts/${token}`],
  ])('of type %s leads to its own read', async (type, parts, path) => {
    const nodeId = handle(type, ...parts);
    const { body } = await stack.query(
      `{ node(nodeId: "${nodeId}") { __typename nodeId ... on ${type} { name } } }`,
    );
    expect(body).toEqual({ data: { node: { __typename: type, nodeId, name: 'found' } } });
    expect(stack.callList()).toEqual([`GET /${path}`]);
  });

  it.each([
    ['empty', ''],
    ['an upstream id', token],
    ['not base64url', '!'.repeat(20)],
    ['padded', `${handle('Organization', uuid)}=`],
    ['cut', handle('Organization', uuid).slice(0, -4)],
    ['longer than it was', `${whole}A`],
    ['in the plain base64 alphabet with a line end', `${whole}\n`],
    ['of a type that is no Node', handle('Tile', token, 'tile-1')],
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
    const { body } = await stack.query(
      'query ($id: ID!) { node(nodeId: $id) { nodeId } nodes(nodeIds: [$id]) { nodeId } }',
      { variables: { id: nodeId } },
    );
    expect(body.data).toEqual({ node: null, nodes: [null] });
    const extensions = { code: 'BAD_USER_INPUT' };
    expect(body.errors).toMatchObject([
      { path: ['node'], extensions },
      { path: ['nodes', 0], extensions },
    ]);
    expect(stack.calls).toEqual([]);
  });

  it('that is refused leaves the others of `nodes` in their places', async () => {
    const { body } = await stack.query(
      'query ($ids: [ID!]!) { nodes(nodeIds: $ids) { nodeId ... on Alert { name } } }',
      { variables: { ids: ['x', whole, handle('Alert', '.')] } },
    );
    expect(body.data).toEqual({ nodes: [null, { nodeId: whole, name: 'found' }, null] });
    expect(body.errors).toMatchObject([{ path: ['nodes', 0] }, { path: ['nodes', 2] }]);
    expect(stack.callList()).toEqual([`GET /api/v2/alerts/${token}`]);
  });
});
