import { setTimeout as pause } from 'node:timers/promises';
import { beforeEach, expect, it } from 'vitest';
import { createGate } from '../support/faults/gate.ts';
import { drip, silence } from '../support/faults/reactions.ts';
import {
  type FaultGateway,
  ofService,
  organizationId,
  reads,
  serviceId,
  startFaultGateway,
  well,
} from '../support/faults/stack.ts';
import { type AnswerError, data, type Reaction, result, stackInTest } from '../support/harness.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';

const operationTimeoutMs = 25_000;
const other = organizationId.replace(/1$/, '2');
const organizationPath = `/v1/organizations/${organizationId}`;
const servicesPath = `${organizationPath}/services`;
const pipesPath = `${servicesPath}/${serviceId}/pipes`;
const pipe = result({ id: '919e0000-0000-4000-8000-000000000001', name: 'n' });
const createPipe = (selection: string): string =>
  `createPipe(input: { ${ofService}, name: "n", destination: {}, source: { postgres: { host: "h" } } }) { pipe { ${selection} } }`;
const createDashboard = 'createDashboard(input: { name: "n" }) { dashboard { name } }';
const deleteDashboard = 'deleteDashboard(input: { dashboardId: "d1" }) { deletedDashboardId }';

let clock: Clock;
let gateway: FaultGateway;
beforeEach(() => {
  clock = stopTime();
});

type Replies = Readonly<Record<string, Reaction | Promise<Reaction>>>;
/** Answers by path, and does not answer anything else. */
const start = async (replies: Replies, config = {}, options = {}) => {
  const react = ({ path }: { readonly path: string }) => replies[path] ?? silence;
  gateway = await startFaultGateway({ management: react, observability: react }, config, options);
  return gateway;
};
/** Resolves once no connection to a backend is open: that of a write is kept for some seconds. */
const untilClosed = () => {
  const closed = async () => {
    while (gateway.connections() > 0) await new Promise((resolve) => setImmediate(resolve));
  };
  return clock.until(closed());
};
interface Row {
  readonly title: string;
  readonly document: string;
  readonly replies: Replies;
  readonly data: unknown;
  /** Path of each error, and what the message says of a write. */
  readonly errors: Readonly<Record<string, RegExp>>;
  readonly calls: readonly string[];
}

const perhaps = /The write may have been carried out\.$/;
const notSent = /The write was not sent\.$/;

it.each<Row>([
  {
    title: 'the other upstream’s fields and links below them are there',
    document: `{ service(${ofService}) { name } alert(alertId: "a1") { name dashboard { name } } }`,
    replies: {
      '/api/v2/alerts/a1': data({ id: 'a1', name: 'lag', dashboard: 'd1' }),
      '/api/v2/dashboards/d1': data({ id: 'd1', name: 'overview' }),
    },
    data: { service: null, alert: { name: 'lag', dashboard: { name: 'overview' } } },
    errors: { service: /./ },
    calls: [
      `GET ${servicesPath}/${serviceId}`,
      'GET /api/v2/alerts/a1',
      'GET /api/v2/dashboards/d1',
    ],
  },
  {
    title: 'of a list’s links those are there that came',
    document: '{ organizations { name services { name } } }',
    replies: {
      '/v1/organizations': result([organizationId, other].map((id) => ({ id, name: id }))),
      [servicesPath]: result([{ id: serviceId, name: 's' }]),
      [`/v1/organizations/${other}/services`]: drip,
    },
    data: {
      organizations: [
        { name: organizationId, services: [{ name: 's' }] },
        { name: other, services: null },
      ],
    },
    errors: { 'organizations.1.services': /./ },
    calls: ['', `/${organizationId}/services`, `/${other}/services`].map(
      (end) => `GET /v1/organizations${end}`,
    ),
  },
  {
    title:
      'finished mutations are answered, the one under way may have been carried out, and later ones are not sent',
    document: `mutation { updateOrganization(input: {organizationId: "${organizationId}", name: "n"})
      { organization { name } } ${createDashboard} ${deleteDashboard} }`,
    replies: { [organizationPath]: result({ id: organizationId, name: 'n' }) },
    data: {
      updateOrganization: { organization: { name: 'n' } },
      createDashboard: { dashboard: null },
      deleteDashboard: { deletedDashboardId: null },
    },
    errors: { 'createDashboard.dashboard': perhaps, 'deleteDashboard.deletedDashboardId': notSent },
    calls: [`PATCH ${organizationPath}`, 'POST /api/v2/dashboards'],
  },
  {
    title: 'of an update the write is not sent when its read came too late',
    document: 'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }',
    replies: { '/api/v2/alerts/a1': drip },
    data: { updateAlert: { alert: null } },
    errors: { 'updateAlert.alert': /./ },
    calls: ['GET /api/v2/alerts/a1'],
  },
])('at the deadline of an operation $title', async (row) => {
  const { query } = await start(row.replies);
  const body = await clock.until(query(row.document));
  expect(body.data).toEqual(row.data);
  const errors: readonly AnswerError[] = body.errors;
  expect(errors.map(({ path }) => path.join('.'))).toEqual(Object.keys(row.errors));
  for (const [index, words] of Object.values(row.errors).entries()) {
    expect(errors[index]).toMatchObject({
      message: expect.stringMatching(words),
      // What was never sent may be sent again.
      extensions: { code: 'UPSTREAM_TIMEOUT', ...(words === perhaps && { retryable: false }) },
    });
  }
  await untilClosed();
  expect(gateway.callList()).toEqual(row.calls.toSorted());
});

it('one deadline holds for all calls of an operation, and none is made after it for a read that another has shared', async () => {
  const gate = createGate();
  const stack = await stackInTest({
    management: gate.answering,
    observability: gate.answering,
    config: { operationTimeoutMs: 2000 },
  });
  const chain = stack.query('{ organizations { services { name } } }');
  const first = stack.query('{ alert(alertId: "a1") { name dashboard { name } } }');
  await clock.still(() => gate.calls.length === 2);
  clock.advance(1000);
  const second = stack.query(reads.observability.document);
  await stack.query('{ __typename }');
  for (const { call, answer } of gate.calls) {
    if (call.upstream === 'management') answer(result([{ id: organizationId, name: 'o' }]));
  }
  // The second call of the chain has half of the time.
  await clock.still(() => gate.calls.length === 3);
  clock.advance(1000);
  const late = [{ extensions: { code: 'UPSTREAM_TIMEOUT' } }];
  for (const answer of [chain, first]) expect((await answer).body.errors).toMatchObject(late);
  for (const { answer } of gate.calls) answer(data({ id: 'a1', name: 'well', dashboard: 'd2' }));
  expect((await second).body).toEqual({ data: { alert: { name: 'well' } } });
  await stack.query('{ __typename }');
  expect(gate.calls).toHaveLength(3);
});

it.each([
  ['after a slow write, reads and further writes have time again', operationTimeoutMs + 1000],
  ['a mutation is over after 200 seconds, for which proxies wait, however late its write', 175_000],
])('%s', async (_, writeMs) => {
  const written = Promise.withResolvers<Reaction>();
  const isLast = writeMs === 175_000;
  const { query, callsOf } = await start({
    [pipesPath]: written.promise,
    '/api/v2/dashboards': well('observability'),
    ...(!isLast && { [`${servicesPath}/${serviceId}`]: well('management') }),
  });
  const answer = query(`mutation { ${createPipe('name service { name }')} ${createDashboard} }`);
  await clock.still(() => callsOf('management').length === 1);
  const beganAt = performance.now();
  clock.advance(writeMs);
  written.resolve(pipe);
  const { data: shown, errors } = await clock.until(answer);
  expect(shown.createPipe.pipe).toEqual({ name: 'n', service: isLast ? null : { name: 'well' } });
  if (!isLast) expect(shown.createDashboard.dashboard).toEqual({ name: 'well' });
  else {
    const late = { code: 'UPSTREAM_TIMEOUT', upstream: { operation: 'getService' } };
    expect(errors[0].extensions).toMatchObject(late);
    expect(performance.now() - beganAt).toBe(operationTimeoutMs + writeMs);
  }
});

it('a write may take longer than a connection may be idle', async () => {
  const later = pause(3000).then((): Reaction => pipe);
  // Sockets go by the real time.
  const { query } = await start({ [pipesPath]: later }, {}, { requestTimeoutMs: 1000 });
  expect(await query(`mutation { ${createPipe('name')} }`)).toEqual({
    data: { createPipe: { pipe: { name: 'n' } } },
  });
});
