import { expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Answering, data, json, result, stackInTest } from '../support/harness.ts';
import { rowsOf } from '../support/rows.ts';
import { withIds, withNames } from '../support/world/ids.ts';

const organization = withIds('/v1/organizations/organization-1');
const service = `${organization}/services/${withIds('service-1')}`;

/** Sends mutations to these backends: the answer, and the calls with their bodies, in order. */
const run = async (
  mutations: string,
  management: Answering,
  observability: Answering = watching,
) => {
  const stack = await stackInTest({ management, observability });
  const { text } = await stack.query(withIds(`mutation { ${mutations} }`));
  const calls = stack.calls.map(({ method, path, body }) =>
    `${method} ${path} ${body}`.trimEnd().replace(service, '/…'),
  );
  return { ...JSON.parse(text), text, calls: calls.map(withNames) };
};

/** A service with three pipes, whose names tell how often they were listed. */
const counting = (): Answering => {
  let lists = 0;
  return ({ path }) => {
    const id = path
      .replace(/\/(state|scaling)$/, '')
      .split('/')
      .at(-1);
    if (id !== 'pipes') return result({ id, name: 'one', state: 'Stopping' });
    lists += 1;
    return result(
      [1, 2, 3].map((pipe) => ({ id: withIds(`pipe-${pipe}`), name: `list ${lists}` })),
    );
  };
};
const alert = { id: 'a1', name: 'watch', dashboard: 'd1' };
const watching = answering({
  'POST /api/v2/dashboards': data({ id: 'd1', name: 'made' }),
  'GET /api/v2/alerts': data([alert]),
  'GET /api/v2/alerts/a1': data(alert),
  'PUT /api/v2/alerts/a1': data(alert),
});

const made = 'createDashboard(input: {name: "x"}) { dashboard { name alerts { name } } }';
const command = (number: number, selection: string, field = 'stop'): string =>
  `${field}Pipe(input: { @service-1, pipeId: "pipe-${number}" }) { pipe { ${selection} } }`;
const sent = (number: number, name = 'stop'): string =>
  `PATCH /…/pipes/pipe-${number}/state {"command":"${name}"}`;
const scaled = (replicas: number, selection: string): string =>
  `updateServiceScaling(input: { @service-1, numReplicas: ${replicas} }) { ${selection} }`;

/** Mutations, and their calls in order; `/…` stands for the path of the service, and the number of a list for those so far. */
it.each(
  rowsOf(`
  run in order, and below each is read afresh what it changes, and nothing else
    stop: ${command(1, 'service { name }')}
    again: ${command(1, 'service { name pipes { name } }')}
    start: ${command(1, 'service { name pipes { name } }', 'start')}
    -> ${sent(1)}, GET /…, ${sent(1)}, GET /…/pipes (1), ${sent(1, 'start')}, GET /…/pipes (2)
  forget what they change: a pipe below the next is read by its own GET
    a: ${command(1, 'service { pipe(id: "pipe-2") { name } }')}
    b: ${command(2, 'service { pipe(id: "pipe-3") { name } }')}
    -> ${sent(1)}, GET /…/pipes/pipe-2, ${sent(2)}, GET /…/pipes/pipe-3
  remember what they do not change: a second pipe is read by list
    a: ${command(1, 'service { pipe(id: "pipe-2") { name } }')}
    b: ${command(1, 'service { pipe(id: "pipe-3") { name } }')}
    -> ${sent(1)}, GET /…/pipes/pipe-2, ${sent(1)}, GET /…/pipes (1)
  read a list again only where one of them has changed it
    a: ${scaled(2, 'service { name pipes { name } }')}
    b: ${scaled(3, 'service { name pipes { name } }')}
    -> PATCH /…/scaling {"numReplicas":2}, GET /…/pipes (1), PATCH /…/scaling {"numReplicas":3}
  go on after one that is refused before any call
    a: ${scaled(0, 'userErrors { code }')} b: ${command(1, 'id')}
    -> ${sent(1)}
  are sent as often as they are asked for, and read nothing that the answer holds
    a: ${made} b: updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } c: ${made}
    -> POST /api/v2/dashboards {"name":"x"}, GET /api/v2/alerts, GET /api/v2/alerts/a1,
    PUT /api/v2/alerts/a1 {"threshold":2,"dashboardId":"d1","name":"watch"},
    POST /api/v2/dashboards {"name":"x"}, GET /api/v2/alerts
`),
)('mutations %s', async (_, mutations, calls) => {
  const answer = await run(mutations, counting());
  expect(answer.errors).toBeUndefined();
  // The lists are numbered, and the answer shows each that was read.
  const lists = calls.match(/(?<=pipes \()\d/g) ?? [];
  for (const list of lists) expect(answer.text).toContain(`"list ${list}"`);
  expect(answer.calls).toEqual(calls.replaceAll(/ \(\d\)/g, '').split(', '));
});

it('mutations read afresh too what was started below the one before and never used', async () => {
  let writes = 0;
  const record = result({ id: withIds('organization-1'), name: 'o' });
  const listed = (name: string) => result([{ id: withIds('service-1'), name }]);
  const selection = 'service { organization { name services { name } } }';
  const answer = await run(
    `a: ${scaled(2, selection)}
     named: updateOrganization(input: { @organization-1, name: "o" }) { organization { id } }
     b: ${scaled(3, selection)}`,
    answering({
      [`PATCH ${service}/scaling`]: () => {
        writes += 1;
        return result({ id: withIds('service-1'), name: 'scaled' });
      },
      [`PATCH ${organization}`]: record,
      // The first write's organization cannot be read; its list of services is under way by then.
      [`GET ${organization}`]: () => (writes > 1 ? record : json({ status: 404 }, 404)),
      [`GET ${organization}/services`]: () => listed(`after write ${writes}`),
    }),
  );
  expect(answer.data.a).toEqual({ service: { organization: null } });
  const services = [{ name: 'after write 2' }];
  expect(answer.data.b).toEqual({ service: { organization: { name: 'o', services } } });
});

it('no mutation is sent after one whose error makes all data null', async () => {
  const refusal = json({ status: 500, error: 'no' }, 500);
  const {
    data: shown,
    errors,
    calls,
  } = await run(
    `a: ${command(1, 'id')} b: ${scaled(2, 'userErrors { code }')} c: ${command(2, 'id')}`,
    ({ path }) => (path.endsWith('/scaling') ? refusal : result({})),
  );
  expect([shown, errors.length, errors[0].path]).toEqual([null, 1, ['b']]);
  expect(calls).toEqual([sent(1), 'PATCH /…/scaling {"numReplicas":2}']);
});

it('mutations that change an alert in part each start from what the one before has left', async () => {
  let stored: object = { id: 'a1', threshold: 1, interval: '5m', name: 'old' };
  const answer = await run(
    `a: updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { threshold name } }
     b: updateAlert(input: { alertId: "a1", name: "new" }) { alert { threshold interval name } }`,
    counting(),
    ({ method, body }) => {
      if (method === 'PUT') stored = { id: 'a1', ...JSON.parse(body) };
      return data(stored);
    },
  );
  expect(answer.data).toEqual({
    a: { alert: { threshold: 2, name: 'old' } },
    b: { alert: { threshold: 2, interval: '5m', name: 'new' } },
  });
  const put = 'PUT /api/v2/alerts/a1 {"threshold":2,"interval":"5m","name":';
  const get = 'GET /api/v2/alerts/a1';
  expect(answer.calls).toEqual([get, `${put}"old"}`, get, `${put}"new"}`]);
});
