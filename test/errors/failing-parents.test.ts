import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { type Answering, data, json, type Stack, startStack } from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const ofService = 'organizationId: "organization-1", serviceId: "service-1"';
const organization = '/v1/organizations/organization-1';
const alert = { id: 'alert-1', dashboard: 'dashboard-1', tileId: 'tile-1' };

/**
 * A thing that fails, with relations selected that start beside its own read. `beside` counts their
 * calls; one thing out of a list that is being read takes none.
 */
const parents = [
  {
    type: 'Organization',
    document: `{ organization(id: "organization-1") {
      name services { pipes { name } } service(id: "service-1") { name pipes { name } } invitations { email } } }`,
    parent: organization,
    path: ['organization'],
    beside: 3,
  },
  {
    type: 'Service',
    document: `{ service(${ofService}) {
      name organization { name invitations { email } } pipes { name service { name } }
      pipe(id: "pipe-1") { name } backupConfiguration { backupStartTime } } }`,
    parent: `${organization}/services/service-1`,
    path: ['service'],
    beside: 4,
  },
  {
    type: 'Pipe',
    document: `{ pipe(${ofService}, pipeId: "pipe-1") {
      name service { name backupConfiguration { backupStartTime } } } }`,
    parent: `${organization}/services/service-1/pipes/pipe-1`,
    path: ['pipe'],
    beside: 2,
  },
  {
    type: 'Dashboard',
    document: '{ dashboard(id: "dashboard-1") { name tiles { name } alerts { name } } }',
    parent: '/api/v2/dashboards/dashboard-1',
    path: ['dashboard'],
    beside: 1,
  },
  {
    type: 'Alert',
    document: '{ alert(id: "alert-2") { name dashboard { name } tile { name } } }',
    parent: '/api/v2/alerts/alert-2',
    path: ['alert'],
    beside: 0,
  },
  {
    type: 'Node',
    document: `{ node(nodeId: "Service:organization-1:service-1") {
      ... on Service { name pipes { name } organization { name } } } }`,
    parent: `${organization}/services/service-1`,
    path: ['node'],
    beside: 2,
  },
] as const;

const failures = [
  { status: 404, code: 'NOT_FOUND' },
  { status: 500, code: 'UPSTREAM_ERROR' },
] as const;

const orders = [
  { order: 'the parent fails first', isLate: (isParent: boolean) => !isParent },
  { order: 'the relations fail first', isLate: (isParent: boolean) => isParent },
] as const;

const cases = parents.flatMap((parent) =>
  failures.flatMap((failure) => orders.map((order) => ({ ...parent, ...failure, ...order }))),
);

let stack: Stack;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);

beforeAll(() => {
  process.on('unhandledRejection', note);
});
afterEach(async () => {
  await stack.close();
  unhandled.length = 0;
});
afterAll(() => {
  process.off('unhandledRejection', note);
});

const lateMs = 25;

/** Everything fails with a status, but the alert that leads to its tile; some of it late. */
const failing =
  (status: number, parent: string, isLate: (isParent: boolean) => boolean): Answering =>
  async ({ path }) => {
    if (path === '/api/v2/alerts/alert-1') return data(alert);
    if (isLate(path === withIds(parent))) await pause(lateMs);
    return json({ error: 'no', message: 'no' }, status);
  };

describe('the error of an object hides those of its relations, which were read at the same time:', () => {
  it.each(cases)('$type, $status, $order', async (row) => {
    const answering = failing(row.status, row.parent, row.isLate);
    stack = await startStack({ management: answering, observability: answering });
    const { body } = await stack.query(withIds(row.document));
    expect(body.data).toEqual({ [row.path[0]]: null });
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0]).toMatchObject({ path: row.path, extensions: { code: row.code } });
    await pause(2 * lateMs);
    expect(stack.calls).toHaveLength(1 + row.beside);
    expect(unhandled).toEqual([]);
  });

  it.each(orders)('a tile whose dashboard fails with 500, where $order', async ({ isLate }) => {
    const answering = failing(500, '/api/v2/dashboards/dashboard-1', isLate);
    stack = await startStack({ management: answering, observability: answering });
    const { body } = await stack.query(
      '{ alert(id: "alert-1") { tile { name alerts { name } } } }',
    );
    expect(body.data).toEqual({ alert: { tile: null } });
    expect(body.errors).toHaveLength(1);
    expect(body.errors[0]).toMatchObject({
      path: ['alert', 'tile'],
      extensions: { code: 'UPSTREAM_ERROR' },
    });
    await pause(2 * lateMs);
    expect(unhandled).toEqual([]);
  });

  it.each(orders)('a tile whose dashboard is gone, where $order', async ({ isLate }) => {
    const answering = failing(404, '/api/v2/dashboards/dashboard-1', isLate);
    stack = await startStack({ management: answering, observability: answering });
    const { body } = await stack.query(
      '{ alert(id: "alert-1") { tile { name alerts { name } } dashboard { name alerts { name } } } }',
    );
    expect(body).toEqual({ data: { alert: { tile: null, dashboard: null } } });
    await pause(2 * lateMs);
    expect(unhandled).toEqual([]);
  });
});

it('errors of relations are told where the object itself has none', async () => {
  const answering: Answering = () => json({ error: 'no' }, 404);
  stack = await startStack({ management: answering, observability: answering });
  const { body } = await stack.query(
    withIds(
      `{ service(${ofService}) { id pipes { name } backupConfiguration { backupStartTime } } }`,
    ),
  );
  expect(body.data).toEqual({
    service: { id: withIds('service-1'), pipes: null, backupConfiguration: null },
  });
  expect(body.errors.map(({ path }: { path: string[] }) => path.join('.')).sort()).toEqual([
    'service.backupConfiguration',
    'service.pipes',
  ]);
});
