import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it } from 'vitest';
import { type Arrived, drip, type Reaction, silence } from '../support/faults/backend.ts';
import { createGate } from '../support/faults/gate.ts';
import {
  type FaultGateway,
  ofService,
  organizationId,
  reads,
  startFaultGateway,
  status,
  well,
} from '../support/faults/stack.ts';
import {
  type AnswerError,
  credentials,
  data,
  result,
  type Stack,
  startStack,
} from '../support/harness.ts';

// Long enough for all that does answer, on a slow machine too.
const operationTimeoutMs = 1_000;

const serviceIds = [
  '5e4c0000-0000-4000-8000-000000000001',
  '5e4c0000-0000-4000-8000-000000000002',
] as const;
const services = `/v1/organizations/${organizationId}/services`;

let gateway: FaultGateway | undefined;
let stack: Stack | undefined;
afterEach(async () => {
  await gateway?.close();
  await stack?.close();
  gateway = undefined;
  stack = undefined;
});

type Replies = Readonly<Record<string, Reaction>>;

/** Answers by path; nothing else is answered at all. */
const answering =
  (replies: Replies) =>
  ({ path }: Arrived): Reaction =>
    replies[path] ?? silence;

const start = async (management: Replies, observability: Replies, config = {}) => {
  gateway = await startFaultGateway(
    { management: answering(management), observability: answering(observability) },
    { operationTimeoutMs, writeTimeoutMs: operationTimeoutMs, ...config },
  );
  return gateway;
};

const late = (path: readonly (string | number)[], upstream: string, retryable = true) => ({
  path,
  extensions: { code: 'UPSTREAM_TIMEOUT', retryable, upstream: { name: upstream } },
});

/** Resolves once no connection to the backend is open. */
const untilClosed = async ({ management, observability }: FaultGateway): Promise<void> => {
  while (management.connections.open + observability.connections.open > 0) await pause(5);
};

describe('at its deadline an operation is answered with the data that has arrived:', () => {
  it('the other upstream’s fields, and links below them', async () => {
    const { query } = await start(
      {},
      {
        '/api/v2/alerts/a1': data({ id: 'a1', name: 'lag', dashboard: 'd1' }),
        '/api/v2/dashboards/d1': data({ id: 'd1', name: 'overview' }),
      },
    );
    const { data: given, errors } = await query(
      `{ service(${ofService}) { name } alert(id: "a1") { name dashboard { name } } }`,
    );
    expect(given).toEqual({
      service: null,
      alert: { name: 'lag', dashboard: { name: 'overview' } },
    });
    expect(errors).toMatchObject([late(['service'], 'management')]);
  });

  it('of a list’s links those that came', async () => {
    const [first, second] = serviceIds;
    const { query } = await start(
      {
        [services]: result(serviceIds.map((id) => ({ id, name: id }))),
        [`${services}/${first}/pipes`]: result([{ id: 'p1', name: 'clicks' }]),
        [`${services}/${second}/pipes`]: drip,
      },
      {},
    );
    const { data: given, errors } = await query(
      `{ organization(id: "${organizationId}") { services { name pipes { name } } } }`,
    );
    expect(given.organization.services).toEqual([
      { name: first, pipes: [{ name: 'clicks' }] },
      { name: second, pipes: null },
    ]);
    expect(errors).toMatchObject([late(['organization', 'services', 1, 'pipes'], 'management')]);
  });

  it('every field that waits has its error, and nothing else does', async () => {
    const { query } = await start({}, { '/api/v2/dashboards': data([]) });
    const { data: given, errors } = await query(
      `{ service(${ofService}) { name } organizations { name } alerts { name } dashboards { name } }`,
    );
    expect(given).toEqual({ service: null, organizations: null, alerts: null, dashboards: [] });
    const paths = (errors as AnswerError[]).map(({ path, extensions }) => [
      path.join(),
      extensions.code,
    ]);
    expect(paths.toSorted()).toEqual(
      ['alerts', 'organizations', 'service'].map((path) => [path, 'UPSTREAM_TIMEOUT']),
    );
  });

  it('finished mutations are answered, the one under way may have been carried out, and later ones are not sent', async () => {
    const { query, observability } = await start(
      { [`/v1/organizations/${organizationId}`]: result({ id: organizationId, name: 'n' }) },
      {},
    );
    const { data: given, errors } = await query(`mutation {
      updateOrganization(input: {organizationId: "${organizationId}", name: "n"}) { organization { name } }
      createDashboard(input: {name: "d"}) { dashboard { name } }
      deleteDashboard(input: {dashboardId: "d1"}) { deletedDashboardId }
    }`);
    expect(given).toEqual({
      updateOrganization: { organization: { name: 'n' } },
      createDashboard: { dashboard: null },
      deleteDashboard: { deletedDashboardId: null },
    });
    expect(errors).toMatchObject([
      late(['createDashboard', 'dashboard'], 'observability', false),
      { path: ['deleteDashboard', 'deletedDashboardId'], extensions: { code: 'UPSTREAM_TIMEOUT' } },
    ]);
    expect(observability.calls).toEqual(['POST /api/v2/dashboards']);
  });

  it('of an update the write, when its read came too late, is not sent', async () => {
    const { query, observability } = await start({}, { '/api/v2/alerts/a1': drip });
    const { errors } = await query(
      'mutation { updateAlert(input: {alertId: "a1", threshold: 2}) { alert { name } } }',
    );
    expect(errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
    expect(observability.calls).toEqual(['GET /api/v2/alerts/a1']);
  });

  it('also for GET, and for application/graphql-response+json', async () => {
    const { url } = await start({}, { '/api/v2/alerts/a1': well('observability') });
    const document = `{ service(${ofService}) { name } alert(id: "a1") { name } }`;
    const answer = await fetch(`${url}?query=${encodeURIComponent(document)}`, {
      headers: { ...credentials, accept: 'application/graphql-response+json' },
    });
    expect(answer.status).toBe(200);
    expect(await answer.json()).toMatchObject({
      data: { service: null, alert: { name: 'well' } },
      errors: [late(['service'], 'management')],
    });
  });
});

describe('at the deadline of an operation,', () => {
  it('the connections of its calls are closed, and later calls use others', async () => {
    const started = await start({}, { '/api/v2/alerts/a1': drip }, { upstreamConnections: 8 });
    const { query } = started;
    await query(
      `{ service(${ofService}) { name } organizations { name } alert(id: "a1") { name } }`,
    );
    await untilClosed(started);
    const { errors } = await query(reads.management.document);
    expect(errors).toMatchObject([late(['service'], 'management')]);
    expect(started.management.calls).toHaveLength(3);
    await untilClosed(started);
  });

  it.each([['through one connection', { upstreamConnections: 1 }]])(
    'calls that wait for their turn, one %s, are never sent',
    async (_, config) => {
      const started = await start({}, {}, config);
      const { errors } = await started.query(
        `{ organizations { name } service(${ofService}) { name pipes { name } } }`,
      );
      expect(errors).toHaveLength(2);
      for (const { extensions } of errors) expect(extensions.code).toBe('UPSTREAM_TIMEOUT');
      await untilClosed(started);
      expect(started.management.calls).toEqual(['GET /v1/organizations']);
    },
  );

  it('a read that waits to be sent again is not', async () => {
    const started = await start({}, { '/api/v2/alerts/a1': status(429, { 'retry-after': '2' }) });
    const { data: given } = await started.query(reads.observability.document);
    expect(given).toEqual({ alert: null });
    expect(started.observability.calls).toHaveLength(1);
  });

  it('it makes no further call, though a read that it shared is answered later for another operation', async () => {
    const gate = createGate();
    const config = { operationTimeoutMs };
    stack = await startStack({ management: gate.answering, observability: gate.answering, config });
    const first = stack.query('{ alert(id: "a1") { name dashboard { name } } }');
    await gate.arrived(1);
    // So that the other's time is up later.
    await pause(operationTimeoutMs / 2);
    const second = stack.query(reads.observability.document);
    expect((await first).body.errors).toMatchObject([late(['alert'], 'observability')]);
    gate.calls[0]?.answer(data({ id: 'a1', name: 'well', dashboard: 'd1' }));
    expect((await second).body).toEqual({ data: { alert: { name: 'well' } } });
    await stack.query('{ __typename }');
    expect(stack.callList()).toEqual(['GET /api/v2/alerts/a1']);
  });
});

it('one deadline holds for all calls of an operation, and not for each', async () => {
  const gate = createGate();
  const config = { operationTimeoutMs };
  stack = await startStack({ management: gate.answering, observability: gate.answering, config });
  const ended: string[] = [];
  const note = (name: string) => () => void ended.push(name);
  const chain = stack.query('{ alert(id: "a1") { name dashboard { name } } }').then(note('chain'));
  const { answer } = await gate.arrived(1);
  await pause(operationTimeoutMs / 4);
  const single = stack.query(reads.management.document).then(note('single'));
  await gate.arrived(2);
  await pause(operationTimeoutMs / 4);
  // The chain's second call begins after the single one, and ends before it.
  answer(data({ id: 'a1', name: 'lag', dashboard: 'd1' }));
  await gate.arrived(3);
  await Promise.all([chain, single]);
  expect(ended).toEqual(['chain', 'single']);
});

it('an operation that is answered in time leaves no connection closed', async () => {
  const { query, observability } = await start({}, { '/api/v2/alerts/a1': well('observability') });
  for (let asked = 0; asked < 3; asked += 1) {
    expect((await query(reads.observability.document)).errors).toBeUndefined();
  }
  expect(observability.connections).toEqual({ open: 1, most: 1 });
});
