import { expect, it, onTestFinished } from 'vitest';
import { answering } from '../support/answering.ts';
import { data, json, result, startStack } from '../support/harness.ts';
import { withIds, withNames } from '../support/world/ids.ts';

const organization = withIds('/v1/organizations/organization-1');
const service = `${organization}/services/${withIds('service-1')}`;

type Replies = Parameters<typeof answering>[0];

/** Sends mutations to these backends: the data, and the calls with their bodies, in order. */
const run = async (mutations: string, management: Replies, observability: Replies = {}) => {
  const stack = await startStack({
    ...{ management: answering(management), observability: answering(observability) },
  });
  onTestFinished(() => stack.close());
  const { text } = await stack.query(withIds(`mutation { ${mutations} }`));
  const calls = stack.calls.map(({ method, path, body }) =>
    withNames(`${method} ${path} ${body}`.trimEnd()).replace(
      '/v1/organizations/organization-1',
      '',
    ),
  );
  return { ...JSON.parse(withNames(text)), calls };
};

/** A service, with a list of pipes that counts its reads, beside what writes answer. */
const managed = (): Replies => {
  let lists = 0;
  const listed = () => {
    lists += 1;
    return result([1, 2, 3].map((number) => pipe(number, `list ${lists}`)));
  };
  const pipe = (number: number, name: string) => ({ id: withIds(`pipe-${number}`), name });
  return {
    [`GET ${service}`]: result({ id: withIds('service-1'), name: 'service' }),
    [`GET ${service}/pipes`]: listed,
    ...Object.fromEntries(
      [1, 2, 3].flatMap((number) => {
        const path = `${service}/pipes/${withIds(`pipe-${number}`)}`;
        const one = result({ ...pipe(number, 'pipe'), state: 'Stopping' });
        return [
          [`GET ${path}`, one],
          [`PATCH ${path}/state`, one],
        ];
      }),
    ),
    [`PATCH ${service}/scaling`]: result({ id: withIds('service-1'), name: 'scaled' }),
  };
};
const alert = { id: 'a1', name: 'watch', dashboard: 'd1' };
const observed: Replies = {
  'POST /api/v2/dashboards': data({ id: 'd1', name: 'made' }),
  'GET /api/v2/alerts': data([alert]),
  'GET /api/v2/alerts/a1': data(alert),
  'PUT /api/v2/alerts/a1': data(alert),
};

const command = (number: number, selection: string, field = 'stop'): string =>
  `${field}Pipe(input: { @service-1, pipeId: "pipe-${number}" }) { pipe { ${selection} } }`;
const sent = (number: number, name = 'stop'): string =>
  `PATCH /services/service-1/pipes/pipe-${number}/state {"command":"${name}"}`;
const scaled = (replicas: number, selection: string): string =>
  `updateServiceScaling(input: { @service-1, numReplicas: ${replicas} }) { ${selection} }`;
const [getService, listPipes] = ['GET /services/service-1', 'GET /services/service-1/pipes'];

it('mutations run in order, and below each is read afresh what it changes, and nothing else', async () => {
  const pipes = 'service { name pipes { name } }';
  const answer = await run(
    `stop: ${command(1, `state ${pipes}`)} again: ${command(1, pipes)} start: ${command(1, pipes, 'start')}`,
    managed(),
  );
  const shown = (list: number) => ({
    service: { name: 'service', pipes: Array(3).fill({ name: `list ${list}` }) },
  });
  expect(answer.data).toEqual({
    stop: { pipe: { state: 'Stopping', ...shown(1) } },
    again: { pipe: shown(2) },
    start: { pipe: shown(3) },
  });
  const [first, ...rest] = answer.calls;
  expect([first, ...rest.slice(0, 2).sort(), ...rest.slice(2)]).toEqual([
    ...[sent(1), getService, listPipes, sent(1), listPipes, sent(1, 'start'), listPipes],
  ]);
});

it.each([
  ['forget what they change: one below the next is read by its own GET', 2, '/pipe-3'],
  ['remember what they do not change: a second one of a kind is read by list', 1, ''],
])('mutations %s', async (_, changed, path) => {
  const { calls } = await run(
    `a: ${command(1, 'service { pipe(id: "pipe-2") { name } }')}
     b: ${command(changed, 'service { pipe(id: "pipe-3") { name } }')}`,
    managed(),
  );
  expect(calls).toEqual([sent(1), `${listPipes}/pipe-2`, sent(changed), `${listPipes}${path}`]);
});

it('mutations read a list again only where one of them has changed it, and nothing that the answer holds', async () => {
  const made = 'createDashboard(input: { name: "x" }) { dashboard { name alerts { name } } }';
  const answer = await run(
    `a: ${scaled(2, 'service { name pipes { name } }')}
     b: ${scaled(3, 'service { name pipes { name } }')}
     c: ${made}
     d: updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { name } }
     e: ${made}`,
    managed(),
    observed,
  );
  expect(answer.errors).toBeUndefined();
  expect(answer.data.b.service).toMatchObject({
    name: 'scaled',
    pipes: [{ name: 'list 1' }, {}, {}],
  });
  expect(answer.data.e.dashboard).toEqual({ name: 'made', alerts: [{ name: 'watch' }] });
  // Equal ones are sent as often as they are asked for.
  expect(answer.calls).toEqual([
    'PATCH /services/service-1/scaling {"numReplicas":2}',
    listPipes,
    'PATCH /services/service-1/scaling {"numReplicas":3}',
    ...['POST /api/v2/dashboards {"name":"x"}', 'GET /api/v2/alerts', 'GET /api/v2/alerts/a1'],
    'PUT /api/v2/alerts/a1 {"threshold":2,"dashboardId":"d1","name":"watch"}',
    ...['POST /api/v2/dashboards {"name":"x"}', 'GET /api/v2/alerts'],
  ]);
});

it('mutations read afresh too what was started below the one before and never used', async () => {
  let writes = 0;
  const record = { id: withIds('organization-1'), name: 'o' };
  const selection = 'service { organization { name services { name } } }';
  const answer = await run(
    `a: ${scaled(2, selection)}
     named: updateOrganization(input: { @organization-1, name: "o" }) { organization { id } }
     b: ${scaled(3, selection)}`,
    {
      [`PATCH ${service}/scaling`]: () => {
        writes += 1;
        return result({ id: withIds('service-1'), name: 'scaled' });
      },
      [`PATCH ${organization}`]: result(record),
      // The first write's organization cannot be read; its list of services is under way by then.
      [`GET ${organization}`]: () => (writes > 1 ? result(record) : json({ status: 404 }, 404)),
      [`GET ${organization}/services`]: () =>
        result([{ id: withIds('service-1'), name: `after write ${writes}` }]),
    },
  );
  expect(answer.data.a).toEqual({ service: { organization: null } });
  const services = [{ name: 'after write 2' }];
  expect(answer.data.b).toEqual({ service: { organization: { name: 'o', services } } });
});

it('mutations that change the same alert in part each start from what the one before has left', async () => {
  let stored: object = { id: 'a1', threshold: 1, interval: '5m', name: 'old' };
  const answer = await run(
    `a: updateAlert(input: { alertId: "a1", threshold: 2 }) { alert { threshold name } }
     b: updateAlert(input: { alertId: "a1", name: "new" }) { alert { threshold interval name } }`,
    {},
    {
      'GET /api/v2/alerts/a1': () => data(stored),
      'PUT /api/v2/alerts/a1': ({ body }) => {
        stored = { id: 'a1', ...JSON.parse(body) };
        return data(stored);
      },
    },
  );
  expect(answer.data).toEqual({
    a: { alert: { threshold: 2, name: 'old' } },
    b: { alert: { threshold: 2, interval: '5m', name: 'new' } },
  });
  const [get, put] = [
    'GET /api/v2/alerts/a1',
    'PUT /api/v2/alerts/a1 {"threshold":2,"interval":"5m",',
  ];
  expect(answer.calls).toEqual([get, `${put}"name":"old"}`, get, `${put}"name":"new"}`]);
});
