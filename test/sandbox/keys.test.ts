import { createHash } from 'node:crypto';
import { describe, expect, it } from 'vitest';
import { createClock, credentials, open, organization, world } from '../support/sandbox/harness.ts';

type Created = {
  readonly key: {
    readonly id: string;
    readonly name: string;
    readonly roles: readonly string[];
    readonly keySuffix: string;
    readonly expireAt?: string;
  };
  readonly keyId: string;
  readonly keySecret: string;
};

const keys = `${organization}/keys`;
const basic = (id: string, secret: string) =>
  `Basic ${Buffer.from(`${id}:${secret}`).toString('base64')}`;
const digest = (text: string) => createHash('sha256').update(text).digest('base64');

describe('key creation', () => {
  it('answers the key and its halves, and the key works at once', async () => {
    const clock = createClock();
    const { management } = await open({ clock: clock.read });
    const ipAccessList = [{ source: '127.0.0.0/8', description: 'here' }];
    const body = { name: 'ci', roles: ['developer'], ipAccessList };
    const { status, body: reply } = await management<Created>('POST', keys, body);
    const { key, keyId, keySecret } = reply.result;
    expect(status).toBe(200);
    expect(key).toEqual({
      id: expect.any(String),
      name: 'ci',
      roles: ['developer'],
      keySuffix: keyId.slice(-4),
      createdAt: '2026-11-21T12:00:00.000Z',
      ipAccessList,
    });
    const used = await management(
      'GET',
      `${organization}/invitations`,
      undefined,
      basic(keyId, keySecret),
    );
    expect(used.status).toBe(200);
  });

  it('gives the same halves in every run', async () => {
    const create = async () => {
      const { management } = await open();
      return (await management<Created>('POST', keys, { name: 'x', roles: ['admin'] })).body.result;
    };
    const [one, other] = [await create(), await create()];
    expect([one.keyId, one.keySecret, one.key.id]).toEqual([
      other.keyId,
      other.keySecret,
      other.key.id,
    ]);
  });

  it('belongs to the organization and has the roles it was made with', async () => {
    const { management } = await open();
    const made = await management<Created>('POST', keys, { name: 'x', roles: ['query_endpoints'] });
    const header = basic(made.body.result.keyId, made.body.result.keySecret);
    expect((await management('PATCH', organization, { name: 'x' }, header)).status).toBe(403);
    const other = `/v1/organizations/${world.management.second.organizationId}`;
    expect((await management('GET', other, undefined, header)).status).toBe(404);
  });

  it('hashData makes a key whose halves the answer does not know', async () => {
    const { management } = await open();
    const hashData = {
      keyIdHash: digest('my-own-key-id'),
      keyIdSuffix: 'y-id',
      keySecretHash: digest('canary-own-secret'),
    };
    const made = await management<Created>('POST', keys, { name: 'x', roles: ['admin'], hashData });
    expect(Object.keys(made.body.result)).toEqual(['key']);
    expect(made.body.result.key.keySuffix).toBe('y-id');
    expect(made.text).not.toContain(hashData.keySecretHash);

    const status = async (id: string, secret: string) =>
      (await management('GET', organization, undefined, basic(id, secret))).status;
    expect(await status('my-own-key-id', 'canary-own-secret')).toBe(200);
    expect(await status('my-own-key-id', 'wrong')).toBe(401);
    expect((await management('POST', keys, { name: 'x', roles: ['admin'], hashData })).status).toBe(
      409,
    );
  });

  it('state: a disabled key is 401, an enabled one works', async () => {
    const { management } = await open();
    const statusWith = async (state: string | null) => {
      const body = { name: 'x', roles: ['admin'], state };
      const { keyId, keySecret } = (await management<Created>('POST', keys, body)).body.result;
      return (await management('GET', organization, undefined, basic(keyId, keySecret))).status;
    };
    expect(await statusWith('enabled')).toBe(200);
    expect(await statusWith(null)).toBe(200);
    expect(await statusWith('disabled')).toBe(401);
  });

  it('expireAt: the key works until then (rule 2)', async () => {
    const clock = createClock();
    const { management } = await open({ clock: clock.read });
    const body = { name: 'x', roles: ['admin'], expireAt: '2026-11-21T14:00:01+02:00' };
    const { key, keyId, keySecret } = (await management<Created>('POST', keys, body)).body.result;
    const status = async () =>
      (await management('GET', organization, undefined, basic(keyId, keySecret))).status;
    expect(key.expireAt).toBe('2026-11-21T14:00:01+02:00');
    clock.advance(999);
    expect(await status()).toBe(200);
    clock.advance(1);
    expect(await status()).toBe(401);
  });

  it.each([undefined, null, ''])('expireAt %j means never', async (expireAt) => {
    const { management } = await open();
    const body = { name: 'x', roles: ['admin'], expireAt };
    const reply = await management<Created>('POST', keys, body);
    expect(reply.status).toBe(200);
    expect('expireAt' in reply.body.result.key).toBe(false);
  });

  it.each([
    ['10.0.0.0/8', 403],
    ['not an address', 403],
    ['127.0.0.1', 200],
    ['0.0.0.0/0', 200],
  ])('ipAccessList of %s answers the loopback caller %i', async (source, expected) => {
    const { management } = await open();
    const body = { name: 'x', roles: ['admin'], ipAccessList: [{ source }] };
    const { keyId, keySecret } = (await management<Created>('POST', keys, body)).body.result;
    const reply = await management('GET', organization, undefined, basic(keyId, keySecret));
    expect(reply.status).toBe(expected);
  });

  it('takes all roles from any key of the organization: which roles it needs is not shown', async () => {
    const { management } = await open();
    const body = { name: 'x', roles: ['admin', 'developer', 'query_endpoints'] };
    const { header } = credentials.management.developer;
    expect((await management('POST', keys, body, header)).status).toBe(200);
  });

  const good = { name: 'x', roles: ['admin'] };
  it.each([
    [{ ...good, name: undefined }, 'name is required'],
    [{ ...good, name: null }, 'name must be a string'],
    [{ ...good, roles: undefined }, 'roles is required'],
    [{ ...good, roles: [] }, 'roles must have at least 1 element'],
    [{ ...good, roles: 'admin' }, 'roles must be an array'],
    [
      { ...good, roles: ['admin', 'owner'] },
      'roles[1] must be one of admin, developer, query_endpoints',
    ],
    [{ ...good, state: 'paused' }, 'state must be one of enabled, disabled'],
    [{ ...good, expireAt: 'tomorrow' }, 'expireAt must be an ISO 8601 date-time'],
    [{ ...good, expireAt: '2026-02-30T00:00:00Z' }, 'expireAt must be an ISO 8601 date-time'],
    [{ ...good, expireAt: '2026-11-21' }, 'expireAt must be an ISO 8601 date-time'],
    [{ ...good, expireAt: 1795262400 }, 'expireAt must be a string'],
    [{ ...good, hashData: { keyIdHash: 'x' } }, 'hashData.keyIdSuffix is required'],
    [{ ...good, ipAccessList: [{}] }, 'ipAccessList[0].source is required'],
  ])('refuses %j', async (body, sentence) => {
    const { management } = await open();
    const reply = await management('POST', keys, body);
    expect([reply.status, reply.body.error]).toEqual([400, `BAD_REQUEST: ${sentence}`]);
  });
});
