import { afterEach, describe, expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { data, json, result, type Stack, startStack } from '../support/harness.ts';

const organizationId = '0a9a0000-0000-4000-8000-000000000001';
const serviceId = '5e4c0000-0000-4000-8000-000000000001';
const pipeId = '919e0000-0000-4000-8000-000000000001';
const servicePath = `/v1/organizations/${organizationId}/services/${serviceId}`;
const pipePath = `${servicePath}/pipes/${pipeId}`;
const service = `organizationId: "${organizationId}", serviceId: "${serviceId}"`;
const pipe = `${service}, pipeId: "${pipeId}"`;

let stack: Stack | undefined;
afterEach(async () => {
  await stack?.close();
  stack = undefined;
});

/** A service, with a list of pipes that counts its reads, beside what the state commands and other writes answer. */
const start = async (): Promise<Stack> => {
  let lists = 0;
  stack = await startStack({
    management: answering({
      [`GET ${servicePath}`]: result({ id: serviceId, name: 'service' }),
      [`GET ${servicePath}/pipes`]: () => {
        lists += 1;
        return result([{ id: pipeId, name: `list ${lists}` }]);
      },
      [`PATCH ${pipePath}/state`]: result({ id: pipeId, state: 'Stopping' }),
      [`PATCH ${servicePath}/scaling`]: result({ id: serviceId, name: 'scaled' }),
    }),
    observability: answering({
      'POST /api/v2/dashboards': data({ id: 'd1', name: 'made' }),
      'GET /api/v2/alerts': data([{ id: 'a1', name: 'watch', dashboard: 'd1' }]),
      'GET /api/v2/alerts/a1': data({ id: 'a1', name: 'watch', dashboard: 'd1' }),
      'PUT /api/v2/alerts/a1': data({ id: 'a1', name: 'watch closely', dashboard: 'd1' }),
    }),
  });
  return stack;
};

const sequence = ({ calls }: Stack): string[] =>
  calls.map(({ method, path, body }) => `${method} ${path}${body === '' ? '' : ` ${body}`}`);

describe('mutations of one operation', () => {
  it('run in order, and below each is read afresh what it changes, and nothing else', async () => {
    const started = await start();
    const { body } = await started.query(`mutation {
      stop: stopPipe(input: { ${pipe} }) { pipe { state service { name pipes { name } } } }
      again: stopPipe(input: { ${pipe} }) { pipe { service { name pipes { name } } } }
      start: startPipe(input: { ${pipe} }) { pipe { service { name pipes { name } } } }
    }`);
    const service = (list: number) => ({ name: 'service', pipes: [{ name: `list ${list}` }] });
    expect(body).toEqual({
      data: {
        stop: { pipe: { state: 'Stopping', service: service(1) } },
        again: { pipe: { service: service(2) } },
        start: { pipe: { service: service(3) } },
      },
    });
    const [first, ...rest] = sequence(started);
    expect([first, ...rest.slice(0, 2).sort(), ...rest.slice(2)]).toEqual([
      `PATCH ${pipePath}/state {"command":"stop"}`,
      `GET ${servicePath}`,
      `GET ${servicePath}/pipes`,
      `PATCH ${pipePath}/state {"command":"stop"}`,
      `GET ${servicePath}/pipes`,
      `PATCH ${pipePath}/state {"command":"start"}`,
      `GET ${servicePath}/pipes`,
    ]);
  });

  const others = [2, 3].map((last) => pipeId.slice(0, -1) + last);
  const [second = '', third = ''] = others;
  const pipesPath = `${servicePath}/pipes`;
  const stop = (id: string, selection: string): string =>
    `stopPipe(input: { ${service}, pipeId: "${id}" }) { ${selection} }`;
  const startPipes = async (): Promise<Stack> => {
    const record = (id: string) => ({ id, name: 'pipe' });
    stack = await startStack({
      management: ({ method, path }) =>
        result(
          method === 'GET' && path === pipesPath
            ? [pipeId, ...others].map(record)
            : record(path.replace('/state', '').slice(-36)),
        ),
      observability: () => data({}),
    });
    return stack;
  };

  it('forget which of the things were read that they change: one below the next is read by its own GET', async () => {
    const started = await startPipes();
    await started.query(`mutation {
      a: ${stop(pipeId, `pipe { service { pipe(id: "${second}") { name } } }`)}
      b: ${stop(second, `pipe { service { pipe(id: "${third}") { name } } }`)}
    }`);
    expect(sequence(started)).toEqual([
      `PATCH ${pipesPath}/${pipeId}/state {"command":"stop"}`,
      `GET ${pipesPath}/${second}`,
      `PATCH ${pipesPath}/${second}/state {"command":"stop"}`,
      `GET ${pipesPath}/${third}`,
    ]);
  });

  it('remember what they do not change: a second one of a kind is read by list', async () => {
    const started = await startPipes();
    await started.query(`mutation {
      a: ${stop(pipeId, `pipe { service { pipe(id: "${second}") { name } } }`)}
      b: ${stop(pipeId, `pipe { service { pipe(id: "${third}") { name } } }`)}
    }`);
    expect(sequence(started)).toEqual([
      `PATCH ${pipesPath}/${pipeId}/state {"command":"stop"}`,
      `GET ${pipesPath}/${second}`,
      `PATCH ${pipesPath}/${pipeId}/state {"command":"stop"}`,
      `GET ${pipesPath}`,
    ]);
  });

  it('share equal reads below one payload', async () => {
    const started = await start();
    const { body } = await started.query(`mutation {
      stopPipe(input: { ${pipe} }) { pipe { a: service { name } b: service { name } } }
    }`);
    expect(body.data.stopPipe.pipe).toEqual({ a: { name: 'service' }, b: { name: 'service' } });
    expect(sequence(started)).toEqual([
      `PATCH ${pipePath}/state {"command":"stop"}`,
      `GET ${servicePath}`,
    ]);
  });

  it('read a list again only where one of them has changed it, and read nothing that the answer holds', async () => {
    const started = await start();
    const scaled = (replicas: number): string =>
      `updateServiceScaling(input: { ${service}, numReplicas: ${replicas} }) {
        service { name pipes { name } }
      }`;
    const made = (name: string): string =>
      `createDashboard(input: { name: "${name}" }) { dashboard { name alerts { name } } }`;
    const { body } = await started.query(`mutation {
      a: ${scaled(2)}
      b: ${scaled(3)}
      c: ${made('x')}
      d: updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name } }
      e: ${made('y')}
    }`);
    expect(body.errors).toBeUndefined();
    expect(body.data.b.service).toEqual({ name: 'scaled', pipes: [{ name: 'list 1' }] });
    expect(body.data.e.dashboard).toEqual({ name: 'made', alerts: [{ name: 'watch' }] });
    expect(sequence(started)).toEqual([
      `PATCH ${servicePath}/scaling {"numReplicas":2}`,
      `GET ${servicePath}/pipes`,
      `PATCH ${servicePath}/scaling {"numReplicas":3}`,
      'POST /api/v2/dashboards {"name":"x"}',
      'GET /api/v2/alerts',
      'GET /api/v2/alerts/a1',
      'PUT /api/v2/alerts/a1 {"threshold":2,"dashboardId":"d1","name":"watch"}',
      'POST /api/v2/dashboards {"name":"y"}',
      'GET /api/v2/alerts',
    ]);
  });

  it('read afresh too what was started below the one before and never used', async () => {
    const organizationPath = `/v1/organizations/${organizationId}`;
    let writes = 0;
    stack = await startStack({
      management: answering({
        [`PATCH ${servicePath}/scaling`]: () => {
          writes += 1;
          return result({ id: serviceId, name: 'scaled' });
        },
        [`PATCH ${organizationPath}`]: result({ id: organizationId, name: 'o' }),
        // The first write's organization cannot be read; its list of services is under way by then.
        [`GET ${organizationPath}`]: () =>
          writes > 1 ? result({ id: organizationId, name: 'o' }) : json({ status: 404 }, 404),
        [`GET ${organizationPath}/services`]: () =>
          result([{ id: serviceId, name: `after write ${writes}` }]),
      }),
      observability: () => data({}),
    });
    const scaled = (replicas: number) =>
      `updateServiceScaling(input: { ${service}, numReplicas: ${replicas} }) {
        service { organization { name services { name } } }
      }`;
    const { body } = await stack.query(`mutation {
      a: ${scaled(2)}
      named: updateOrganization(input: { organizationId: "${organizationId}", name: "o" }) {
        organization { id }
      }
      b: ${scaled(3)}
    }`);
    expect(body.data).toEqual({
      a: { service: { organization: null } },
      named: { organization: { id: organizationId } },
      b: { service: { organization: { name: 'o', services: [{ name: 'after write 2' }] } } },
    });
  });

  it('that are equal are sent as often as they are asked for', async () => {
    const started = await start();
    await started.query(`mutation {
      a: createDashboard(input: { name: "x" }) { dashboard { id } }
      b: createDashboard(input: { name: "x" }) { dashboard { id } }
    }`);
    expect(sequence(started)).toEqual([
      'POST /api/v2/dashboards {"name":"x"}',
      'POST /api/v2/dashboards {"name":"x"}',
    ]);
  });

  it('go on after one that was refused before any call', async () => {
    const started = await start();
    const { body } = await started.query(`mutation {
      a: updateServiceScaling(input: { ${service}, numReplicas: 0 }) { service { name } userErrors { code } }
      b: updateServiceScaling(input: { ${service}, numReplicas: 1 }) { service { name } userErrors { code } }
    }`);
    expect(body).toEqual({
      data: {
        a: { service: null, userErrors: [{ code: 'BAD_USER_INPUT' }] },
        b: { service: { name: 'scaled' }, userErrors: [] },
      },
    });
    expect(sequence(started)).toEqual([`PATCH ${servicePath}/scaling {"numReplicas":1}`]);
  });

  it('that change the same alert in part each start from what the one before has left', async () => {
    let alert: Record<string, unknown> = { id: 'a1', threshold: 1, interval: '5m', name: 'old' };
    stack = await startStack({
      management: () => result({}),
      observability: ({ method, body }) => {
        if (method === 'PUT') alert = { id: 'a1', ...(JSON.parse(body) as object) };
        return data(alert);
      },
    });
    const { body } = await stack.query(`mutation {
      a: updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { threshold name } }
      b: updateAlert(input: { alertId: "a1", name: "new" }) { alert { threshold interval name } }
    }`);
    expect(body).toEqual({
      data: {
        a: { alert: { threshold: 2, name: 'old' } },
        b: { alert: { threshold: 2, interval: '5m', name: 'new' } },
      },
    });
    expect(sequence(stack)).toEqual([
      'GET /api/v2/alerts/a1',
      'PUT /api/v2/alerts/a1 {"threshold":2,"interval":"5m","name":"old"}',
      'GET /api/v2/alerts/a1',
      'PUT /api/v2/alerts/a1 {"threshold":2,"interval":"5m","name":"new"}',
    ]);
  });
});
