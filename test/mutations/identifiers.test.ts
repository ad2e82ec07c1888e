import { expect, it } from 'vitest';
import { data, result, useStack } from '../support/harness.ts';

const uuid = '0a9a0000-0000-4000-8000-000000000001';
const inService = `organizationId: "${uuid}", serviceId: "${uuid}"`;
const token = 'da5b00000000000000000001';

const stack = useStack({
  management: () => result({ id: uuid, name: 'found' }),
  observability: () => data({ id: token, name: 'found' }),
});

it.each([
  [
    'id',
    'organization',
    `organization(organizationId: "${uuid}") { service(id: $id) { name } }`,
    'service',
  ],
  ['id', 'service', `service(${inService}) { pipe(id: $id) { state } }`, 'pipe'],
  ['organizationId', 'organization', 'organization(organizationId: $id) { id nodeId }'],
])(
  'a malformed %s is refused before any call, below %s, by { %s }',
  async (argument, root, selection, ...below) => {
    const document = `query ($id: ID!) { ${selection} }`;
    const { body } = await stack.query(document, { variables: { id: '..' } });
    expect(body.data[root]).toEqual(below.length > 0 ? { [String(below)]: null } : null);
    const message = expect.stringMatching(new RegExp(`^${argument} must be .* got "\\.\\."`));
    const extensions = { code: 'BAD_USER_INPUT', retryable: false };
    expect(body.errors).toMatchObject([{ path: [root, ...below], message, extensions }]);
    expect(stack.calls).toEqual([]);
  },
);

const handle = (...parts: readonly string[]): string =>
  Buffer.from(parts.join(':')).toString('base64url');
const whole = handle('Alert', token);

it.each([
  ['not base64url', '!'.repeat(20)],
  ['in the plain base64 alphabet with a line end', `${whole}\n`],
  ['of a type that is no Node', handle('Invitation', token)],
  ['of the prototype', handle('__proto__', token)],
  ['with one identifier too few', handle('Service', uuid)],
  ['with one identifier too many', handle('Alert', token, token)],
  ['with an identifier that would lengthen the path', handle('Dashboard', `${token}/x`)],
  ['with a hyphen that is escaped', handle('Tile', token, 'tile%2D1')],
  ['with a broken escape', handle('Tile', token, '%')],
  ['of a tile, without its dashboard', handle('Tile', 'tile-1')],
  ['of a tile below no dashboard', handle('Tile', '..', 'tile-1')],
  ['of a key, with the path of a ClickStack', handle('ApiKey', uuid, uuid, uuid)],
  ['of a webhook in a ClickStack', handle('Webhook', uuid, uuid, token)],
  ['with an upstream id in place of a UUID', handle('Pipe', uuid, uuid, token)],
])('a nodeId that is %s is refused before any call', async (_, nodeId) => {
  const { body } = await stack.query(
    'query ($id: ID!) { node(nodeId: $id) { nodeId } nodes(nodeIds: [$id]) { nodeId } }',
    { variables: { id: nodeId } },
  );
  expect(body.data).toEqual({ node: null, nodes: [null] });
  const message = expect.stringMatching(
    /Id must be (?:the value of a nodeId field of this gateway|a UUID|1 to 128)/,
  );
  const problem = { message, extensions: { code: 'BAD_USER_INPUT' } };
  expect(body.errors).toMatchObject([
    { path: ['node'], ...problem },
    { path: ['nodes', 0], ...problem },
  ]);
  expect(stack.calls).toEqual([]);
});
