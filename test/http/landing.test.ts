import { describe, expect, it } from 'vitest';
import { startGateway } from '../support/gateway.ts';
import { sendSized } from '../support/http/requests.ts';

const browser = { accept: 'text/html,application/xhtml+xml,*/*;q=0.8' };
const line = 'The GraphQL endpoint is /graphql.\n';

const ask = async (
  env: Readonly<Record<string, string>>,
  headers: Readonly<Record<string, string>>,
  method = 'GET',
  path = '/',
) => {
  const { url } = await startGateway(env);
  const answer = await sendSized(new URL(path, url), { method, headers });
  const { status } = answer;
  return { status, headers: Object.fromEntries(answer.headers), body: await answer.text() };
};

describe('/', () => {
  it.each(['GET', 'HEAD'])('leads a browser on to GraphiQL by %s', async (method) => {
    const { status, headers, body } = await ask({}, browser, method);
    expect([status, headers.location, headers.vary, body]).toEqual([302, 'graphql', 'accept', '']);
    expect(headers['cache-control']).toBe('no-store');
  });

  it.each([
    ['no accept header', {}],
    ['curl', { accept: '*/*' }],
    ['a GraphQL client', { accept: 'application/graphql-response+json, application/json' }],
  ])('names the endpoint to %s', async (_, headers) => {
    const answer = await ask({}, headers);
    expect([answer.status, answer.body]).toEqual([200, line]);
    expect(answer.headers['content-type']).toBe('text/plain; charset=utf-8');
  });

  it('names it to a browser too where GraphiQL is off', async () => {
    expect(await ask({ GRAPHIQL: 'off' }, browser)).toMatchObject({ status: 200, body: line });
  });

  it('answers HEAD without a body', async () => {
    const { status, headers, body } = await ask({}, {}, 'HEAD');
    expect([status, headers['content-type'], body]).toEqual([200, 'text/plain; charset=utf-8', '']);
  });

  it.each(['POST', 'PUT', 'DELETE', 'OPTIONS'])(
    'refuses %s, and names the endpoint',
    async (method) => {
      const { status, headers, body } = await ask({}, {}, method);
      expect([status, headers.allow, body]).toEqual([405, 'GET, HEAD', line]);
    },
  );

  it('says the same whatever is asked, and nothing of the request, the settings or the upstreams', async () => {
    const asked = { host: 'cnry.example', authorization: 'Bearer cnry', 'x-request-id': 'cnry' };
    const { headers, body } = await ask({ HOST: 'cnry' }, asked, 'GET', '/?query=cnry');
    expect(body).toBe(line);
    expect(JSON.stringify(headers)).not.toMatch(/cnry|sluice|127\.0\.0\.1|yoga|node/i);
  });

  it.each(['GET', 'POST', 'OPTIONS'])(
    'is no other path, which names the endpoint by %s',
    async (method) => {
      for (const path of ['/index.html', '/graphq', '/graphql/files/none.js']) {
        const { status, headers, body } = await ask({}, browser, method, path);
        expect([path, status, body]).toEqual([path, 404, line]);
        expect(headers['content-type']).toBe('text/plain; charset=utf-8');
      }
    },
  );
});
