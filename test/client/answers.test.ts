import '../support/client/built.ts';
import { expect, it, onTestFinished } from 'vitest';
import { createClient, TypedDocumentString } from '../../client/src/index.ts';
import { DashboardsDocument, PipeDocument } from '../../client/src/operations.ts';
import { world } from '../../sandbox/world/ids.ts';
import { firstCells, read, section, table } from '../support/docs/pages.ts';
import { startSandboxStack } from '../support/harness.ts';
import { errorOf, serveAlike, serveGraphql } from './kit.ts';

const { latency } = world.observability.main.alerts;
const { organizationId, services, pipes } = world.management.main;
const pipe = { organizationId, serviceId: services.production, pipeId: pipes.clickstream };

it('an error has all that the gateway tells, and execute gives what there is beside it', async () => {
  const stack = await startSandboxStack();
  onTestFinished(() => stack.close());
  const { management, observability } = stack.sandbox.credentials;
  const headers = { 'sluice-explain': '1' };
  const own = { url: stack.url, headers, observability: observability.main.header };
  const error = await errorOf(createClient(own).request(PipeDocument, pipe));
  const { requestId, message } = error;
  expect(error).toMatchObject({ name: 'SluiceError', code: 'UNAUTHENTICATED', status: 200 });
  const upstream = { name: 'management', operation: 'getPipe' };
  expect(error.problems).toEqual([
    { message, code: 'UNAUTHENTICATED', path: ['pipe'], upstream, requestId, retryable: false },
  ]);
  expect(message).toContain('Management-Authorization: Basic');
  expect(requestId).toMatch(/^[\w-]{20,}$/);
  expect(error.data).toEqual({ pipe: null });

  const client = createClient({ ...own, management: management.admin.header });
  const both = new TypedDocumentString<unknown, Record<string, never>>(
    `{ alert(alertId: "${latency}") { name } gone: alert(alertId: "gone") { name } lost: alert(alertId: "lost") { name } }`,
  );
  const answer = await client.execute(both);
  expect(answer).toMatchObject({
    data: { alert: { name: 'API latency' }, gone: null, lost: null },
    errors: [{ code: 'NOT_FOUND' }, { code: 'NOT_FOUND' }],
    requestId: expect.any(String),
    status: 200,
  });
  const failed = await errorOf(client.request(both));
  expect(failed.data).toEqual(answer.data);
  expect(failed.message).toBe(`${failed.problems[0]?.message} (and 1 more)`);
  const { errors, extensions } = await client.execute(PipeDocument, pipe);
  expect(errors).toEqual([]);
  expect(extensions).not.toBeUndefined();
  const large = new TypedDocumentString<unknown, Record<string, never>>(' '.repeat(300_000));
  const problems = [{ limit: 'bodyBytes', allowed: 262_144 }];
  const refused = { code: 'REQUEST_ENTITY_TOO_LARGE', status: 413, data: null, problems };
  expect(await errorOf(client.request(large))).toMatchObject(refused);
});

const ask = (url: string) => errorOf(createClient({ url }).request(DashboardsDocument));

it.each([
  ['a page', '<html>Bad gateway</html>', 502],
  ['nothing', '', 200],
  ['data of no kind', '{"data":1}', 200],
  ['neither data nor errors', '{"data":null,"errors":[]}', 200],
  ['errors of no kind', '{"errors":["no"]}', 500],
])('%s of another server is a BAD_ANSWER', async (_, body, status) => {
  const error = await ask((await serveAlike(body, status)).url);
  const message = `The response is not a valid GraphQL answer (HTTP status ${status}).`;
  const problems = [{ code: 'BAD_ANSWER', message }];
  expect(error).toMatchObject({ code: 'BAD_ANSWER', status, data: null, message });
  expect(error.problems).toEqual(problems);
});

it.each([
  ['without a code', { message: 'odd' }, { code: 'BAD_ANSWER' }],
  ['with a wait', { extensions: { code: 'A', retryAfterSeconds: 9 } }, { retryAfterSeconds: 9 }],
  ['with its own id', { extensions: { code: 'A', requestId: 'r' } }, { requestId: 'r' }],
])('an error %s is read as it came', async (_, told, known) => {
  const message = 'odd';
  const body = JSON.stringify({ errors: [{ ...told, message }] });
  const { url } = await serveAlike(body, 400);
  const error = await ask(url);
  const problem = { code: 'A', message, ...known };
  const { code, requestId } = { requestId: undefined, ...problem };
  expect(error).toMatchObject({ code, message, requestId, status: 400, data: null });
  expect(error.problems).toEqual([problem]);
  const answer = await createClient({ url }).execute(DashboardsDocument);
  expect(answer).toMatchObject({ errors: [problem], requestId, status: 400 });
});

it('no answer, where nobody listens, is a NETWORK_ERROR with what fetch said as its cause', async () => {
  const error = await ask('http://127.0.0.1:1/graphql');
  expect(error).toMatchObject({ code: 'NETWORK_ERROR', status: undefined, data: null });
  expect(error.cause).toBeInstanceOf(TypeError);
});

it('half of an answer is a NETWORK_ERROR with the status it had', async () => {
  const url = await serveGraphql((_, response) => {
    response.writeHead(200, { 'content-length': '100', 'x-request-id': 'r-1' });
    response.write('{"data":', () => response.destroy());
  });
  const known = { code: 'NETWORK_ERROR', status: 200, requestId: 'r-1' };
  expect(await ask(url)).toMatchObject(known);
});

it.each(['before', 'while a credential is awaited', 'before the head', 'within the body'])(
  'an abort rejects with its own reason: %s',
  async (place) => {
    const reason = new Error('The user has left');
    const controller = new AbortController();
    const abort = () => controller.abort(reason);
    let sent = 0;
    const url = await serveGraphql((_, response) => {
      sent += 1;
      if (place === 'before the head') return abort();
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"data":');
    });
    const management = (): Promise<string> | undefined => {
      if (place !== 'while a credential is awaited') return undefined;
      queueMicrotask(abort);
      return new Promise(() => {});
    };
    const send: typeof fetch = async (...call) => {
      const response = await fetch(...call);
      setImmediate(abort);
      return response;
    };
    if (place === 'before') abort();
    const client = createClient({ url, management, fetch: send });
    await expect(client.execute(DashboardsDocument, {}, controller)).rejects.toBe(reason);
    expect(sent).toBe(['before the head', 'within the body'].includes(place) ? 1 : 0);
  },
);

it('the guides list the codes of the types, of the gateway and of the client', () => {
  const [gateway, own] = read('client/src/error.ts')
    .split('export type ClientErrorCode')
    .map((part) => part.match(/(?<=')[A-Z_]+(?=')/g)?.sort());
  const rows = table(section('docs/clients.md', 'Errors'), 'Code');
  expect(rows.flatMap(([cell = '']) => cell.match(/\w+/g) ?? []).sort()).toEqual(gateway);
  expect(firstCells(table(read('client/README.md'), 'Code', 'When'))).toEqual(own);
});
