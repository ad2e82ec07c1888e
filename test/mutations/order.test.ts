import { expect, it } from 'vitest';
import { answering } from '../support/answering.ts';
import { type Answering, data, json, result, stackInTest } from '../support/harness.ts';
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
  const listed = () => {
    lists += 1;
    return [1, 2, 3].map((pipe) => ({ id: withIds(`pipe-${pipe}`), name: `list ${lists}` }));
  };
  return ({ path }) => result(path.endsWith('/pipes') ? listed() : { name: 'one' });
};
const alert = { id: 'a1', name: 'watch', dashboard: 'd1' };
const watching = answering({
  'POST /api/v2/dashboards': data({ id: 'd1', name: 'made' }),
  'GET /api/v2/alerts': data([alert]),
  'GET /api/v2/alerts/a1': data(alert),
  'PUT /api/v2/alerts/a1': data(alert),
});

const made = 'createDashboard(input: {name: "x"}) { dashboard { name alerts { name } } }';
const command = (number: number, selection: string): string =>
  `stopPipe(input: { @service-1, pipeId: "pipe-${number}" }) { pipe { ${selection} } }`;
const sent = (number: number): string => `PATCH /…/pipes/pipe-${number}/state {"command":"stop"}`;
const scaled = (replicas: number, selection: string): string =>
  `updateServiceScaling(input: { @service-1, numReplicas: ${replicas} }) { ${selection} }`;
const scaledTo = (replicas: number): string => `PATCH /…/scaling {"numReplicas":${replicas}}`;
const [both, list] = ['service { name pipes { name } }', 'GET /…/pipes'];
const other = (number: number): string => `service { pipe(id: "pipe-${number}") { name } }`;

/** Mutations, their calls in order, where `/…` is the path of the service, and how often they list the pipes. */
it.each<[title: string, mutations: readonly string[], calls: readonly string[], lists?: number]>([
  [
    'run in order, and below each is read afresh what it changes, and nothing else',
    [command(1, 'service { name }'), command(1, both), command(1, both)],
    [sent(1), 'GET /…', sent(1), list, sent(1), list],
    2,
  ],
  [
    'forget what they change: a pipe below the next is read by its own GET',
    [command(1, other(2)), command(2, other(3))],
    [sent(1), `${list}/pipe-2`, sent(2), `${list}/pipe-3`],
  ],
  [
    'remember what they do not change: a second pipe is read by list',
    [command(1, other(2)), command(1, other(3))],
    [sent(1), `${list}/pipe-2`, sent(1), list],
    1,
  ],
  [
    'read a list again only where one of them has changed it',
    [scaled(2, both), scaled(3, both)],
    [scaledTo(2), list, scaledTo(3)],
    1,
  ],
  [
    'are sent as often as they are asked for, and read nothing that the answer holds',
    [made, 'updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } }', made],
    [
      ...['POST /api/v2/dashboards {"name":"x"}', 'GET /api/v2/alerts', 'GET /api/v2/alerts/a1'],
      'PUT /api/v2/alerts/a1 {"threshold":2,"dashboardId":"d1","name":"watch"}',
      ...['POST /api/v2/dashboards {"name":"x"}', 'GET /api/v2/alerts'],
    ],
  ],
])('mutations %s', async (_, mutations, calls, lists = 0) => {
  const aliased = mutations.map((each, at) => `m${at}: ${each}`).join(' ');
  const answer = await run(aliased, counting());
  expect(answer.errors).toBeUndefined();
  for (const number of [1, 2].slice(0, lists)) expect(answer.text).toContain(`"list ${number}"`);
  expect(answer.calls).toEqual(calls);
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
