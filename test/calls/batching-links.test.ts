import { afterEach, describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Answering, data, result, type Stack, startStack } from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const organizationPath = `/v1/organizations/${organizationId}`;
const servicePath = `${organizationPath}/services/${serviceId}`;
const service = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

const dashboard = (id: string) => ({ id, name: id, tiles: [{ id: `${id}-tile`, name: 'tile' }] });
const alert = (id: string, dashboardId: string) => ({
  id,
  name: id,
  dashboard: dashboardId,
  tileId: `${dashboardId}-tile`,
});

const management = answering({
  'GET /v1/organizations': result([{ id: organizationId, name: 'organization' }]),
  [`GET ${organizationPath}`]: result({ id: organizationId, name: 'organization' }),
  [`GET ${organizationPath}/services`]: result([{ id: serviceId, name: 'service' }]),
  [`GET ${servicePath}`]: result({ id: serviceId, name: 'service' }),
  [`GET ${servicePath}/pipes`]: result([{ id: pipeId, name: 'pipe' }]),
  [`GET ${servicePath}/pipes/${pipeId}`]: result({ id: pipeId, name: 'pipe' }),
  [`GET ${servicePath}/backupConfiguration`]: result({ backupPeriodInHours: 24 }),
});

const observability = answering({
  'GET /api/v2/dashboards': data([dashboard('d1'), dashboard('d2')]),
  'GET /api/v2/dashboards/d1': data(dashboard('d1')),
  'GET /api/v2/dashboards/d2': data(dashboard('d2')),
  // As an upstream that cuts its lists: a4 is read singly only.
  'GET /api/v2/alerts': data([alert('a1', 'd1'), alert('a2', 'd2'), alert('a3', 'gone')]),
  'GET /api/v2/alerts/a1': data(alert('a1', 'd1')),
  'GET /api/v2/alerts/a3': data(alert('a3', 'gone')),
  'GET /api/v2/alerts/a4': data(alert('a4', 'd1')),
});

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.close();
  stack = undefined;
});

const ask = async (
  document: string,
  backends: { management?: Answering; observability?: Answering } = {},
) => {
  stack = await startStack({ management, observability, ...backends });
  const { body } = await stack.query(document);
  return { data: body.data, errors: body.errors, calls: stack.callList() };
};

describe('things that the list lacks are read one by one:', () => {
  it('an alert beyond the end of the list', async () => {
    const answer = await ask(
      '{ a: alert(id: "a1") { name } b: alert(id: "a2") { name } c: alert(id: "a4") { name } }',
    );
    expect(answer).toEqual({
      data: { a: { name: 'a1' }, b: { name: 'a2' }, c: { name: 'a4' } },
      errors: undefined,
      calls: ['GET /api/v2/alerts', 'GET /api/v2/alerts/a4'],
    });
  });

  it('an alert that does not exist, which costs its own field alone', async () => {
    const { data, errors, calls } = await ask(
      '{ a: alert(id: "a1") { name } b: alert(id: "a2") { name } c: alert(id: "a9") { name } }',
    );
    expect(data).toEqual({ a: { name: 'a1' }, b: { name: 'a2' }, c: null });
    expect(errors).toMatchObject([{ path: ['c'], extensions: { code: 'NOT_FOUND' } }]);
    expect(calls).toEqual(['GET /api/v2/alerts', 'GET /api/v2/alerts/a9']);
  });
});

describe('a list answers single reads', () => {
  it.each([
    ['alerts { id } alert(id: "a1") { name }', ['GET /api/v2/alerts']],
    ['alert(id: "a1") { name } alerts { id }', ['GET /api/v2/alerts']],
    ['dashboards { id } dashboard(id: "d2") { name }', ['GET /api/v2/dashboards']],
    [
      `organizations { id } organization(id: "${organizationId}") { name }`,
      ['GET /v1/organizations'],
    ],
    [
      `organization(id: "${organizationId}") {
         services { id } service(id: "${serviceId}") { name }
       }`,
      [`GET ${organizationPath}/services`],
    ],
    [
      `service(${service}) { pipes { id } pipe(id: "${pipeId}") { name } }`,
      [`GET ${servicePath}/pipes`],
    ],
  ])('asked for beside it: { %s }', async (selection, calls) => {
    const answer = await ask(`{ ${selection} }`);
    expect(answer.errors).toBeUndefined();
    expect(answer.calls).toEqual(calls);
  });

  it.each([
    [
      'organizations { services { pipes { service { name organization { name } } } } }',
      ['GET /v1/organizations', `GET ${organizationPath}/services`, `GET ${servicePath}/pipes`],
    ],
    [
      'dashboards { alerts { name dashboard { name } tile { name } } }',
      ['GET /api/v2/alerts', 'GET /api/v2/dashboards'],
    ],
  ])('asked for below it: { %s }', async (selection, calls) => {
    const answer = await ask(`{ ${selection} }`);
    expect(answer.errors).toBeUndefined();
    expect(answer.calls).toEqual(calls);
  });

  it('of the same kind below a single read, which answers for itself', async () => {
    const answer = await ask(
      '{ dashboard(id: "d1") { name alerts { name dashboard { name } tile { name } } } }',
    );
    expect(answer).toEqual({
      data: {
        dashboard: {
          name: 'd1',
          alerts: [{ name: 'a1', dashboard: { name: 'd1' }, tile: { name: 'tile' } }],
        },
      },
      errors: undefined,
      calls: ['GET /api/v2/alerts', 'GET /api/v2/dashboards/d1'],
    });
  });
});

describe('a list whose read fails', () => {
  it.each([
    ['is forbidden', { status: 403, body: '' }],
    ['is malformed', { status: 200, headers: { 'content-type': 'text/html' }, body: '<html>' }],
  ])('and %s leaves its items to be read singly', async (_, list) => {
    const second = `${organizationPath}/services/${serviceId.replace(/1$/, '2')}`;
    const stack = await startStack({
      management: answering({
        [`GET ${organizationPath}/services`]: list,
        [`GET ${servicePath}`]: result({ id: serviceId, name: 'one' }),
        [`GET ${second}`]: result({ id: serviceId.replace(/1$/, '2'), name: 'two' }),
      }),
      observability,
    });
    const { body } = await stack.query(`{ organization(id: "${organizationId}") {
      a: service(id: "${serviceId}") { name }
      b: service(id: "${serviceId.replace(/1$/, '2')}") { name }
    } }`);
    expect(body).toEqual({ data: { organization: { a: { name: 'one' }, b: { name: 'two' } } } });
    await stack.close();
  });
});

describe('a parent is not read', () => {
  it.each([
    [
      `service(${service}) { id nodeId organizationId __typename
         pipes { name } backupConfiguration { backupPeriodInHours } }`,
      [`GET ${servicePath}/backupConfiguration`, `GET ${servicePath}/pipes`],
    ],
    [
      `organization(id: "${organizationId}") { id nodeId service(id: "${serviceId}") { name } }`,
      [`GET ${servicePath}`],
    ],
    [
      `pipe(${service}, pipeId: "${pipeId}") {
         id nodeId serviceId organizationId
         service { organization { services { name } } }
       }`,
      [`GET ${organizationPath}/services`],
    ],
    ['dashboard(id: "d1") { ... on Dashboard { id } ...Alerts }', ['GET /api/v2/alerts']],
    ['alert(id: "a1") { id nodeId __typename }', []],
    [
      `service(${service}) { id name @skip(if: true) pipes @include(if: true) { name } }`,
      [`GET ${servicePath}/pipes`],
    ],
    [
      'alert(id: "a1") { name dashboard { id } tile { id dashboardId dashboard { id nodeId } } }',
      ['GET /api/v2/alerts/a1'],
    ],
    ['alert(id: "a1") { name dashboardId tileId }', ['GET /api/v2/alerts/a1']],
  ])('for identifiers and relations alone: { %s }', async (selection, calls) => {
    const fragment = selection.includes('...Alerts')
      ? 'fragment Alerts on Dashboard { nodeId alerts { name } }'
      : '';
    const answer = await ask(`{ ${selection} } ${fragment}`);
    expect(answer.errors).toBeUndefined();
    expect(answer.calls).toEqual(calls);
  });
});

describe('relations that need only identifiers', () => {
  /** Answers no call before as many as this have come: whoever waits for one of them waits for ever. */
  const together = (count: number, inner: Answering): Answering => {
    const { promise, resolve } = Promise.withResolvers<void>();
    let arrived = 0;
    return async (call) => {
      arrived += 1;
      if (arrived === count) resolve();
      await promise;
      return inner(call);
    };
  };

  it('start with their parent, not after it', async () => {
    const answer = await ask(
      `{ service(${service}) { name pipes { name } backupConfiguration { backupPeriodInHours } } }`,
      { management: together(3, management) },
    );
    expect(answer).toEqual({
      data: {
        service: {
          name: 'service',
          pipes: [{ name: 'pipe' }],
          backupConfiguration: { backupPeriodInHours: 24 },
        },
      },
      errors: undefined,
      calls: [
        `GET ${servicePath}`,
        `GET ${servicePath}/backupConfiguration`,
        `GET ${servicePath}/pipes`,
      ],
    });
  });

  it('start nothing where an identifier has the wrong form', async () => {
    const { data, errors, calls } = await ask(`{ organization(id: "${organizationId}") {
      name
      bad: service(id: "../x") { name pipes { name } organization { services { name } } }
      service(id: "${serviceId}") { name }
    } }`);
    expect(data).toEqual({
      organization: { name: 'organization', bad: null, service: { name: 'service' } },
    });
    expect(errors).toMatchObject([
      { path: ['organization', 'bad'], extensions: { code: 'BAD_USER_INPUT' } },
    ]);
    expect(calls).toEqual([`GET ${organizationPath}`, `GET ${servicePath}`]);
  });

  it('start with their grandparent too', async () => {
    const { errors, calls } = await ask(
      `{ organization(id: "${organizationId}") { name service(id: "${serviceId}") { name pipes { name } } } }`,
      { management: together(3, management) },
    );
    expect(errors).toBeUndefined();
    expect(calls).toEqual([
      `GET ${organizationPath}`,
      `GET ${servicePath}`,
      `GET ${servicePath}/pipes`,
    ]);
  });
});

describe('a link that dangles', () => {
  it('is null without an error, from a single alert', async () => {
    const answer = await ask('{ alert(id: "a3") { name dashboard { name } tile { name } } }');
    expect(answer).toEqual({
      data: { alert: { name: 'a3', dashboard: null, tile: null } },
      errors: undefined,
      calls: ['GET /api/v2/alerts/a3', 'GET /api/v2/dashboards/gone'],
    });
  });

  it('is null without an error, among others that hold', async () => {
    const answer = await ask('{ alerts { dashboard { name } tile { name } } }');
    expect(answer).toEqual({
      data: {
        alerts: [
          { dashboard: { name: 'd1' }, tile: { name: 'tile' } },
          { dashboard: { name: 'd2' }, tile: { name: 'tile' } },
          { dashboard: null, tile: null },
        ],
      },
      errors: undefined,
      calls: ['GET /api/v2/alerts', 'GET /api/v2/dashboards', 'GET /api/v2/dashboards/gone'],
    });
  });

  it.each([
    ['of a tile that is gone', { dashboard: 'd1', tileId: 'gone' }, { name: 'd1' }],
    ['of a tile without a dashboard', { tileId: 'd1-tile' }, null],
    ['of what cannot be an identifier', { dashboard: '../x', tileId: 'd1-tile' }, null],
    ['of null', { dashboard: null, tileId: null }, null],
  ])('%s is null without an error', async (_, links, found) => {
    const answer = await ask('{ alert(id: "a") { dashboard { name } tile { name } } }', {
      observability: (call) =>
        call.path === '/api/v2/alerts/a' ? data({ id: 'a', ...links }) : observability(call),
    });
    expect(answer).toEqual({
      data: { alert: { dashboard: found, tile: null } },
      errors: undefined,
      calls: ['GET /api/v2/alerts/a', ...(found ? ['GET /api/v2/dashboards/d1'] : [])],
    });
  });

  it('of which only identifiers are selected is not looked up', async () => {
    const { data, calls } = await ask('{ alerts { dashboard { id } tile { id dashboardId } } }');
    expect(data.alerts.at(-1)).toEqual({
      dashboard: { id: 'gone' },
      tile: { id: 'gone-tile', dashboardId: 'gone' },
    });
    expect(calls).toEqual(['GET /api/v2/alerts']);
  });
});
