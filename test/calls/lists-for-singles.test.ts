import { setTimeout as pause } from 'node:timers/promises';
import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createYield, Turns } from '../../src/yield.ts';
import { createGate, type Gate } from '../support/faults/gate.ts';
import { type Answering, json, paced, stackInTest, wide } from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { stopTime } from '../support/pacing/time.ts';
import { createBackend } from '../support/world/backend.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const sizes = { services: 30, pipesPerService: 3, dashboards: 3, alerts: 3 };
const backend = createBackend(worldOf({ organizations: 3, ...sizes }));
const answering: Answering = (call) => backend[call.upstream](call);

const rate = (calls: number, windowMs = 10_000): Partial<Config> => ({
  managementRate: { calls, windowMs },
  observabilityRate: { calls, windowMs },
});
const ample = rate(1000);
/** After one call none is left. */
const scarce: Partial<Config> = { ...rate(1), operationTimeoutMs: 60_000 };
/** Nothing is fresh any more when the next call may be sent. */
const rare = rate(1, 30_000);

/** A thing of each kind by its number, and the reads that answer it. */
const kinds = [
  ['organization', 'organizations { name }', 'organizations', 'organizationId: "organization-#"'],
  [
    'service',
    'organization(organizationId: "organization-1") { services { name } }',
    'services',
    '@service-#',
  ],
  [
    ...['pipe', 'service(@service-1) { pipes { name } }', 'services/service-1/pipes'],
    '@service-1, pipeId: "pipe-#"',
  ],
  ['dashboard', 'dashboards { name }', 'dashboards', 'dashboardId: "dashboard-#"'],
  ['alert', 'alerts { name }', 'alerts', 'alertId: "alert-#"'],
].map(([kind = '', all = '', list = '', args = '']) => ({
  ...{ kind, all, list },
  upstream: /dashboard|alert/.test(kind) ? ('observability' as const) : ('management' as const),
  field: (number: number) => `a${number}: ${kind}(${args.replace('#', String(number))}) { name }`,
  single: (number: number) => `${list}/${kind}-${number}`,
}));

const open = async (config: Partial<Config>, answer: Answering = answering) => {
  const both = { management: answer, observability: answer };
  const stack = await stackInTest({ ...both, config: { ...wide, ...paced, ...config } });
  return {
    stack,
    ask: async (selection: string, headers: Readonly<Record<string, string>> = {}) =>
      (await stack.query(withIds(`{ ${selection} }`), { headers })).body,
    /** Every call so far, in the order of arrival. */
    calls: () => stack.calls.map(shortCall),
  };
};

const answerAll = async ({ calls }: Gate): Promise<void> => {
  for (const { call, answer } of calls) answer(await answering(call));
};

/** Lets requests go on only after others have come, in turns as on a busy machine. */
const giveWayTogether = (): void => {
  const untilTurn = createYield();
  const spy = vi.spyOn(Turns.prototype, 'giveWay').mockImplementation(async () => {
    await pause(100);
    await untilTurn();
  });
  onTestFinished(() => spy.mockRestore());
};

it.each([
  ['', () => undefined],
  [', also on a busy machine', giveWayTogether],
])(
  'thirty services asked for at once, each with its pipes, are one single read, one list, and thirty lists of pipes%s',
  async (_, prepare) => {
    prepare();
    const gate = createGate();
    const { ask, calls } = await open(ample, gate.answering);
    const answers = numbers(30).map((each) =>
      ask(`service(@service-${each}) { name pipes { name } }`),
    );
    await gate.arrived(32);
    await answerAll(gate);
    for (const [index, body] of (await Promise.all(answers)).entries()) {
      const pipes = [2, 1, 0].map((before) => ({ name: `Pipe ${3 * (index + 1) - before}` }));
      expect(body).toEqual({ data: { service: { name: `Service ${index + 1}`, pipes } } });
    }
    const isSingle = (call: string) => /^services\/service-\d+$/.test(call);
    expect(calls().filter(isSingle)).toHaveLength(1);
    const others = calls().filter((call) => !isSingle(call));
    const pipes = numbers(30).map((each) => `services/service-${each}/pipes`);
    expect(others.sort()).toEqual(['services', ...pipes].sort());
  },
);

it('a list in memory does not say that what an alert names since is gone', async () => {
  const clock = stopTime();
  const { ask, calls } = await open(ample, (call) => {
    const named = [
      { id: 'a1', dashboard: 'new' },
      { id: 'a2', dashboard: 'gone' },
    ];
    const short = shortCall(call);
    if (short === 'alerts') return json({ data: named });
    return short === 'dashboards/new' ? json({ data: { name: 'New' } }) : answering(call);
  });
  await ask('dashboards { name }');
  clock.advance(2000);
  const { data } = await ask('alerts { dashboard { name } }');
  expect(data.alerts).toEqual([{ dashboard: { name: 'New' } }, { dashboard: null }]);
  expect(calls().sort()).toEqual(['alerts', 'dashboards', 'dashboards/gone', 'dashboards/new']);
});

describe.each(kinds)('of a $kind,', ({ field, all, list, single, upstream }) => {
  const stranger = {
    'management-authorization': 'Basic b3RoZXI6b3RoZXI=',
    'observability-authorization': 'Bearer of-another',
  };

  it.each<[string, readonly (readonly [number, object?])[], readonly string[]]>([
    [
      'another one has the list read, which answers those after it too',
      [[1], [2], [3], [2], [1]],
      [single(1), list],
    ],
    ['the same one joins that read', [[1], [1]], [single(1)]],
    ['another credential reads its own singly', [[1], [2, stranger]], [single(1), single(2)]],
  ])('while one is being read singly, %s', async (_, asked, expected) => {
    const gate = createGate();
    const { stack } = await open(ample, (call) =>
      call.upstream === upstream ? gate.answering(call) : answering(call),
    );
    const begun = [];
    for (const [number, headers = {}] of asked) {
      begun.push(await begin(stack, upstream, withIds(field(number)), { ...headers }));
    }
    await gate.arrived(expected.length);
    await answerAll(gate);
    for (const { answer } of begun) expect((await answer).body.errors).toBeUndefined();
    expect(gate.calls.map(({ call }) => shortCall(call))).toEqual(expected);
  });

  const [one, two] = [field(1), field(2)];
  const both = `${one} ${two}`;
  /** Takes a call of each upstream. */
  const other =
    'organization(organizationId: "organization-2") { invitations { email } } alert(alertId: "none") { name }';
  /** A document, several at once, or seconds that pass; and the calls that these cause. */
  type Row = [string, Partial<Config>, (string | readonly string[] | number)[], string[]];
  it.each<Row>([
    ['another is read singly once the first was', ample, [one, two], [single(1), single(2)]],
    ['a list in memory answers', ample, [all, 2, two, both], [list]],
    ['a list in memory answers, where no call is left', scarce, [all, 2, two, both], [list]],
    ['a single read in memory answers, where no call is left', scarce, [one, 2, one], [single(1)]],
    ['single reads in memory answer several', ample, [one, two, 2, both], [single(1), single(2)]],
    ['the list answers for those that memory lacks', ample, [one, 2, both], [single(1), list]],
    ['an old single read is shown, where no call is left', rare, [one, 11, one], [single(1)]],
    ['an old list is shown, where no call is left', rare, [all, 11, one], [list]],
    ['the list is read for all who wait', scarce, [other, [one, two, one]], [list]],
  ])('%s', async (_, config, steps, expected) => {
    expect(await callsOf(config, steps)).toEqual(expected);
  });

  it('what the list lacks is read singly after it, once a call is left again', async () => {
    const empty = json({ status: 200, result: [], data: [] });
    const lacking: Answering = (call) => (shortCall(call) === list ? empty : answering(call));
    expect(await callsOf(scarce, [other, [one, one]], lacking)).toEqual([list, single(1)]);
  });

  /** The calls of these steps, but for those of `other`. */
  const callsOf = async (config: Partial<Config>, steps: Row[2], answer = answering) => {
    const clock = stopTime();
    const { ask, calls, stack } = await open(config, answer);
    for (const step of steps) {
      if (typeof step === 'number') clock.advance(step * 1000);
      else if (step === other) {
        await ask(other);
        expect(stack.calls.splice(0)).toHaveLength(2);
      } else {
        const answers = Promise.all([step].flat().map((each) => ask(each)));
        for (const { errors } of await clock.until(answers)) expect(errors).toBeUndefined();
      }
    }
    return calls();
  };

  it('the newer of a list and a single read in memory answers', async () => {
    const clock = stopTime();
    const { ask, calls } = await open({ ...ample, explain: true });
    await ask(all);
    clock.advance(1000);
    await ask(field(1), { 'cache-control': 'no-cache' });
    const { extensions } = await ask(field(1), { 'sluice-explain': '1' });
    expect(extensions.upstream).toMatchObject([{ cache: 'fresh', ageSeconds: 0, round: 1 }]);
    expect(calls()).toEqual([list, single(1)]);
  });
});
