import { request } from 'node:http';
import { describe, expect, it } from 'vitest';
import { startSandbox } from '../../sandbox/server.ts';
import { credentials, open, organization, service, world } from '../support/sandbox/harness.ts';

const uuid4 = /^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/;

/** Sends a path as it is: fetch would normalise it. */
const rawStatus = (url: string, path: string, authorization: string): Promise<[number, string]> =>
  new Promise((resolve, reject) => {
    request(url, { path, headers: { authorization }, agent: false }, (response) => {
      response.resume();
      resolve([response.statusCode ?? 0, response.headers['content-type'] ?? '']);
    })
      .on('error', reject)
      .end();
  });

describe('the management envelope', () => {
  it('carries status, a fresh UUID v4 and the result', async () => {
    const { management } = await open();
    const first = await management('GET', `${organization}/invitations`);
    const next = await management('GET', `${organization}/invitations`);
    expect(first.status).toBe(200);
    expect(Object.keys(first.body)).toEqual(['status', 'requestId', 'result']);
    expect(first.body.status).toBe(200);
    expect(first.body.requestId).toMatch(uuid4);
    expect(next.body.requestId).not.toBe(first.body.requestId);
  });

  it('carries status, one sentence with a code and a requestId on failure', async () => {
    const { management } = await open();
    const reply = await management('GET', `${organization}/services/nonsense`);
    expect(reply.status).toBe(400);
    expect(reply.body).toEqual({
      status: 400,
      error: 'BAD_REQUEST: serviceId must be a UUID',
      requestId: expect.stringMatching(uuid4),
    });
  });
});

describe('management authentication', () => {
  const encode = (pair: string) => `Basic ${Buffer.from(pair).toString('base64')}`;

  it.each([
    ['no header', ''],
    ['another scheme', credentials.observability.main.header],
    ['a pair without a colon', encode('demo-admin-key')],
    ['an unknown key', encode('unknown:demo-admin-secret')],
    ['a wrong secret', encode('demo-admin-key:wrong')],
    ["another key's secret", encode('demo-admin-key:demo-developer-secret')],
  ])('answers %s with a JSON 401 and a challenge', async (_, header) => {
    const { management } = await open();
    const reply = await management('GET', service('production'), undefined, header);
    expect(reply.status).toBe(401);
    expect(reply.body.error).toBe('UNAUTHORIZED: a valid API key is required');
    expect(reply.headers.get('www-authenticate')).toMatch(/^Basic /);
  });

  it('takes the scheme in any case', async () => {
    const { management } = await open();
    const header = credentials.management.admin.header.replace('Basic', 'bASIC');
    expect((await management('GET', service('production'), undefined, header)).status).toBe(200);
  });
});

describe('observability authentication', () => {
  it.each(['', 'Bearer unknown', 'Bearer ', credentials.management.admin.header])(
    'answers %j with a plain-text 401 and no challenge',
    async (header) => {
      const { observability } = await open();
      const reply = await observability('GET', '/api/v2/alerts', undefined, header);
      expect(reply.status).toBe(401);
      expect(reply.text).toBe('Unauthorized');
      expect(reply.headers.get('content-type')).toMatch(/^text\/plain/);
      expect(reply.headers.has('www-authenticate')).toBe(false);
    },
  );
});

describe('routes', () => {
  it.each([
    ['GET', '/'],
    ['GET', '/v2/organizations'],
    ['GET', `${organization}/keys`],
    ['DELETE', service('production')],
    ['POST', `${organization}/services`],
    ['GET', `${service('production')}/scaling`],
    ['GET', `${service('production')}/`],
  ])('answers %s %s on management with a plain-text 404', async (method, path) => {
    const { management } = await open();
    const reply = await management(method, path);
    expect([reply.status, reply.text]).toEqual([404, 'Not Found']);
  });

  it.each([
    ['POST', '/api/v2/alerts'],
    ['PATCH', '/api/v2/dashboards/x'],
    ['GET', '/api/v2/alerts/'],
    ['GET', '/api/v1/alerts'],
  ])('answers %s %s on observability with a plain-text 404', async (method, path) => {
    const { observability } = await open();
    const reply = await observability(method, path);
    expect([reply.status, reply.text]).toEqual([404, 'Not Found']);
  });

  it('ignores a query', async () => {
    const { observability } = await open();
    expect((await observability('GET', '/api/v2/alerts?limit=1')).status).toBe(200);
  });

  it('takes identifiers byte for byte: nothing is decoded or normalised', async () => {
    const { sandbox } = await open();
    const { header } = credentials.observability.main;
    const id = world.observability.main.alerts.errorRate;
    for (const name of ['..', '.', '%2e%2e', id.toUpperCase(), id.replace('a', '%61')]) {
      const [status, type] = await rawStatus(
        sandbox.observabilityUrl,
        `/api/v2/alerts/${name}`,
        header,
      );
      expect([name, status, type]).toEqual([name, 404, 'application/json; charset=utf-8']);
    }
  });
});

describe('bodies', () => {
  const megabyte = 1024 * 1024;
  const padded = (bytes: number) => {
    const [head, tail] = ['{"name":"x","padding":"', '"}'];
    return `${head}${'-'.repeat(bytes - head.length - tail.length)}${tail}`;
  };

  it.each(['{', 'name=x', '{"name":"x",}'])('refuses %j as no JSON', async (body) => {
    const { management, observability } = await open();
    const one = await management('PATCH', organization, body);
    expect([one.status, one.body.error]).toEqual([400, 'BAD_REQUEST: the body is not valid JSON']);
    const other = await observability('POST', '/api/v2/dashboards', body);
    expect([other.status, other.body]).toEqual([400, { message: 'the body is not valid JSON' }]);
  });

  it.each(['[]', '"text"', 'null', '7'])('refuses %s as no object', async (body) => {
    const { management } = await open();
    const reply = await management('PATCH', organization, body);
    expect([reply.status, reply.body.error]).toEqual([
      400,
      'BAD_REQUEST: the body must be an object',
    ]);
  });

  it('takes one megabyte and refuses a byte more', async () => {
    const { management, observability } = await open();
    expect((await management('PATCH', organization, padded(megabyte))).status).toBe(200);
    const one = await management('PATCH', organization, padded(megabyte + 1));
    expect([one.status, one.body.error]).toEqual([
      413,
      'PAYLOAD_TOO_LARGE: the body is larger than 1 MB',
    ]);
    const other = await observability('POST', '/api/v2/dashboards', padded(3 * megabyte));
    expect([other.status, other.body.message]).toEqual([413, 'the body is larger than 1 MB']);
  });

  it('refuses a body of another type', async () => {
    const { sandbox } = await open();
    const response = await fetch(`${sandbox.managementUrl}${organization}`, {
      method: 'PATCH',
      headers: { authorization: credentials.management.admin.header, 'content-type': 'text/plain' },
      body: '{}',
    });
    expect(response.status).toBe(415);
  });
});

describe('a sandbox', () => {
  it('listens on loopback, on free ports', async () => {
    const { sandbox } = await open();
    expect(sandbox.managementUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
    expect(sandbox.observabilityUrl).toMatch(/^http:\/\/127\.0\.0\.1:\d+$/);
  });

  it('shares nothing with another one', async () => {
    const one = await open();
    const other = await open();
    await one.management('PATCH', organization, { name: 'Changed' });
    const reply = await other.management('GET', organization);
    expect(reply.body.result).toMatchObject({ name: 'Northwind Analytics' });
  });

  it('rejects where a port is taken, and leaves nothing running', async () => {
    const { sandbox } = await open();
    const taken = Number(new URL(sandbox.observabilityUrl).port);
    const before = await startSandbox();
    const free = Number(new URL(before.managementUrl).port);
    await before.close();
    const both = { managementPort: free, observabilityPort: taken };
    await expect(startSandbox(both)).rejects.toMatchObject({ code: 'EADDRINUSE', port: taken });
    await expect(fetch(`http://127.0.0.1:${free}`)).rejects.toThrow();
  });

  it('closes its connections, and closes twice', async () => {
    const sandbox = await startSandbox();
    await fetch(`${sandbox.observabilityUrl}/api/v2/alerts`);
    await sandbox.close();
    await sandbox.close();
    await expect(fetch(sandbox.observabilityUrl)).rejects.toThrow();
  });
});
