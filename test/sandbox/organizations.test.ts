import { describe, expect, it } from 'vitest';
import { credentials, open, organization, service, world } from '../support/sandbox/harness.ts';

const { main, second } = world.management;

describe('organization update', () => {
  it('changes the name and keeps the rest', async () => {
    const { management } = await open();
    const before = await management<object>('GET', organization);
    const reply = await management('PATCH', organization, { name: 'Northwind' });
    expect(reply.status).toBe(200);
    expect(reply.body.result).toEqual({ ...before.body.result, name: 'Northwind' });
    expect((await management('GET', organization)).body.result).toEqual(reply.body.result);
  });

  it('adds and removes private endpoints', async () => {
    const { management } = await open();
    const reply = await management('PATCH', organization, {
      privateEndpoints: {
        add: [{ id: 'vpce-new', description: 'New' }],
        remove: [{ id: 'vpce-0a41c7d2e9b85f310', description: 'as the reference has it' }],
      },
    });
    expect(reply.body.result).toMatchObject({
      name: 'Northwind Analytics',
      privateEndpoints: [
        { id: 'vpce-0f92b6a3c1d74e856', description: 'Reporting network, Dublin' },
        { id: 'vpce-new', description: 'New' },
      ],
    });
  });

  it.each([
    [{ name: 7 }, 'name must be a string'],
    [{ privateEndpoints: [] }, 'privateEndpoints must be an object'],
    [{ privateEndpoints: { add: {} } }, 'privateEndpoints.add must be an array'],
    [
      { privateEndpoints: { add: [{ id: 'a' }] } },
      'privateEndpoints.add[0].description is required',
    ],
    [{ privateEndpoints: { remove: [{}] } }, 'privateEndpoints.remove[0].id is required'],
  ])('refuses %j', async (body, sentence) => {
    const { management } = await open();
    const reply = await management('PATCH', organization, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });

  it.each(['developer', 'queryEndpoints'] as const)('refuses the %s key (rule 1)', async (name) => {
    const { management } = await open();
    const { header } = credentials.management[name];
    const reply = await management('PATCH', organization, { name: 'x' }, header);
    expect([reply.status, reply.body.error]).toEqual([
      403,
      'FORBIDDEN: organization update requires a key with the admin role',
    ]);
  });
});

describe('invitations', () => {
  it('are listed', async () => {
    const { management } = await open();
    const reply = await management('GET', `${organization}/invitations`);
    expect(reply.body.result).toEqual([
      {
        id: main.invitations[0],
        email: 'mira.okafor@northwind.example',
        createdAt: '2026-11-16T08:30:00Z',
        expireAt: '2026-11-30T08:30:00Z',
      },
      expect.objectContaining({ id: main.invitations[1] }),
    ]);
  });
});

describe('a key sees only its own organization', () => {
  const unknown = '00000000-0000-4000-8000-000000000000';

  it.each([main.organizationId, unknown])('the second key gets 404 for %s', async (id) => {
    const { management } = await open();
    const { header } = credentials.management.second;
    for (const [method, path, body] of [
      ['GET', `/v1/organizations/${id}`, undefined],
      ['PATCH', `/v1/organizations/${id}`, { name: 'Taken over' }],
      ['GET', `/v1/organizations/${id}/invitations`, undefined],
      ['POST', `/v1/organizations/${id}/keys`, { name: 'x', roles: ['admin'] }],
      ['GET', `/v1/organizations/${id}/services`, undefined],
      ['GET', `/v1/organizations/${id}/services/${main.services.production}`, undefined],
    ] as const) {
      const reply = await management(method, path, body, header);
      expect([path, reply.status, reply.body.error]).toEqual([
        path,
        404,
        'NOT_FOUND: organization not found',
      ]);
    }
  });

  it("does not reach another organization's service through its own", async () => {
    const { management } = await open();
    const path = `${organization}/services/${second.services.production}`;
    const reply = await management('GET', path);
    expect([reply.status, reply.body.error]).toEqual([404, 'NOT_FOUND: service not found']);
  });

  it("does not reach another service's pipe through its own", async () => {
    const { management } = await open();
    const path = `${service('staging')}/pipes/${main.pipes.clickstream}`;
    expect((await management('GET', path)).body.error).toBe('NOT_FOUND: pipe not found');
    expect((await management('PATCH', path, {})).status).toBe(404);
    expect((await management('PATCH', `${path}/state`, { command: 'stop' })).status).toBe(404);
  });

  it('lists one organization for each key', async () => {
    const { management } = await open();
    const names = async (header: string) =>
      (await management('GET', '/v1/organizations', undefined, header)).body.result;
    expect(await names(credentials.management.admin.header)).toMatchObject([
      { id: main.organizationId, name: 'Northwind Analytics' },
    ]);
    expect(await names(credentials.management.second.header)).toMatchObject([
      { id: second.organizationId, name: 'Harborlight Energy' },
    ]);
  });

  it('refuses an identifier that is no UUID', async () => {
    const { management } = await open();
    const reply = await management('GET', '/v1/organizations/nonsense/invitations');
    expect([reply.status, reply.body.error]).toEqual([
      400,
      'BAD_REQUEST: organizationId must be a UUID',
    ]);
  });
});
