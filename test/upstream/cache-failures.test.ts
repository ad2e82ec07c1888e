import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Request } from '../support/upstream/simulated.ts';
import type { Received } from '../support/upstream/simulated-transport.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);

let world: World;
beforeEach(() => {
  world = startWorld({ maxRetries: 0 });
});
afterEach(() => world.close());

const caller = { management: 'Basic a2V5OnNlY3JldA==', observability: 'Bearer token' };
const other = { management: 'Basic b3RoZXI6c2VjcmV0', observability: 'Bearer other' };
const ids = { organizationId: '0a9a0000-0000-4000-8000-00000000000a' };

const organization = ({ management }: Request) => management.getOrganization(ids);
const organizations = ({ management }: Request) => management.listOrganizations();
const organizationsAnew = ({ management }: Request) => management.fresh('listOrganizations', {});
const invitations = ({ management }: Request) => management.listInvitations(ids);
const rename = ({ management }: Request) => management.updateOrganization(ids, { name: 'new' });
const dashboards = ({ observability }: Request) => observability.listDashboards();
const alert = ({ observability }: Request) => observability.getAlert({ alertId: 'a1' });
const alertAnew = ({ observability }: Request) =>
  observability.fresh('getAlert', { alertId: 'a1' });

const status = (code: number) => (received: Received) =>
  received.answer({ error: 'no', message: 'no' }, code);

describe('a credential that the upstream refuses', () => {
  const path = `/v1/organizations/${ids.organizationId}`;

  it.each([
    ['a read', 401, organization],
    ['a read that it was shown before', 403, organizationsAnew],
    ['a write', 401, rename],
  ] as const)('has nothing kept at that upstream after %s with %i', async (_, code, refused) => {
    const { once, calls, answerNext } = world;
    for (const by of [caller, other]) {
      await once(by, organizations);
      await once(by, invitations);
      await once(by, dashboards);
    }
    calls();
    answerNext(status(code));
    const by = (request: Request): Promise<unknown> => refused(request);
    await expect(once(caller, by)).rejects.toMatchObject({ failure: { status: code } });
    calls();
    await once(caller, organizations);
    await once(caller, invitations);
    await once(caller, dashboards);
    expect(calls()).toEqual(['GET /v1/organizations', `GET ${path}/invitations`]);
    await once(other, organizations);
    await once(other, invitations);
    await once(other, dashboards);
    expect(calls()).toEqual([]);
  });

  it.each([
    ['a read that it was never shown', organization],
    ['a write', rename],
  ] as const)('has everything else kept after %s with 403', async (_, refused) => {
    const { once, calls, answerNext } = world;
    await once(caller, invitations);
    answerNext(status(403));
    await expect(once(caller, refused)).rejects.toMatchObject({ failure: { status: 403 } });
    calls();
    await once(caller, invitations);
    expect(calls()).toEqual([]);
  });

  it('has nothing kept when the read before a write is refused', async () => {
    const { once, calls, answerNext } = world;
    await once(caller, dashboards);
    await once(caller, invitations);
    answerNext(status(401));
    await expect(once(caller, alertAnew)).rejects.toMatchObject({ failure: { status: 401 } });
    calls();
    await once(caller, dashboards);
    await once(caller, invitations);
    expect(calls()).toEqual(['GET /api/v2/dashboards']);
  });

  it('has no read kept that was under way', async () => {
    const { ask, clock, once, calls, answerNext, until } = world;
    await once(caller, organizations);
    answerNext(status(401));
    const refused = expect(until(organization(ask(caller)), 100)).rejects.toThrow();
    const underWay = invitations(ask(caller));
    const elsewhere = alert(ask(caller));
    await clock.advance(200);
    await Promise.all([refused, underWay, elsewhere]);
    calls();
    await once(caller, alert);
    expect(calls()).toEqual([]);
    await once(caller, invitations);
    expect(calls()).toEqual([`GET ${path}/invitations`]);
  });
});

describe('a failure that the next read would meet again:', () => {
  describe.each([403, 404, 424])('%i', (code) => {
    const read = () => world.once(caller, organization);
    const failure = { failure: { status: code } };

    beforeEach(async () => {
      await world.once(caller, invitations);
      world.answerNext(status(code));
      await expect(read()).rejects.toMatchObject(failure);
      world.calls();
    });

    it('is kept for as long as an answer would be fresh', async () => {
      await world.clock.advance(9000);
      await expect(read()).rejects.toMatchObject(failure);
      expect(world.calls()).toEqual([]);
      await world.clock.advance(2000);
      expect(await read()).toMatchObject({ id: ids.organizationId });
    });

    it('is kept for its own credential', async () => {
      expect(await world.once(other, organization)).toMatchObject({ id: ids.organizationId });
    });

    it('is not kept for who wants it read anew', async () => {
      const anew = world.once({ ...caller, maxAge: 0 }, organization);
      expect(await anew).toMatchObject({ id: ids.organizationId });
    });

    it('is not kept after a write of that credential', async () => {
      await world.once(caller, ({ management }) =>
        management.updateServicePassword({ ...ids, serviceId: ids.organizationId }, {}),
      );
      expect(await read()).toMatchObject({ id: ids.organizationId });
    });
  });
});

describe('a failure is not kept:', () => {
  it.each([400, 409, 429, 500, 502, 503, 504, 302])('%i', async (code) => {
    const { once, calls, answerNext } = world;
    answerNext(status(code));
    await expect(once(caller, organization)).rejects.toMatchObject({ failure: { status: code } });
    calls();
    expect(await once(caller, organization)).toMatchObject({ id: ids.organizationId });
    expect(calls()).toEqual([`GET /v1/organizations/${ids.organizationId}`]);
  });

  it.each(['cut-off', 'timeout'] as const)('%s', async (reason) => {
    const { once, answerNext } = world;
    answerNext((received) => received.fail(reason));
    await expect(once(caller, organization)).rejects.toMatchObject({ failure: { reason } });
    expect(await once(caller, organization)).toMatchObject({ id: ids.organizationId });
  });

  it.each([
    ['no JSON', '<html>'],
    ['no envelope', {}],
    ['an envelope of a failure', { status: 500, error: 'no' }],
    ['an envelope of another shape', { status: 200, result: [] }],
    ['no body', ''],
  ])('a success with %s', async (_, body) => {
    const { once, calls, answerNext } = world;
    answerNext((received) => received.answer(body));
    await expect(once(caller, organization)).rejects.toMatchObject({
      failure: { reason: 'bad-response' },
    });
    calls();
    expect(await once(caller, organization)).toMatchObject({ id: ids.organizationId });
    expect(calls()).toEqual([`GET /v1/organizations/${ids.organizationId}`]);
  });

  it('a success that is no JSON by its type', async () => {
    const { once, answerNext } = world;
    answerNext((received) =>
      received.answer({ status: 200, result: {} }, 200, { 'content-type': 'text/html' }),
    );
    await expect(once(caller, organization)).rejects.toMatchObject({
      failure: { reason: 'bad-response' },
    });
    expect(await once(caller, organization)).toMatchObject({ id: ids.organizationId });
  });
});
