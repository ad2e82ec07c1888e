import { describe, expect, it, onTestFinished } from 'vitest';
import { answering } from '../support/answering.ts';
import { data, json, result, type Stack, startStack } from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const organizationPath = `/v1/organizations/${organizationId}`;
const servicePath = `${organizationPath}/services/${serviceId}`;
const pipesPath = `${servicePath}/pipes`;
const service = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;

const start = async (options: Partial<Parameters<typeof startStack>[0]>): Promise<Stack> => {
  const nothing = () => data({});
  const stack = await startStack({ management: nothing, observability: nothing, ...options });
  onTestFinished(() => stack.close());
  return stack;
};

/** A service, with a list of pipes that counts its reads, beside what the state commands and other writes answer. */
const startCounting = (): Promise<Stack> => {
  let lists = 0;
  const listed = () => {
    lists += 1;
    return result([{ id: pipeId, name: `list ${lists}` }]);
  };
  const alert = { id: 'a1', name: 'watch', dashboard: 'd1' };
  return start({
    management: answering({
      [`GET ${servicePath}`]: result({ id: serviceId, name: 'service' }),
      [`GET ${pipesPath}`]: listed,
      [`PATCH ${pipesPath}/${pipeId}/state`]: result({ id: pipeId, state: 'Stopping' }),
      [`PATCH ${servicePath}/scaling`]: result({ id: serviceId, name: 'scaled' }),
    }),
    observability: answering({
      'POST /api/v2/dashboards': data({ id: 'd1', name: 'made' }),
      'GET /api/v2/alerts': data([alert]),
      'GET /api/v2/alerts/a1': data(alert),
      'PUT /api/v2/alerts/a1': data(alert),
    }),
  });
};

const callsOf = ({ calls }: Stack): string[] =>
  calls.map(({ method, path, body }) => `${method} ${path} ${body}`.trimEnd());
const stop = (id: string, selection: string, field = 'stopPipe'): string =>
  `${field}(input: { ${service}, pipeId: "${id}" }) { pipe { ${selection} } }`;
const stopped = (id: string, command = 'stop'): string =>
  `PATCH ${pipesPath}/${id}/state {"command":"${command}"}`;
const scaled = (replicas: number, selection: string): string =>
  `updateServiceScaling(input: { ${service}, numReplicas: ${replicas} }) { ${selection} }`;

describe('mutations of one operation', () => {
  it('run in order, and below each is read afresh what it changes, and nothing else', async () => {
    const stack = await startCounting();
    const pipes = 'service { name pipes { name } }';
    const { body } = await stack.query(`mutation {
      stop: ${stop(pipeId, `state ${pipes}`)}
      again: ${stop(pipeId, pipes)}
      start: ${stop(pipeId, pipes, 'startPipe')} }`);
    const shown = (list: number) => ({
      service: { name: 'service', pipes: [{ name: `list ${list}` }] },
    });
    expect(body.data).toEqual({
      stop: { pipe: { state: 'Stopping', ...shown(1) } },
      again: { pipe: shown(2) },
      start: { pipe: shown(3) },
    });
    const [first, ...rest] = callsOf(stack);
    expect([first, ...rest.slice(0, 2).sort(), ...rest.slice(2)]).toEqual([
      ...[stopped(pipeId), `GET ${servicePath}`, `GET ${pipesPath}`],
      ...[stopped(pipeId), `GET ${pipesPath}`, stopped(pipeId, 'start'), `GET ${pipesPath}`],
    ]);
  });

  const [second, third] = [2, 3].map((last) => pipeId.slice(0, -1) + last) as [string, string];

  it.each([
    ['forget what they change: one below the next is read by its own GET', second, `/${third}`],
    ['remember what they do not change: a second one of a kind is read by list', pipeId, ''],
  ])('%s', async (_, changed, path) => {
    const stack = await start({
      management: ({ path: asked }) =>
        result(
          asked === pipesPath
            ? [pipeId, second, third].map((id) => ({ id, name: 'pipe' }))
            : { id: asked.replace('/state', '').slice(-36), name: 'pipe' },
        ),
    });
    await stack.query(`mutation {
      a: ${stop(pipeId, `service { pipe(id: "${second}") { name } }`)}
      b: ${stop(changed, `service { pipe(id: "${third}") { name } }`)} }`);
    expect(callsOf(stack)).toEqual([
      ...[
        stopped(pipeId),
        `GET ${pipesPath}/${second}`,
        stopped(changed),
        `GET ${pipesPath}${path}`,
      ],
    ]);
  });

  it('read a list again only where one of them has changed it, and read nothing that the answer holds', async () => {
    const stack = await startCounting();
    const made = 'createDashboard(input: { name: "x" }) { dashboard { name alerts { name } } }';
    const { body } = await stack.query(`mutation {
      a: ${scaled(2, 'service { name pipes { name } }')}
      b: ${scaled(3, 'service { name pipes { name } }')}
      c: ${made}
      d: updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name } }
      e: ${made} }`);
    expect(body.errors).toBeUndefined();
    expect(body.data.b.service).toEqual({ name: 'scaled', pipes: [{ name: 'list 1' }] });
    expect(body.data.e.dashboard).toEqual({ name: 'made', alerts: [{ name: 'watch' }] });
    // Equal ones are sent as often as they are asked for.
    expect(callsOf(stack)).toEqual([
      ...[`PATCH ${servicePath}/scaling {"numReplicas":2}`, `GET ${pipesPath}`],
      `PATCH ${servicePath}/scaling {"numReplicas":3}`,
      ...['POST /api/v2/dashboards {"name":"x"}', 'GET /api/v2/alerts', 'GET /api/v2/alerts/a1'],
      'PUT /api/v2/alerts/a1 {"threshold":2,"dashboardId":"d1","name":"watch"}',
      ...['POST /api/v2/dashboards {"name":"x"}', 'GET /api/v2/alerts'],
    ]);
  });

  it('read afresh too what was started below the one before and never used', async () => {
    let writes = 0;
    const organization = result({ id: organizationId, name: 'o' });
    const stack = await start({
      management: answering({
        [`PATCH ${servicePath}/scaling`]: () => {
          writes += 1;
          return result({ id: serviceId, name: 'scaled' });
        },
        [`PATCH ${organizationPath}`]: organization,
        // The first write's organization cannot be read; its list of services is under way by then.
        [`GET ${organizationPath}`]: () => (writes > 1 ? organization : json({ status: 404 }, 404)),
        [`GET ${organizationPath}/services`]: () =>
          result([{ id: serviceId, name: `after write ${writes}` }]),
      }),
    });
    const selection = 'service { organization { name services { name } } }';
    const { body } = await stack.query(`mutation {
      a: ${scaled(2, selection)}
      named: updateOrganization(input: { organizationId: "${organizationId}", name: "o" }) { organization { id } }
      b: ${scaled(3, selection)} }`);
    expect(body.data.a).toEqual({ service: { organization: null } });
    const services = [{ name: 'after write 2' }];
    expect(body.data.b).toEqual({ service: { organization: { name: 'o', services } } });
  });

  it('go on after one that was refused before any call', async () => {
    const stack = await startCounting();
    const { body } = await stack.query(`mutation {
      a: ${scaled(0, 'service { name } userErrors { code }')}
      b: ${scaled(1, 'service { name } userErrors { code }')} }`);
    expect(body.data).toEqual({
      a: { service: null, userErrors: [{ code: 'BAD_USER_INPUT' }] },
      b: { service: { name: 'scaled' }, userErrors: [] },
    });
    expect(callsOf(stack)).toEqual([`PATCH ${servicePath}/scaling {"numReplicas":1}`]);
  });

  it('that change the same alert in part each start from what the one before has left', async () => {
    let alert: object = { id: 'a1', threshold: 1, interval: '5m', name: 'old' };
    const stack = await start({
      observability: ({ method, body }) => {
        if (method === 'PUT') alert = { id: 'a1', ...(JSON.parse(body) as object) };
        return data(alert);
      },
    });
    const { body } = await stack.query(`mutation {
      a: updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { threshold name } }
      b: updateAlert(input: { alertId: "a1", name: "new" }) { alert { threshold interval name } } }`);
    expect(body.data).toEqual({
      a: { alert: { threshold: 2, name: 'old' } },
      b: { alert: { threshold: 2, interval: '5m', name: 'new' } },
    });
    const [get, put] = [
      'GET /api/v2/alerts/a1',
      'PUT /api/v2/alerts/a1 {"threshold":2,"interval":"5m",',
    ];
    expect(callsOf(stack)).toEqual([get, `${put}"name":"old"}`, get, `${put}"name":"new"}`]);
  });
});
