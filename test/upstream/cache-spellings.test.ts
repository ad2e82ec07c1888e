import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { startWorld, type World } from '../support/upstream/cache-world.ts';
import type { Request } from '../support/upstream/simulated.ts';

vi.mock(
  '../../src/upstream/sending/send.ts',
  () => import('../support/upstream/simulated-transport.ts'),
);

let world: World;
beforeEach(() => {
  world = startWorld();
});
afterEach(() => world.close());

const key = { management: 'Basic a2V5OnNlY3JldA==' };
const inCapitals = (ids: { readonly organizationId: string }) => ({
  organizationId: ids.organizationId.toUpperCase(),
});
const ids = { organizationId: '0a9a0000-0000-4000-8000-00000000000a' };

describe('an identifier of management, which is the same in small letters and in capitals,', () => {
  it.each([
    ['small letters', ids, inCapitals(ids)],
    ['capitals', inCapitals(ids), ids],
  ])('has what was kept by it in %s dropped by a write in the others', async (_, read, written) => {
    const { once, calls } = world;
    await once(key, ({ management }) => management.getOrganization(read));
    await once(key, ({ management }) => management.updateOrganization(written, { name: 'new' }));
    calls();
    await once(key, ({ management }) => management.getOrganization(read));
    expect(calls()).toEqual([`GET /v1/organizations/${read.organizationId}`]);
  });

  it('has no read shared that was sent before a write by the other spelling', async () => {
    const { ask, calls, clock, until } = world;
    const before = ask(key).management.getOrganization(ids);
    await clock.advance(10);
    const writing = ask(key).management.updateOrganization(inCapitals(ids), { name: 'new' });
    await clock.advance(10);
    calls();
    const after = ask(key).management.getOrganization(ids);
    await until(Promise.all([before, writing, after]));
    expect(calls()).toEqual([`GET /v1/organizations/${ids.organizationId}`]);
  });

  it('has what the request itself read forgotten by its own write', async () => {
    const { ask, calls, until } = world;
    const { management } = ask(key);
    await until(management.getOrganization(ids));
    await until(management.updateOrganization(inCapitals(ids), { name: 'new' }));
    calls();
    await until(management.getOrganization(ids));
    expect(calls()).toEqual([`GET /v1/organizations/${ids.organizationId}`]);
  });
});

describe('a record with the identifiers of its path', () => {
  const service = { ...ids, serviceId: '0a9a0000-0000-4000-8000-00000000000b' };
  const inCapitalsToo = { ...service, ...inCapitals(service) };
  const read =
    (of: typeof service) =>
    ({ management }: Request) =>
      management.listPipes(of);

  it('has them as the caller wrote them, whatever is kept', async () => {
    const { once } = world;
    for (const of of [service, inCapitalsToo, service]) {
      expect(await once(key, read(of))).toMatchObject([of]);
    }
  });

  it('has them as the caller wrote them, whatever is under way', async () => {
    const { ask, until } = world;
    const both = [service, inCapitalsToo];
    const lists = await until(Promise.all(both.map((of) => read(of)(ask(key)))));
    expect(lists).toMatchObject(both.map((of) => [of]));
  });
});

it('an identifier of observability is another in capitals', async () => {
  const { once, calls } = world;
  const token = { observability: 'Bearer token' };
  for (const alertId of ['aa', 'AA']) {
    await once(token, ({ observability }) => observability.getAlert({ alertId }));
  }
  expect(calls()).toEqual(['GET /api/v2/alerts/aa', 'GET /api/v2/alerts/AA']);
});
