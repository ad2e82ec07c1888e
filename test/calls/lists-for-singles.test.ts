import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate } from '../support/faults/gate.ts';
import { type Call, json, paced, startStack, wide } from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds, withNames } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const backend = createBackend(
  worldOf({
    organizations: 3,
    services: 30,
    pipesPerService: 3,
    dashboards: 3,
    tilesPerDashboard: 1,
    alerts: 3,
  }),
);

/** One call in ten seconds, so that after one none is left. */
const one = { calls: 1, windowMs: 10_000 } as const;
const scarce: Partial<Config> = { managementRate: one, observabilityRate: one };
/** One call in so long that nothing of it is fresh when the next one may be sent. */
const rare = { calls: 1, windowMs: 30_000 } as const;
const scarcer: Partial<Config> = { managementRate: rare, observabilityRate: rare };
/** More than any test needs, within a window that no test waits for. */
const ample: Partial<Config> = {
  managementRate: { calls: 1000, windowMs: 10_000 },
  observabilityRate: { calls: 1000, windowMs: 10_000 },
};

const services = 'GET /v1/organizations/organization-1/services';

/** A thing of each kind by its identifier, another one, and their paths. */
const kinds = [
  {
    kind: 'organization',
    field: (number: number) => `organization(id: "organization-${number}") { name }`,
    all: 'organizations { name }',
    list: 'GET /v1/organizations',
    single: (number: number) => `GET /v1/organizations/organization-${number}`,
  },
  {
    kind: 'service',
    field: (number: number) =>
      `service(organizationId: "organization-1", serviceId: "service-${number}") { name }`,
    all: 'organization(id: "organization-1") { services { name } }',
    list: services,
    single: (number: number) => `${services}/service-${number}`,
  },
  {
    kind: 'pipe',
    field: (number: number) =>
      `pipe(organizationId: "organization-1", serviceId: "service-1", pipeId: "pipe-${number}") { name }`,
    all: 'service(organizationId: "organization-1", serviceId: "service-1") { pipes { name } }',
    list: `${services}/service-1/pipes`,
    single: (number: number) => `${services}/service-1/pipes/pipe-${number}`,
  },
  {
    kind: 'dashboard',
    field: (number: number) => `dashboard(id: "dashboard-${number}") { name }`,
    all: 'dashboards { name }',
    list: 'GET /api/v2/dashboards',
    single: (number: number) => `GET /api/v2/dashboards/dashboard-${number}`,
  },
  {
    kind: 'alert',
    field: (number: number) => `alert(id: "alert-${number}") { name }`,
    all: 'alerts { name }',
    list: 'GET /api/v2/alerts',
    single: (number: number) => `GET /api/v2/alerts/alert-${number}`,
  },
] as const;

/** A read of neither kind, which takes a call of each upstream. */
const other =
  '{ organization(id: "organization-2") { invitations { email } } alert(id: "none") { name } }';
const otherCalls = ['GET /api/v2/alerts/none', 'GET /v1/organizations/organization-2/invitations'];

const open = async (
  config: Partial<Config>,
  answering: (call: Call) => ReturnType<typeof backend.management> = (call) =>
    backend[call.upstream](call),
) => {
  const stack = await startStack({
    management: answering,
    observability: answering,
    config: { ...wide, ...paced, ...config },
  });
  onTestFinished(() => stack.close());
  return {
    stack,
    ask: async (selection: string, headers: Readonly<Record<string, string>> = {}) => {
      const document = withIds(selection.startsWith('{') ? selection : `{ ${selection} }`);
      const { body } = await stack.query(document, { headers });
      return body;
    },
    /** Every call so far, in the order of arrival. */
    calls: () => stack.calls.map(({ method, path }) => `${method} ${withNames(path)}`),
  };
};

const stranger = {
  'management-authorization': 'Basic b3RoZXI6b3RoZXI=',
  'observability-authorization': 'Bearer of-another',
} as const;

describe('thirty different services asked for at once, each with its pipes', () => {
  it('are one single read, one list, and thirty lists of pipes', async () => {
    const gate = createGate();
    const { ask, calls } = await open(ample, gate.answering);
    const thirty = numbers(30);
    const answers = thirty.map((number) =>
      ask(
        `service(organizationId: "organization-1", serviceId: "service-${number}") { name pipes { name } }`,
      ),
    );
    await gate.arrived(32);
    for (const { call, answer } of gate.calls) answer(await backend.management(call));
    for (const [index, body] of (await Promise.all(answers)).entries()) {
      const number = index + 1;
      expect(body).toEqual({
        data: {
          service: {
            name: `Service ${number}`,
            pipes: [2, 1, 0].map((before) => ({ name: `Pipe ${3 * number - before}` })),
          },
        },
      });
    }
    const singles = thirty.map((number) => `${services}/service-${number}`);
    expect(calls().filter((call) => singles.includes(call))).toHaveLength(1);
    expect(
      calls()
        .filter((call) => !singles.includes(call))
        .sort(),
    ).toEqual([services, ...singles.map((single) => `${single}/pipes`)].sort());
  });
});

describe.each(kinds)('of a $kind, while another is being read singly,', (row) => {
  const { field, list, single } = row;
  const upstream = list.startsWith('GET /v1/') ? 'management' : 'observability';
  /** Every call of the upstream in question waits for its answer; the other one answers at once. */
  const openHeld = async () => {
    const gate = createGate();
    const { stack } = await open(ample, (call) =>
      call.upstream === upstream ? gate.answering(call) : backend[call.upstream](call),
    );
    return {
      gate,
      ask: (selection: string, headers: Readonly<Record<string, string>> = {}) =>
        begin(stack, upstream, withIds(selection), headers),
      calls: () => gate.calls.map(({ call }) => `${call.method} ${withNames(call.path)}`),
    };
  };

  it('the list is read, and answers the ones after it too', async () => {
    const { gate, ask, calls } = await openHeld();
    const answers = [await ask(field(1)), await ask(field(2))];
    answers.push(await ask(field(3)), await ask(field(2)), await ask(field(1)));
    await gate.arrived(2);
    for (const { call, answer } of gate.calls) answer(await backend[call.upstream](call));
    for (const { answer } of answers) expect((await answer).body.errors).toBeUndefined();
    expect(calls()).toEqual([single(1), list]);
  });

  it('the same one joins that read', async () => {
    const { gate, ask, calls } = await openHeld();
    const answers = [await ask(field(1)), await ask(field(1))];
    const held = await gate.arrived(1);
    held.answer(await backend[upstream](held.call));
    for (const { answer } of answers) expect((await answer).body.errors).toBeUndefined();
    expect(calls()).toEqual([single(1)]);
  });

  it('another credential reads its own singly', async () => {
    const { gate, ask, calls } = await openHeld();
    const answers = [await ask(field(1)), await ask(field(2), stranger)];
    await gate.arrived(2);
    for (const { call, answer } of gate.calls) answer(await backend[call.upstream](call));
    for (const { answer } of answers) expect((await answer).body.errors).toBeUndefined();
    expect(calls()).toEqual([single(1), single(2)]);
  });

  it('another is read singly once that read has ended', async () => {
    const { ask, calls } = await open(ample);
    await ask(field(1));
    await ask(field(2));
    expect(calls()).toEqual([single(1), single(2)]);
  });
});

describe.each(kinds)('of a $kind, of which memory has', (row) => {
  const { field, all, list, single } = row;
  const opened = async (config: Partial<Config>) => ({
    clock: stopTime(),
    ...(await open(config)),
  });

  it.each([
    ['many', ample],
    ['none', scarce],
  ])('the list, it answers without a call (%s left)', async (_, config) => {
    const { clock, ask, calls } = await opened(config);
    await ask(all);
    clock.advance(2000);
    expect((await ask(field(2))).errors).toBeUndefined();
    expect((await ask(`${field(1)} other: ${field(2)}`)).errors).toBeUndefined();
    expect(calls()).toEqual([list]);
  });

  it.each([
    ['many', ample],
    ['none', scarce],
  ])('a single read, it answers without a call (%s left)', async (_, config) => {
    const { clock, ask, calls } = await opened(config);
    await ask(field(1));
    clock.advance(2000);
    expect((await ask(field(1))).errors).toBeUndefined();
    expect(calls()).toEqual([single(1)]);
  });

  it('single reads, they answer without a call though several are asked for', async () => {
    const { clock, ask, calls } = await opened(ample);
    await ask(field(1));
    await ask(field(2));
    clock.advance(2000);
    expect((await ask(`${field(1)} other: ${field(2)}`)).errors).toBeUndefined();
    expect(calls()).toEqual([single(1), single(2)]);
  });

  it('the list and a newer single read, that one answers', async () => {
    const { clock, ask, calls } = await opened(ample);
    await ask(all);
    clock.advance(1000);
    await ask(field(1), { 'cache-control': 'no-cache' });
    const { extensions } = await ask(field(1), { 'sluice-explain': '1' });
    expect(extensions.upstream).toMatchObject([{ cache: 'fresh', ageSeconds: 0, round: 1 }]);
    expect(calls()).toEqual([list, single(1)]);
  });

  it('single reads of some, the list answers for the others', async () => {
    const { clock, ask, calls } = await opened(ample);
    await ask(field(1));
    clock.advance(2000);
    expect((await ask(`${field(1)} other: ${field(2)}`)).errors).toBeUndefined();
    expect(calls()).toEqual([single(1), list]);
  });
});

describe.each(kinds)('of a $kind, where no call is left,', (row) => {
  const { field, all, list, single } = row;
  const openScarce = async (...[config, answering]: Parameters<typeof open>) => {
    const clock = stopTime();
    const opened = await open(config, answering);
    await opened.ask(other);
    opened.stack.calls.length = 0;
    return { clock, ...opened };
  };

  it('the list is read once one is left again', async () => {
    const { clock, ask, calls } = await openScarce(scarce);
    expect((await clock.until(ask(field(1)))).errors).toBeUndefined();
    expect(calls()).toEqual([list]);
  });

  it('the list is read for all who wait', async () => {
    const { clock, ask, calls } = await openScarce(scarce);
    const all = [ask(field(1)), ask(field(2)), ask(field(1))];
    for (const body of await clock.until(Promise.all(all))) expect(body.errors).toBeUndefined();
    expect(calls()).toEqual([list]);
  });

  it('one that is kept and not fresh any more is shown, and the list not waited for', async () => {
    const clock = stopTime();
    const { ask, calls } = await open(scarcer);
    await ask(field(1));
    clock.advance(11_000);
    const { data, errors, extensions } = await ask(field(1));
    expect({ errors, extensions }).toEqual({ errors: undefined, extensions: { staleSeconds: 11 } });
    expect(Object.values(data)).toMatchObject([{ name: expect.stringMatching(/ 1$/) }]);
    expect(calls()).toEqual([single(1)]);
  });

  it('a list that is not fresh any more is shown rather than a single read waited for', async () => {
    const clock = stopTime();
    const { ask, calls } = await open(scarcer);
    await ask(all);
    clock.advance(11_000);
    const { errors, extensions } = await ask(field(2));
    expect({ errors, extensions }).toEqual({ errors: undefined, extensions: { staleSeconds: 11 } });
    expect(calls()).toEqual([list]);
  });

  it('and the list lacks it, it is read singly', async () => {
    const answering = (call: Call) =>
      `${call.method} ${withNames(call.path)}` === list
        ? json({ status: 200, result: [], data: [] })
        : backend[call.upstream](call);
    const { clock, ask, calls } = await openScarce(
      { ...scarce, operationTimeoutMs: 60_000 },
      answering,
    );
    const body = await clock.until(ask(field(1)));
    expect(body.errors).toBeUndefined();
    expect(calls()).toEqual([list, single(1)]);
  });
});

it('takes other calls than these to leave none', async () => {
  const { ask, calls } = await open(scarce);
  await ask(other);
  expect(calls().sort()).toEqual(otherCalls);
});

it('a list that is read for one thing says nothing of that one in the records of others', async () => {
  const backend = createBackend({
    organizations: [],
    dashboards: [{ id: 'd4', tiles: [{ id: 't2' }] }],
    alerts: [
      { id: 'a1', dashboard: 'd1' },
      { id: 'a2', dashboard: 'd4' },
    ],
  });
  const stack = await startStack({ config: wide, ...backend });
  onTestFinished(() => stack.close());
  const { body } = await stack.query('{ alerts { dashboard { tiles { dashboard { id } } } } }');
  expect(body.data.alerts).toEqual([
    { dashboard: null },
    { dashboard: { tiles: [{ dashboard: { id: 'd4' } }] } },
  ]);
});
