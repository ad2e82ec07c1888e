import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import {
  type AnswerError,
  type Answering,
  data,
  json,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';
import { withIds } from '../support/world/ids.ts';

const ofService = 'organizationId: "organization-1", serviceId: "service-1"';
const organization = '/v1/organizations/organization-1';

/**
 * A thing that fails, with relations selected that start beside its own read, and how many calls those make;
 * one thing out of a list that is being read takes none.
 */
const parents: readonly (readonly [
  field: string,
  path: string,
  beside: number,
  selected: string,
])[] = [
  [
    'organization(id: "organization-1")',
    ...([organization, 3] as const),
    'name services { pipes { name } } service(id: "service-1") { name pipes { name } } invitations { email }',
  ],
  [
    `service(${ofService})`,
    ...([`${organization}/services/service-1`, 4] as const),
    `name organization { name invitations { email } } pipes { name service { name } }
       pipe(id: "pipe-1") { name } backupConfiguration { backupStartTime }`,
  ],
  [
    `pipe(${ofService}, pipeId: "pipe-1")`,
    ...([`${organization}/services/service-1/pipes/pipe-1`, 2] as const),
    'name service { name backupConfiguration { backupStartTime } }',
  ],
  [
    'dashboard(id: "dashboard-1")',
    ...(['/api/v2/dashboards/dashboard-1', 1] as const),
    'name tiles { name } alerts { name }',
  ],
  [
    'alert(id: "alert-2")',
    ...(['/api/v2/alerts/alert-2', 0] as const),
    'name dashboard { name } tile { name }',
  ],
  [
    'node(nodeId: "Service:organization-1:service-1")',
    ...([`${organization}/services/service-1`, 2] as const),
    '... on Service { name pipes { name } organization { name } }',
  ],
];

const cases = parents.flatMap((parent) =>
  [[404, 'NOT_FOUND'] as const, [500, 'UPSTREAM_ERROR'] as const].flatMap((failure) =>
    (['parent', 'relations'] as const).map((first) => [...parent, ...failure, first] as const),
  ),
);

let stack: Stack;
const unhandled: unknown[] = [];
const note = (reason: unknown) => unhandled.push(reason);
beforeAll(() => void process.on('unhandledRejection', note));
afterEach(async () => {
  await stack.close();
  expect(unhandled).toEqual([]);
});
afterAll(() => void process.off('unhandledRejection', note));

/**
 * Everything fails with a status, but the alert that leads to its tile. The parent is answered before the relations, or after
 * `beside` of them.
 */
const startFailing = async (status: number, parent: string, beside: number, first: string) => {
  const parentArrived = Promise.withResolvers<void>();
  const othersArrived = Promise.withResolvers<void>();
  let others = 0;
  const answering: Answering = async ({ path }) => {
    if (path === '/api/v2/alerts/alert-1') {
      return data({ id: 'alert-1', dashboard: 'dashboard-1', tileId: 'tile-1' });
    }
    const isParent = path === withIds(parent);
    others += isParent ? 0 : 1;
    if (isParent) parentArrived.resolve();
    if (others >= beside) othersArrived.resolve();
    if (first === 'relations' && isParent) await othersArrived.promise;
    if (first === 'parent' && !isParent) await parentArrived.promise;
    return json({ error: 'no', message: 'no' }, status);
  };
  if (beside === 0) othersArrived.resolve();
  stack = await startStack({ management: answering, observability: answering });
};

describe('the error of an object hides those of its relations, which are read at the same time:', () => {
  it.each(cases)('%s', async (field, path, beside, selected, status, code, first) => {
    await startFailing(status, path, beside, first);
    const { body } = await stack.query(withIds(`{ thing: ${field} { ${selected} } }`));
    expect(body.data).toEqual({ thing: null });
    expect(body.errors).toMatchObject([{ path: ['thing'], extensions: { code } }]);
    await expect.poll(() => stack.calls.length).toBe(1 + beside);
  });

  it.each(['parent', 'relations'])('a tile whose dashboard fails, the %s first', async (first) => {
    const document = '{ alert(id: "alert-1") { tile { name alerts { name } } } }';
    await startFailing(500, '/api/v2/dashboards/dashboard-1', 1, first);
    const { body } = await stack.query(document);
    const path = ['alert', 'tile'];
    expect(body.data).toEqual({ alert: { tile: null } });
    expect(body.errors).toMatchObject([{ path, extensions: { code: 'UPSTREAM_ERROR' } }]);
  });

  it.each(['parent', 'relations'])(
    'none of a tile whose dashboard is gone, the %s first',
    async (first) => {
      const document =
        '{ alert(id: "alert-1") { tile { name alerts { name } } dashboard { name alerts { name } } } }';
      await startFailing(404, '/api/v2/dashboards/dashboard-1', 1, first);
      expect((await stack.query(document)).body).toEqual({
        data: { alert: { tile: null, dashboard: null } },
      });
    },
  );
});

describe('a link that fails nulls its own field only:', () => {
  const serviceId = withIds('service-1');
  const links = withIds(`{ service(${ofService}) {
    id pipes { name } backupConfiguration { backupStartTime } organization { name } } }`);
  const whole = {
    id: serviceId,
    pipes: [{ name: 'clicks' }],
    backupConfiguration: { backupStartTime: '02:00' },
    organization: { name: 'Northwind' },
  };

  it.each([
    [500, ['pipes']],
    [403, ['backupConfiguration']],
    [503, ['organization', 'pipes']],
    [404, ['backupConfiguration', 'pipes']],
  ] as const)('%i of %j', async (status, failing) => {
    const answers: Answering = ({ path }) => {
      const name = path.split('/').at(-1) ?? '';
      const [field, value] = path.endsWith(withIds('organization-1'))
        ? (['organization', { id: withIds('organization-1'), name: 'Northwind' }] as const)
        : ([
            name,
            name === 'pipes' ? [{ id: 'p', name: 'clicks' }] : whole.backupConfiguration,
          ] as const);
      return failing.some((each) => each === field)
        ? json({ error: 'no' }, status)
        : result(field === serviceId ? { id: serviceId } : value);
    };
    stack = await startStack({ management: answers, observability: answers });
    const { body } = await stack.query(links);
    const nulls = Object.fromEntries(failing.map((field) => [field, null]));
    expect(body.data).toEqual({ service: { ...whole, ...nulls } });
    expect(body.errors.map(({ path }: AnswerError) => path.join('.')).sort()).toEqual(
      failing.map((field) => `service.${field}`),
    );
  });
});
