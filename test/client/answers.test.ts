import '../support/client/built.ts';
import { getEventListeners } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import { createClient, TypedDocumentString } from '../../client/src/index.ts';
import {
  AlertDocument,
  DashboardsDocument,
  PipeDocument,
  UpdateAlertDocument,
} from '../../client/src/operations.ts';
import { world } from '../../sandbox/world/ids.ts';
import { errorOf, serveAlike, serveGraphql } from '../support/client/kit.ts';
import { firstCells, read, section, table } from '../support/docs/pages.ts';
import { startSandboxStack } from '../support/harness.ts';

const { alerts } = world.observability.main;
const { organizationId, services, pipes } = world.management.main;
const pipe = { organizationId, serviceId: services.production, pipeId: pipes.clickstream };

const ownQuery = (text: string) =>
  new TypedDocumentString<unknown, Readonly<Record<string, unknown>>>(text);

describe('answers of the gateway', () => {
  const start = async () => {
    const stack = await startSandboxStack();
    onTestFinished(() => stack.close());
    const { management, observability } = stack.sandbox.credentials;
    const own = { management: management.admin.header, observability: observability.main.header };
    return (options: Partial<Parameters<typeof createClient>[0]> = {}) =>
      createClient({ url: stack.url, ...own, ...options });
  };

  it('without a credential: the error has all that the gateway tells', async () => {
    const clientWith = await start();
    const error = await errorOf(clientWith({ management: undefined }).request(PipeDocument, pipe));
    const { requestId, message } = error;
    expect(error).toMatchObject({ name: 'SluiceError', code: 'UNAUTHENTICATED', status: 200 });
    const upstream = { name: 'management', operation: 'getPipe' };
    expect(error.problems).toEqual([
      { message, code: 'UNAUTHENTICATED', path: ['pipe'], upstream, requestId, retryable: false },
    ]);
    expect(message).toContain('Management-Authorization: Basic');
    expect(requestId).toMatch(/^[\w-]{20,}$/);
    expect(error.data).toEqual({ pipe: null });
  });

  it('request rejects with the codes, limits and data of errors', async () => {
    const client = (await start())();
    const alert = await errorOf(client.request(AlertDocument, { id: 'nothing' }));
    expect(alert).toMatchObject({ code: 'NOT_FOUND', status: 200, data: { alert: null } });
    expect(alert.problems).toMatchObject([{ upstream: { name: 'observability', status: 404 } }]);

    const filtered = ownQuery('query ($filter: AlertFilter) { alerts(filter: $filter) { id } }');
    const misfit = await errorOf(client.request(filtered, { filter: { source: 'TILES' } }));
    expect(misfit).toMatchObject({ code: 'BAD_USER_INPUT', data: null });
    expect(misfit.problems[0]).not.toHaveProperty('path');

    const invalid = await errorOf(client.request(ownQuery('{ nothing }')));
    expect(invalid).toMatchObject({ code: 'GRAPHQL_VALIDATION_FAILED', status: 400, data: null });

    const large = await errorOf(client.request(ownQuery(`{ __typename ${' '.repeat(300_000)} }`)));
    expect(large).toMatchObject({ code: 'REQUEST_ENTITY_TOO_LARGE', status: 413, data: null });
    expect(large.requestId).toEqual(expect.any(String));
    expect(large.problems).toMatchObject([{ limit: 'bodyBytes', allowed: 262_144 }]);

    const input = { alertId: alerts.errorRate, interval: 'never' };
    const { updateAlert } = await client.request(UpdateAlertDocument, { input });
    expect(updateAlert).toMatchObject({ alert: null, userErrors: [{ code: 'REJECTED' }] });
  });

  it('execute gives what there is beside the errors, and what the gateway adds', async () => {
    const client = (await start())({ headers: { 'sluice-explain': '1' } });
    const both = ownQuery(
      `{ alert(id: "${alerts.latency}") { name } gone: alert(id: "gone") { name } lost: dashboard(id: "lost") { name } }`,
    );
    const answer = await client.execute(both);
    expect(answer).toMatchObject({
      data: { alert: { name: 'API latency' }, gone: null, lost: null },
      errors: [{ code: 'NOT_FOUND' }, { code: 'NOT_FOUND' }],
      requestId: expect.any(String),
      status: 200,
    });
    const error = await errorOf(client.request(both));
    expect(error.data).toEqual(answer.data);
    expect(error.message).toBe(`${error.problems[0]?.message} (and 1 more)`);
    const { errors, extensions } = await client.execute(AlertDocument, { id: alerts.latency });
    expect(errors).toEqual([]);
    expect(extensions).not.toBeUndefined();
  });
});

describe('another server', () => {
  const request = (url: string) => createClient({ url }).request(DashboardsDocument);

  it.each([
    ['a page', '<html>Bad gateway</html>', 502],
    ['nothing', '', 200],
    ['JSON of something else', '{"message":"no"}', 403],
    ['a list', '[]', 200],
    ['data of no kind', '{"data":1}', 200],
    ['neither data nor errors', '{"data":null,"errors":[]}', 200],
    ['errors of no kind', '{"errors":["no"]}', 500],
  ])('%s is a BAD_ANSWER', async (_, body, status) => {
    const error = await errorOf(request((await serveAlike(body, status)).url));
    expect(error).toMatchObject({ code: 'BAD_ANSWER', status, data: null });
    expect(error.problems).toEqual([{ code: 'BAD_ANSWER', message: error.message }]);
    expect(error.message).toBe(`What came is no GraphQL answer (HTTP status ${status}).`);
  });

  it.each([
    ['an error without a code', undefined, { code: 'BAD_ANSWER', message: 'odd' }],
    ['an error with whatever extensions', { code: 'NEW', a: 1 }, { code: 'NEW', a: 1 }],
    ['a wait', { code: 'RATE_LIMITED', retryAfterSeconds: 9 }, { retryAfterSeconds: 9 }],
  ])('%s is read', async (_, extensions, problem) => {
    const body = JSON.stringify({ errors: [{ message: 'odd', extensions }] });
    const error = await errorOf(request((await serveAlike(body)).url));
    expect(error).toMatchObject({ message: 'odd', data: null, problems: [problem] });
  });

  it('where nobody listens: NETWORK_ERROR, with what fetch said as its cause', async () => {
    const error = await errorOf(request('http://127.0.0.1:1/graphql'));
    expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: undefined, data: null });
    expect(error.cause).toBeInstanceOf(TypeError);
  });

  it('an answer that breaks off: NETWORK_ERROR, with the status it had', async () => {
    const url = await serveGraphql((asked, response) => {
      asked.resume();
      response.writeHead(200, { 'content-length': '100', 'x-request-id': 'r-1' });
      response.write('{"data":', () => response.destroy());
    });
    const known = { code: 'NETWORK_ERROR', status: 200, requestId: 'r-1' };
    expect(await errorOf(request(url))).toMatchObject(known);
  });
});

describe('an abort rejects with its own reason', () => {
  const reason = new Error('The user has left');

  it.each([
    ['before', (stop: () => void) => stop()],
    ['while a credential is awaited', (stop: () => void) => queueMicrotask(stop)],
  ])('%s, and nothing is sent', async (_, when) => {
    const { url, received } = await serveAlike('{"data":{}}');
    const controller = new AbortController();
    const client = createClient({ url, management: () => new Promise(() => {}) });
    when(() => controller.abort(reason));
    await expect(client.request(DashboardsDocument, {}, controller)).rejects.toBe(reason);
    expect(received).toEqual([]);
  });

  it.each(['before the head', 'within the body'])('%s of an answer', async (place) => {
    const controller = new AbortController();
    const url = await serveGraphql((request, response) => {
      request.resume();
      if (place === 'before the head') return controller.abort(reason);
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"data":', () => controller.abort(reason));
    });
    const running = createClient({ url }).execute(DashboardsDocument, {}, controller);
    await expect(running).rejects.toBe(reason);
  });

  it('and leaves no listener on the signal', async () => {
    const { signal } = new AbortController();
    const during: number[] = [];
    const management = () => {
      queueMicrotask(() => during.push(getEventListeners(signal, 'abort').length));
      return 'Basic key';
    };
    const send = async () => new Response('{"data":{}}');
    const client = createClient({ url: 'http://127.0.0.1/', management, fetch: send });
    await client.request(DashboardsDocument, {}, { signal });
    expect(during).toEqual([1]);
    expect(getEventListeners(signal, 'abort')).toEqual([]);
  });
});

it('the guides list the codes of the types, of the gateway and of the client', () => {
  const [gateway, own] = read('client/src/error.ts')
    .split('export type ClientErrorCode')
    .map((part) => part.match(/(?<=')[A-Z_]+(?=')/g)?.sort());
  const rows = table(section('docs/clients.md', 'Errors'), 'Code');
  expect(rows.flatMap(([cell = '']) => cell.match(/\w+/g) ?? []).sort()).toEqual(gateway);
  expect(firstCells(table(read('client/README.md'), 'Code', 'When'))).toEqual(own);
});
