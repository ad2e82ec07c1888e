import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answering, data, json, useStack } from '../support/harness.ts';
import { shortCall, withIds } from '../support/world/ids.ts';

let answer: Answering;
const stack = useStack({
  management: (call) => answer(call),
  observability: (call) => answer(call),
  config: { breakerFailures: 1_000_000 },
});
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterEach(() => expect(unhandled).toEqual([]));
afterAll(() => void process.off('unhandledRejection', note));

/**
 * Each read of a thing, which fails, with selected relations that start beside it, and the number of their calls: one thing
 * out of a list that is being read takes none.
 */
const parents = [
  [
    'organization-1',
    `organization(organizationId: "organization-1") { name services { pipes { name } } invitations { email }
      service(id: "service-1") { name pipes { name } } }`,
    3,
  ],
  [
    'services/service-1',
    `service(@service-1) { name organization { name invitations { email } } pipe(id: "pipe-1") { name }
      pipes { name service { name } } backupConfiguration { backupStartTime } }`,
    4,
  ],
  [
    'services/service-1/pipes/pipe-1',
    'pipe(@service-1, pipeId: "pipe-1") { name service { name backupConfiguration { __typename } } }',
    2,
  ],
  ['dashboards/d1', 'dashboard(dashboardId: "d1") { name tiles { name } alerts { name } }', 1],
  ['alerts/a2', 'alert(alertId: "a2") { name dashboard { name } tile { name } }', 0],
  [
    'services/service-1',
    `node(nodeId: "Service:organization-1:service-1") { ... on Service { name pipes { name }
      organization { name } } }`,
    2,
  ],
] as const;
const orders = ['parent', 'relations'] as const;

/**
 * Everything fails with a status, but the alert that leads to its tile. The parent is answered before the relations, or after
 * `beside` of them.
 */
const startFailing = (status: number, parent: string, beside: number, first: string) => {
  const parentArrived = Promise.withResolvers<void>();
  const othersArrived = Promise.withResolvers<void>();
  let others = 0;
  answer = async (call) => {
    if (call.path === '/api/v2/alerts/alert-1') {
      return data({ id: 'alert-1', dashboard: 'dashboard-1', tileId: 'tile-1' });
    }
    const isParent = [parent, `organizations/${parent}`].includes(shortCall(call));
    others += isParent ? 0 : 1;
    if (isParent) parentArrived.resolve();
    if (others >= beside) othersArrived.resolve();
    if (first === 'relations' && isParent) await othersArrived.promise;
    if (first === 'parent' && !isParent) await parentArrived.promise;
    return json({ error: 'no', message: 'no' }, status);
  };
  if (beside === 0) othersArrived.resolve();
};

describe.each(orders)('where the %s fail first, an error of an object', (first) => {
  it.each(
    parents.flatMap((row) => [
      [404, ...row, 'NOT_FOUND'] as const,
      [500, ...row, 'UPSTREAM_ERROR'] as const,
    ]),
  )('hides those of its relations: %i of %s', async (status, path, field, beside, code) => {
    startFailing(status, path, beside, first);
    const { body } = await stack.query(withIds(`{ thing: ${field} }`));
    expect(body.data).toEqual({ thing: null });
    expect(body.errors).toMatchObject([{ path: ['thing'], extensions: { code } }]);
    await expect.poll(() => stack.calls.length).toBe(1 + beside);
  });

  const tile = { path: ['alert', 'tile'], extensions: { code: 'UPSTREAM_ERROR' } };

  it.each([
    [500, 'tile { name alerts { name } }', { tile: null }, [tile]],
    [
      404,
      'tile { name alerts { name } } dashboard { name alerts { name } }',
      { tile: null, dashboard: null },
      undefined,
    ],
  ])('is that of a tile whose dashboard answers %i', async (status, fields, alert, errors) => {
    startFailing(status, 'dashboards/dashboard-1', 1, first);
    const { body } = await stack.query(`{ alert(alertId: "alert-1") { ${fields} } }`);
    expect(body.data).toEqual({ alert });
    await expect.poll(() => stack.calls.length).toBe(3);
    if (errors) expect(body.errors).toMatchObject(errors);
    else expect(body.errors).toBeUndefined();
  });
});
