import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import type { Service } from '../../sandbox/management/records.ts';
import { open, organization, service, world } from '../support/sandbox/harness.ts';

type ServiceName = keyof typeof world.management.main.services;

describe('services', () => {
  it('carry all 25 documented members', async () => {
    const { management } = await open();
    for (const name of ['production', 'reporting', 'staging', 'trial'] as const) {
      const reply = await management<Service>('GET', service(name));
      expect(Object.keys(reply.body.result)).toHaveLength(25);
      expect(reply.body.result.id).toBe(world.management.main.services[name]);
    }
  });

  it('are listed with what a single read shows', async () => {
    const { management } = await open();
    const list = await management<readonly Service[]>('GET', `${organization}/services`);
    expect(list.body.result).toHaveLength(4);
    for (const record of list.body.result) {
      const single = await management('GET', `${organization}/services/${record.id}`);
      expect(single.body.result).toEqual(record);
    }
  });

  it('have a backup configuration', async () => {
    const { management } = await open();
    const reply = await management('GET', `${service('production')}/backupConfiguration`);
    expect(reply.body.result).toEqual({
      backupPeriodInHours: 24,
      backupRetentionPeriodInHours: 720,
      backupStartTime: '02:30',
    });
  });
});

describe('scaling update (rule 3)', () => {
  const scale = async (name: ServiceName, body: unknown) => {
    const { management } = await open();
    const path = service(name);
    const before = (await management<Service>('GET', path)).body.result;
    const reply = await management<Service>('PATCH', `${path}/scaling`, body);
    const after = (await management<Service>('GET', path)).body.result;
    return { before, reply, after };
  };

  it('changes what is given, and a read shows it', async () => {
    const change = { numReplicas: 5, idleScaling: true, idleTimeoutMinutes: 5 };
    const { before, reply, after } = await scale('production', change);
    expect(reply.body.result).toEqual({ ...before, ...change });
    expect(after).toEqual(reply.body.result);
  });

  it('a total moves the memory of a replica', async () => {
    const { after } = await scale('production', { minTotalMemoryGb: 24, maxTotalMemoryGb: 1068 });
    expect(after).toMatchObject({
      minTotalMemoryGb: 24,
      maxTotalMemoryGb: 1068,
      minReplicaMemoryGb: 8,
      maxReplicaMemoryGb: 356,
    });
  });

  it('leaves what is null as it was, and ignores members it does not know', async () => {
    const { before, after } = await scale('production', { numReplicas: null, colour: 'blue' });
    expect(after).toEqual(before);
  });

  it.each([
    ['production', { minTotalMemoryGb: 1068 }],
    ['trial', { maxTotalMemoryGb: 360 }],
    ['trial', { minTotalMemoryGb: 372 }],
    ['production', { numReplicas: 2 }],
    ['production', { numReplicas: 20 }],
    ['reporting', { numReplicas: 1 }],
    ['staging', { numReplicas: 1 }],
    ['staging', { idleTimeoutMinutes: 5 }],
  ] as const)('takes for %s %j', async (name, body) => {
    const { reply } = await scale(name, body);
    expect(reply.status).toBe(200);
    expect(reply.body.result).toMatchObject(body);
  });

  const memory = 'must be an integer from 24 to 1068 and a multiple of 12';
  it.each([
    ['production', { minTotalMemoryGb: 12 }, `minTotalMemoryGb ${memory}`],
    ['production', { minTotalMemoryGb: 23 }, `minTotalMemoryGb ${memory}`],
    ['production', { minTotalMemoryGb: 30 }, `minTotalMemoryGb ${memory}`],
    ['production', { maxTotalMemoryGb: 1080 }, `maxTotalMemoryGb ${memory}`],
    ['production', { maxTotalMemoryGb: 24.5 }, `maxTotalMemoryGb ${memory}`],
    ['production', { maxTotalMemoryGb: '48' }, `maxTotalMemoryGb ${memory}`],
    [
      'trial',
      { maxTotalMemoryGb: 372 },
      'maxTotalMemoryGb must be at most 360 for a non-paid service',
    ],
    [
      'staging',
      { minTotalMemoryGb: 24 },
      'minTotalMemoryGb is available only for production services',
    ],
    [
      'staging',
      { maxTotalMemoryGb: 24 },
      'maxTotalMemoryGb is available only for production services',
    ],
    ['reporting', { numReplicas: 0 }, 'numReplicas must be an integer from 1 to 20'],
    ['reporting', { numReplicas: 21 }, 'numReplicas must be an integer from 1 to 20'],
    ['reporting', { numReplicas: 1.5 }, 'numReplicas must be an integer from 1 to 20'],
    [
      'production',
      { numReplicas: 1 },
      'numReplicas must be from 2 to 20 for the first service in a warehouse',
    ],
    ['trial', { idleTimeoutMinutes: 4 }, 'idleTimeoutMinutes must be an integer of at least 5'],
    ['trial', { idleScaling: 'true' }, 'idleScaling must be a boolean'],
  ] as const)('refuses for %s %j, and changes nothing', async (name, body, sentence) => {
    const { before, reply, after } = await scale(name, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
    expect(after).toEqual(before);
  });
});

describe('password update (rule 4)', () => {
  const path = `${service('production')}/password`;
  const newPasswordHash = createHash('sha256').update('canary-password').digest('base64');
  const newDoubleSha1Hash = '0123456789abcdefABCDEF0123456789abcdef01';

  it.each([
    {},
    { newPasswordHash: null },
    { newDoubleSha1Hash },
    { newDoubleSha1Hash: 'ignored, and so is its form' },
  ])('generates a password for %j, the same in every run', async (body) => {
    const passwords = [];
    for (let run = 0; run < 2; run += 1) {
      const { management } = await open();
      const reply = await management<{ password: string }>('PATCH', path, body);
      expect(reply.status).toBe(200);
      passwords.push(reply.body.result.password);
    }
    expect(passwords[0]).toMatch(/^sandbox-password-[0-9a-f]{16}$/);
    expect(passwords[1]).toBe(passwords[0]);
  });

  it('generates another one the next time, also without a body', async () => {
    const { management } = await open();
    const one = await management<{ password: string }>('PATCH', path, {});
    const other = await management<{ password: string }>('PATCH', path);
    expect(other.status).toBe(200);
    expect(other.body.result.password).not.toBe(one.body.result.password);
  });

  it.each([{ newPasswordHash }, { newPasswordHash, newDoubleSha1Hash }])(
    'answers no password for %j',
    async (body) => {
      const { management } = await open();
      const reply = await management('PATCH', path, body);
      expect([reply.status, reply.body.result]).toEqual([200, {}]);
      expect(reply.text).not.toContain(newPasswordHash);
    },
  );

  const base64 = 'must be the base64 encoding of a raw SHA-256 digest (32 bytes)';
  const hex = 'must be the hexadecimal form of a SHA-1 digest (40 digits)';
  it.each([
    [{ newPasswordHash: 'canary' }, `newPasswordHash ${base64}`],
    [{ newPasswordHash: newPasswordHash.slice(0, -1) }, `newPasswordHash ${base64}`],
    [{ newPasswordHash: Buffer.alloc(31).toString('base64') }, `newPasswordHash ${base64}`],
    [{ newPasswordHash: Buffer.alloc(33).toString('base64') }, `newPasswordHash ${base64}`],
    [{ newPasswordHash: '' }, `newPasswordHash ${base64}`],
    [{ newPasswordHash: 7 }, 'newPasswordHash must be a string'],
    [
      { newPasswordHash, newDoubleSha1Hash: newDoubleSha1Hash.slice(1) },
      `newDoubleSha1Hash ${hex}`,
    ],
    [{ newPasswordHash, newDoubleSha1Hash: `${newDoubleSha1Hash}0` }, `newDoubleSha1Hash ${hex}`],
    [{ newPasswordHash, newDoubleSha1Hash: 'g'.repeat(40) }, `newDoubleSha1Hash ${hex}`],
    [{ newDoubleSha1Hash: 7 }, 'newDoubleSha1Hash must be a string'],
  ])('refuses %j without quoting it', async (body, sentence) => {
    const { management } = await open();
    const reply = await management('PATCH', path, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });
});
