import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate, type Gate } from '../support/faults/gate.ts';
import { type Answering, json, paced, startStack, wide } from '../support/harness.ts';
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
const scarce = rate(1);
/** Nothing is fresh any more when the next call may be sent. */
const rare = rate(1, 30_000);

/** A thing of each kind by its number, and the reads that answer it. */
const kinds = [
  {
    kind: 'organization',
    all: 'organizations { name }',
    list: 'organizations',
    args: 'id: "organization-#"',
  },
  {
    kind: 'service',
    all: 'organization(id: "organization-1") { services { name } }',
    list: 'services',
    args: '@service-#',
  },
  {
    kind: 'pipe',
    all: 'service(@service-1) { pipes { name } }',
    list: 'services/service-1/pipes',
    args: '@service-1, pipeId: "pipe-#"',
  },
  { kind: 'dashboard', all: 'dashboards { name }', list: 'dashboards', args: 'id: "dashboard-#"' },
  { kind: 'alert', all: 'alerts { name }', list: 'alerts', args: 'id: "alert-#"' },
].map(({ kind, args, ...row }) => ({
  ...{ kind, ...row },
  upstream: /dashboard|alert/.test(kind) ? ('observability' as const) : ('management' as const),
  field: (number: number) => `a${number}: ${kind}(${args.replace('#', String(number))}) { name }`,
  single: (number: number) => `${row.list}/${kind}-${number}`,
}));

const open = async (config: Partial<Config>, answer: Answering = answering) => {
  const both = { management: answer, observability: answer };
  const stack = await startStack({ ...both, config: { ...wide, ...paced, ...config } });
  onTestFinished(() => stack.close());
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

it('thirty services asked for at once, each with its pipes, are one single read, one list, and thirty lists of pipes', async () => {
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
  const others = ['services', ...numbers(30).map((each) => `services/service-${each}/pipes`)];
  expect(
    calls()
      .filter((call) => !isSingle(call))
      .sort(),
  ).toEqual(others.sort());
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

  it.each<[string, Partial<Config>, readonly (string | number)[], readonly string[]]>([
    [
      'another is read singly once the first has been',
      ample,
      [field(1), field(2)],
      [single(1), single(2)],
    ],
    ['a list in memory answers', ample, [all, 2000, field(2), `${field(1)} ${field(2)}`], [list]],
    [
      'a list in memory answers, where no call is left',
      scarce,
      [all, 2000, field(2), `${field(1)} ${field(2)}`],
      [list],
    ],
    ['a single read in memory answers', ample, [field(1), 2000, field(1)], [single(1)]],
    [
      'a single read in memory answers, where no call is left',
      scarce,
      [field(1), 2000, field(1)],
      [single(1)],
    ],
    [
      'single reads in memory answer several',
      ample,
      [field(1), field(2), 2000, `${field(1)} ${field(2)}`],
      [single(1), single(2)],
    ],
    [
      'the list answers for those that memory lacks',
      ample,
      [field(1), 2000, `${field(1)} ${field(2)}`],
      [single(1), list],
    ],
  ])('%s', async (_, config, steps, expected) => {
    const clock = stopTime();
    const { ask, calls } = await open(config);
    for (const step of steps) {
      if (typeof step === 'number') clock.advance(step);
      else expect((await ask(step)).errors).toBeUndefined();
    }
    expect(calls()).toEqual(expected);
  });

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

  it.each([
    ['one', () => field(1), single(1)],
    ['list', () => all, list],
  ])(
    'where no call is left, a %s that is not fresh any more is shown, and nothing waited for',
    async (_, first, call) => {
      const clock = stopTime();
      const { ask, calls } = await open(rare);
      await ask(first());
      clock.advance(11_000);
      const { data, errors, extensions } = await ask(field(1));
      expect({ errors, extensions }).toEqual({
        errors: undefined,
        extensions: { staleSeconds: 11 },
      });
      expect(data.a1.name).toMatch(/ 1$/);
      expect(calls()).toEqual([call]);
    },
  );

  /** Takes a call of each upstream. */
  const other =
    'organization(id: "organization-2") { invitations { email } } alert(id: "none") { name }';
  it.each<[string, readonly number[], readonly string[], Answering?]>([
    ['the list is read once one is left again, for all who wait', [1, 2, 1], [list]],
    [
      'what the list lacks is read singly after it',
      [1],
      [list, single(1)],
      (call) =>
        shortCall(call) === list ? json({ status: 200, result: [], data: [] }) : answering(call),
    ],
  ])('where no call is left, %s', async (_, asked, expected, answer) => {
    const clock = stopTime();
    const { ask, calls, stack } = await open({ ...scarce, operationTimeoutMs: 60_000 }, answer);
    await ask(other);
    expect(stack.calls.splice(0)).toHaveLength(2);
    const bodies = await clock.until(Promise.all(asked.map((number) => ask(field(number)))));
    for (const body of bodies) expect(body.errors).toBeUndefined();
    expect(calls()).toEqual(expected);
  });
});
