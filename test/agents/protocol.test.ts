import { expect, it } from 'vitest';
import { useStack } from '../support/harness.ts';
import { type Headers, type Members, request, send } from './agent.ts';

const revision = '2026-07-28';
const claim = {
  'io.modelcontextprotocol/protocolVersion': revision,
  'io.modelcontextprotocol/clientCapabilities': {},
};
const modern = (method: string, params: Members = {}, more: Members = {}) =>
  request(method, { ...params, _meta: { ...claim, ...more } });
const naming = (method: string, name?: string): Headers => ({
  'mcp-protocol-version': revision,
  'mcp-method': method,
  ...(name && { 'mcp-name': name }),
});
const list = modern('tools/list');
const nope = { name: 'nope' };
const old = { 'mcp-protocol-version': '2025-06-18' };
const other = { 'io.modelcontextprotocol/protocolVersion': '2027-01-01' };

const unknown = { 'mcp-protocol-version': '2027-01-01' };
const operation = 'application/graphql-response+json';
const json = 'application/json';
/** A message with an id that JavaScript cannot hold. */
const idless = (id: string) => `{"jsonrpc":"2.0","id":${id},"method":"ping"}`;
const listing = { name: 'list_alerts', arguments: [] };
const incapable = { ...claim, 'io.modelcontextprotocol/clientCapabilities': 1 };
const [lists, calls] = [naming('tools/list'), naming('tools/call')];

const stack = useStack({ config: { mcp: 'read' } });

/** A message, its headers, and the status and code of its answer; without a code, it has a result or no body. */
it.each<
  [title: string, message: unknown, headers: Headers, status: number, code?: number, id?: unknown]
>([
  ['that is not JSON', '{', {}, 400, -32700],
  ['in a batch', [request('ping')], {}, 400, -32600],
  ['without an id that may be answered', { ...request('ping'), id: null }, {}, 400, -32600],
  ['with an id that loses digits', idless('9007199254740993'), {}, 400, -32600, null],
  ['of another JSON-RPC', { ...request('ping'), jsonrpc: '1.0' }, {}, 400, -32600, 1],
  ['with a list for params', { ...request('ping'), params: [] }, {}, 400, -32602, 1],
  ['with a text for _meta', request('ping', { _meta: 'x' }), {}, 400, -32602, 1],
  ['with null for params', { ...request('tools/list'), params: null }, {}, 200],
  ['with null for arguments', request('tools/call', { ...listing, arguments: null }), {}, 200],
  ['too long', request('ping', { text: 'x'.repeat(300_000) }), {}, 413, -32000],
  ['in a form', request('ping'), { 'content-type': 'text/plain' }, 415, -32000],
  ['that is compressed', request('ping'), { 'content-encoding': 'gzip' }, 415, -32000],
  ['that accepts an operation’s', request('ping'), { accept: operation }, 406, -32000],
  ['that accepts JSON first', request('ping'), { accept: `${operation};q=0.1, ${json}` }, 200],
  ['that accepts no answer', request('ping'), { accept: 'image/png' }, 406, -32000],
  ['that nobody waits for', { jsonrpc: '2.0', method: 'notifications/initialized' }, old, 202],
  ['that answers', { jsonrpc: '2.0', id: 1, result: {} }, old, 202],
  ['ping', request('ping'), old, 200],
  ['of an unknown method', request('resources/list'), old, 200, -32601],
  ['that begins with any revision', request('initialize'), unknown, 200],
  ['of an unknown revision', request('tools/list'), unknown, 400, -32000],
  ['for an unknown tool', request('tools/call', nope), old, 200, -32602],
  ['with a list for arguments', request('tools/call', listing), old, 200, -32602],
  ['new: discover', modern('server/discover'), naming('server/discover'), 200],
  ['new: list', list, lists, 200],
  ['new: another method in the header', list, calls, 400, -32020],
  ['new: no header but in the body', list, {}, 400, -32020],
  ['new: an old revision in the header', list, { ...lists, ...old }, 400, -32020],
  ['new: no capabilities', request('tools/list', { _meta: incapable }), lists, 400, -32602],
  ['new: no name in the header', modern('tools/call', nope), calls, 400, -32020],
  ['new: an unknown tool', modern('tools/call', nope), naming('tools/call', 'nope'), 200, -32602],
  ['new: initialize', modern('initialize'), naming('initialize'), 404, -32601],
  ['new: an unknown revision', modern('tools/list', {}, other), unknown, 400, -32022],
])('a message %s', async (title, message, headers, status, code, id) => {
  const answer = await send(stack.url, message, headers);
  expect([answer.status, answer.body?.error?.code]).toEqual([status, code]);
  expect(answer.headers.get('www-authenticate')).toBeNull();
  if (id !== undefined) expect(answer.body.id).toBe(id);
  if (status === 200) {
    expect(answer.body).toMatchObject({ jsonrpc: '2.0', id: 1 });
    expect(answer.body.result?.resultType).toBe(
      title.startsWith('new') && !code ? 'complete' : undefined,
    );
  }
  expect(stack.calls).toEqual([]);
});

it('initialize is answered with the revision that it names, and announces tools alone', async () => {
  for (const protocolVersion of ['2025-06-18', '2025-11-25', '2025-03-26']) {
    const { body } = await send(stack.url, request('initialize', { protocolVersion }));
    const served = protocolVersion === '2025-03-26' ? '2025-11-25' : protocolVersion;
    expect(body.result).toMatchObject({ protocolVersion: served, capabilities: { tools: {} } });
    expect(body.result.instructions).toMatch(/never an instruction.*ask the user first/s);
  }
});

it('a revision that differs is told as it is, and the new one is kept by clients', async () => {
  const { error } = (await send(stack.url, list, { ...lists, ...old })).body;
  expect(error.data).toEqual({ mismatch: { header: '2025-06-18', body: revision } });
  const unserved = (await send(stack.url, modern('tools/list', {}, other), unknown)).body;
  expect(unserved.error.data).toEqual({ supported: [revision], requested: '2027-01-01' });
  const { id, result } = (await send(stack.url, { ...list, id: 'one' }, lists)).body;
  expect([id, result.ttlMs, result.cacheScope]).toEqual(['one', 60_000, 'private']);
  const { name } = result._meta['io.modelcontextprotocol/serverInfo'];
  expect(name).toBe('sluice');
});

/** The headers of a request, and the status of its answer. */
it.each<[title: string, method: string, path: string, headers: Headers, status: number]>([
  ['GET', 'GET', '/mcp', {}, 405],
  ['DELETE', 'DELETE', '/mcp', {}, 405],
  ['a query by GET', 'GET', '/mcp?query={alerts{id}}', {}, 405],
  ['another path', 'POST', '/mcp/x', {}, 404],
  ['the other endpoint', 'POST', '/graphql/', {}, 400],
  ['a page of another origin', 'POST', '/mcp', { origin: 'https://evil.example' }, 403],
  ['a page without an origin', 'POST', '/mcp', { origin: 'null' }, 403],
  ['what leads to OAuth', 'GET', '/.well-known/oauth-protected-resource', {}, 404],
])('a request of %s', async (_, method, path, headers, status) => {
  const response = await fetch(new URL(path, stack.url), {
    method,
    headers: { 'content-type': 'application/json', ...headers },
    ...(method === 'POST' && { body: JSON.stringify(request('ping')) }),
  });
  expect([response.status, response.headers.get('www-authenticate')]).toEqual([status, null]);
  expect(response.headers.get('allow')).toBe(status === 405 ? 'POST' : null);
});
