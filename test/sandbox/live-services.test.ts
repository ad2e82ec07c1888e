import { describe, expect, it } from 'vitest';
import {
  createClock,
  credentials,
  organization,
  service,
  world,
} from '../support/sandbox/harness.ts';
import { livePipe, liveWorld, openLive, pipesOf } from '../support/sandbox/live.ts';

const { main } = world.management;

interface Service {
  readonly id: string;
  readonly name: string;
  readonly clickhouseVersion: string;
  readonly state: string;
  readonly provider: string;
  readonly region: string;
}

describe('services of the live sandbox', () => {
  it('have the live names and members, singly and in the list', async () => {
    const { management } = await openLive();
    const list = (await management<readonly Service[]>('GET', `${organization}/services`)).body
      .result;
    expect(list.map(({ name, region }) => [name, region])).toEqual([
      ['production', 'eu-central-1'],
      ['reporting (read-only replica)', 'eu-central-1'],
      ['staging', 'eu-central-1'],
      ['customer-360 trial', 'us-east-1'],
    ]);
    for (const row of list) {
      expect(row).not.toHaveProperty('engineVersion');
      expect(row).toMatchObject({ state: 'running', provider: 'aws', autoscalingMode: 'vertical' });
      const single = await management<Service>('GET', `${organization}/services/${row.id}`);
      expect(single.body.result).toEqual(row);
    }
    expect(list[0]).toMatchObject({
      clickhouseVersion: '26.8',
      tags: [
        { key: 'owner', value: 'data-platform' },
        { key: 'environment', value: 'production' },
      ],
      currentScaling: { effectiveMinReplicaMemoryGb: 16, effectiveMaxReplicaMemoryGb: 120 },
    });
  });

  it('are answered with the live members after a change of their scaling', async () => {
    const { management } = await openLive();
    const body = { minTotalMemoryGb: 96, idleScaling: true };
    const reply = await management<Service>('PATCH', `${service('production')}/scaling`, body);
    expect(reply.body.result).toMatchObject({
      ...body,
      clickhouseVersion: '26.8',
      state: 'running',
    });
    const read = await management('GET', service('production'));
    expect(read.body.result).toEqual(reply.body.result);
  });

  it('stop and start by the clock, and their pipes are a 424 until they run again', async () => {
    const clock = createClock();
    const { management } = await openLive({ clock: clock.read, transitionMs: 1000 });
    const command = async (name: string) =>
      (await management<Service>('PATCH', `${service('production')}/state`, { command: name })).body
        .result.state;
    const state = async () =>
      (await management<Service>('GET', service('production'))).body.result.state;
    const pipeStatuses = async () => {
      const clickstream = livePipe('production', 'clickstream');
      const replies = [
        await management('GET', pipesOf('production')),
        await management('POST', pipesOf('production'), {}),
        await management('GET', clickstream),
        await management('PATCH', clickstream, {}),
        await management('DELETE', clickstream),
        await management('PATCH', `${clickstream}/state`, { command: 'stop' }),
        await management('PATCH', `${clickstream}/scaling`, { replicas: 2 }),
      ];
      return new Set(replies.map(({ status, body }) => `${status} ${body.error}`));
    };
    const refused = (name: string) =>
      new Set([
        `424 FAILED_DEPENDENCY: the service is ${name}: start it, or send it the command awake`,
      ]);

    expect(await command('stop')).toBe('stopping');
    expect(await pipeStatuses()).toEqual(refused('stopping'));
    clock.advance(1000);
    expect(await state()).toBe('stopped');
    expect(await command('stop')).toBe('stopped');
    expect(await pipeStatuses()).toEqual(refused('stopped'));
    expect((await management('GET', pipesOf('staging'))).status).toBe(200);
    expect(await command('start')).toBe('starting');
    expect(await command('awake')).toBe('starting');
    expect(await pipeStatuses()).toEqual(refused('starting'));
    clock.advance(1000);
    expect(await state()).toBe('running');
    expect((await management('GET', pipesOf('production'))).status).toBe(200);
  });

  it('awake from being stopped', async () => {
    const clock = createClock();
    const { management } = await openLive({ clock: clock.read, transitionMs: 1000 });
    const path = `${service('trial')}/state`;
    await management('PATCH', path, { command: 'stop' });
    clock.advance(1000);
    const reply = await management<Service>('PATCH', path, { command: 'awake' });
    expect(reply.body.result.state).toBe('awaking');
    clock.advance(1000);
    expect((await management<Service>('GET', service('trial'))).body.result.state).toBe('running');
  });

  it.each([
    [{}, 'command is required'],
    [{ command: 'pause' }, 'command must be one of start, stop, awake'],
    [{ state: 'stop' }, 'command is required'],
  ])('refuse the command %j', async (body, sentence) => {
    const { management } = await openLive();
    const reply = await management('PATCH', `${service('production')}/state`, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });

  it('keep the operations that are the same as in the reference', async () => {
    const { management } = await openLive();
    expect(
      (await management('GET', `${service('production')}/backupConfiguration`)).body.result,
    ).toEqual({
      backupPeriodInHours: 24,
      backupRetentionPeriodInHours: 720,
      backupStartTime: '02:30',
    });
    const password = await management('PATCH', `${service('production')}/password`, {});
    expect(password.body.result).toHaveProperty('password');
  });
});

describe('organizations of the live sandbox', () => {
  it('are listed, one for each key, and read with the live members', async () => {
    const { management } = await openLive();
    const [listed, ...others] = (await management<readonly unknown[]>('GET', '/v1/organizations'))
      .body.result;
    expect(others).toEqual([]);
    expect(listed).toMatchObject({
      id: main.organizationId,
      enableCoreDumps: true,
      byocConfig: [{ state: 'infra-ready', cloudProvider: 'aws', regionId: 'eu-central-1' }],
    });
    expect((await management('GET', organization)).body.result).toEqual(listed);
  });

  it('keep what is given of an added endpoint', async () => {
    const { management } = await openLive();
    const added = {
      id: 'psc-1',
      description: 'Warsaw',
      cloudProvider: 'gcp',
      region: 'europe-central2',
    };
    const reply = await management('PATCH', organization, {
      enableCoreDumps: false,
      privateEndpoints: { add: [added], remove: [{ id: 'vpce-0a41c7d2e9b85f310' }] },
    });
    expect(reply.body.result).toMatchObject({
      enableCoreDumps: false,
      privateEndpoints: [
        { id: 'vpce-0f92b6a3c1d74e856', cloudProvider: 'aws', region: 'eu-central-1' },
        added,
      ],
    });
    expect((await management('GET', organization)).body.result).toEqual(reply.body.result);
    const other = credentials.management.developer.header;
    expect((await management('PATCH', organization, {}, other)).status).toBe(403);
  });

  it('show the roles of invitations', async () => {
    const { management } = await openLive();
    const { result } = (await management<readonly unknown[]>('GET', `${organization}/invitations`))
      .body;
    expect(result).toHaveLength(2);
    expect(result[0]).toMatchObject({
      role: 'developer',
      assignedRoles: [
        { roleId: liveWorld.roles.developer, roleName: 'Developer', roleType: 'system' },
      ],
    });
  });
});

describe('keys of the live sandbox', () => {
  const keys = `${organization}/keys`;

  it('are created with the identifiers of roles alone, and work', async () => {
    const { management } = await openLive();
    const reply = await management<{ readonly keyId: string; readonly keySecret: string }>(
      'POST',
      keys,
      {
        name: 'deployment',
        assignedRoleIds: [liveWorld.roles.admin],
      },
    );
    expect(reply.body.result).toMatchObject({
      key: {
        state: 'enabled',
        roles: ['admin'],
        assignedRoles: [{ roleId: liveWorld.roles.admin, roleName: 'Admin', roleType: 'system' }],
      },
    });
    const { keyId, keySecret } = reply.body.result;
    const header = `Basic ${btoa(`${keyId}:${keySecret}`)}`;
    expect((await management('PATCH', organization, { name: 'New' }, header)).status).toBe(200);
  });

  it.each([
    [{ name: 'x' }, 'roles must have at least 1 element'],
    [
      { name: 'x', assignedRoleIds: ['nobody'] },
      'assignedRoleIds[0] must be the identifier of a role',
    ],
    [[], 'the body must be an object'],
  ])('are refused without a role that exists: %j', async (body, sentence) => {
    const { management } = await openLive();
    const reply = await management('POST', keys, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });
});

it("answers the reference's paths of pipes, and unknown ones, like an unknown pipe", async () => {
  const { management } = await openLive();
  const { pipes } = main;
  const paths = [`${service('production')}/pipes/${pipes.orders}`, '/v1/nothing'];
  for (const path of paths) {
    const reply = await management('GET', path);
    expect([reply.status, reply.body.error]).toEqual([404, 'NOT_FOUND: not found']);
  }
});
