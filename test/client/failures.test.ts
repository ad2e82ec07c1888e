import '../support/client/built.ts';
import { getEventListeners } from 'node:events';
import { describe, expect, it } from 'vitest';
import { createClient } from '../../client/src/index.ts';
import { DashboardsDocument } from '../../client/src/operations.ts';
import { errorOf, serveAlike, serveGraphql } from '../support/client/kit.ts';

describe('without an answer of the gateway', () => {
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
    const error = await errorOf(request(await serveAlike(body, status)));
    expect(error).toMatchObject({ code: 'BAD_ANSWER', status, data: null });
    expect(error.problems).toEqual([{ code: 'BAD_ANSWER', message: error.message }]);
    expect(error.message).toBe(
      `The response is not a valid GraphQL answer (HTTP status ${status}).`,
    );
  });

  it('an error without a code has BAD_ANSWER for one', async () => {
    const error = await errorOf(request(await serveAlike('{"errors":[{"message":"odd"}]}')));
    expect(error).toMatchObject({ code: 'BAD_ANSWER', message: 'odd', data: null });
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
    expect(await errorOf(request(url))).toMatchObject({
      code: 'NETWORK_ERROR',
      status: 200,
      requestId: 'r-1',
    });
  });
});

describe('an abort', () => {
  const reason = new Error('The user has left');

  it.each([
    ['before', (stop: () => void) => stop()],
    ['while a credential is awaited', (stop: () => void) => queueMicrotask(stop)],
  ])('%s: its own reason, and nothing is sent', async (_, when) => {
    let asked = 0;
    const url = await serveGraphql(() => {
      asked += 1;
    });
    const controller = new AbortController();
    const client = createClient({ url, management: () => new Promise(() => {}) });
    const run = () => client.request(DashboardsDocument, {}, { signal: controller.signal });
    when(() => controller.abort(reason));
    await expect(run()).rejects.toBe(reason);
    expect(asked).toBe(0);
  });

  it.each(['before its head', 'within its body'])('of an answer, %s', async (place) => {
    const controller = new AbortController();
    const url = await serveGraphql((request, response) => {
      request.resume();
      if (place === 'before its head') return controller.abort(reason);
      response.writeHead(200, { 'content-length': '100' });
      response.write('{"data":', () => controller.abort(reason));
    });
    const running = createClient({ url }).execute(DashboardsDocument, {}, controller);
    await expect(running).rejects.toBe(reason);
  });

  it('leaves no listener on the signal', async () => {
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
