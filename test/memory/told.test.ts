import { beforeEach, describe, expect, it } from 'vitest';
import type { Config } from '../../src/config.ts';
import { createGate } from '../support/faults/gate.ts';
import {
  type Answering,
  credentials,
  type GraphQLAnswer,
  json,
  paced,
  type Stack,
  stackInTest,
} from '../support/harness.ts';
import { begin } from '../support/pacing/requests.ts';
import { type Clock, stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { worldOf } from '../support/world/worlds.ts';

const { management, observability } = createBackend(
  worldOf({ services: 1, dashboards: 1, alerts: 2 }),
);

let clock: Clock;
beforeEach(() => {
  clock = stopTime();
});

const fields: Readonly<Record<string, string>> = {
  nothing: '__typename',
  alert: 'alert(alertId: "alert-1") { name }',
  alerts: 'alerts { name }',
  again: 'again: alerts { state }',
  gone: 'gone: alert(alertId: "a 1") { name }',
  dashboards: 'dashboards { name }',
  organization: 'organization(organizationId: "organization-1") { name }',
  pipes: 'service(organizationId: "organization-1", serviceId: "service-1") { pipes { name } }',
};
const writes: Readonly<Record<string, string>> = {
  create: 'createDashboard(input: { name: "n" }) { dashboard { name } }',
  'create and look': 'createDashboard(input: { name: "n" }) { dashboard { alerts { name } } }',
};
const documentOf = (names: string): string =>
  withIds(
    writes[names]
      ? `mutation { ${writes[names]} }`
      : `{ ${names
          .split(' ')
          .map((name) => fields[name] ?? name)
          .join(' ')} }`,
  );
const explained = { 'sluice-explain': '1' } as const;

interface Explained {
  readonly operation: string;
  readonly status: number;
  readonly shared: boolean;
  readonly waitedMilliseconds: number;
  readonly cache: string;
  readonly ageSeconds: number | null;
}

const wordsOf = ({ operation, status, shared, ...call }: Explained): string =>
  [
    ...[operation, status !== 200 && status, call.cache],
    call.ageSeconds !== null && `${call.ageSeconds} s`,
    shared && 'shared',
    call.waitedMilliseconds > 0 && `waited ${call.waitedMilliseconds / 1000} s`,
  ]
    .filter(Boolean)
    .join(' ');

/** All that an answer tells: its age, how old what is no longer fresh is, each call, what is left of each upstream, and errors. */
const reportOf = ({ headers, body }: GraphQLAnswer): string => {
  const { upstream = [], budget, progress, staleSeconds } = body.extensions ?? {};
  const codes = (body.errors ?? []).map(({ extensions }: { extensions: { code: string } }) =>
    extensions.code.toLowerCase(),
  );
  return [
    headers.has('age') && `age ${headers.get('age')}`,
    staleSeconds !== undefined && `stale ${staleSeconds}`,
    ...upstream.map(wordsOf).sort(),
    budget && `left ${budget.management} ${budget.observability}`,
    progress && `${progress.ready} of ${progress.wanted} in ${progress.completeInSeconds} s`,
    ...codes,
  ]
    .filter(Boolean)
    .join(', ');
};

/** One call a window for each upstream: whatever is read once cannot be read again so soon. */
const narrow: Partial<Config> = {
  managementRate: { calls: 1, windowMs: 20_000 },
  observabilityRate: { calls: 1, windowMs: 20_000 },
};
const slow: Partial<Config> = {
  ...{ observabilityRate: { calls: 1, windowMs: 100_000 }, maxStaleMs: 60_000 },
};

const five: Partial<Config> = { observabilityRate: { calls: 5, windowMs: 100_000 } };
const usedUp = ['alerts', 'create', 'create', 'create', 'create'];

/** Names of what is asked for, perhaps with a Cache-Control. */
type Asking = string | readonly [names: string, control: string];
/** What is asked for, and seconds that pass in between; what is told of the last. */
type Row = readonly [steps: readonly (Asking | number)[], told: string, config?: Partial<Config>];

const rows: readonly Row[] = [
  [['nothing'], 'left 10 100'],
  [['alerts'], 'listAlerts miss, left 10 99'],
  [['alerts', 0.999, 'alerts'], 'age 0, listAlerts fresh 0 s, left 10 99'],
  [['alerts', 'alerts again'], 'age 0, listAlerts fresh 0 s shared, left 10 99'],
  [['alerts', 2, 'alerts'], 'listAlerts miss, left 10 98', { readCacheBytes: 0 }],
  // The oldest part counts, beside what was read anew, and beside errors.
  [
    ['organization', 1, 'alerts', 1, 'pipes', 1, 'organization alerts pipes'],
    'age 3, getOrganization fresh 3 s, listAlerts fresh 2 s, listPipes fresh 1 s, left 8 99',
  ],
  [
    ['alerts', 2, 'alerts organization gone'],
    'age 2, getOrganization miss, listAlerts fresh 2 s, left 9 99, bad_user_input',
  ],
  [
    ['alerts', 2, 'create and look'],
    'age 2, createDashboard miss, listAlerts fresh 2 s, left 10 98',
  ],
  // What is older than the request wants is read anew, and kept.
  [['alerts', 2, ['alerts', 'no-cache'], 'alerts'], 'age 0, listAlerts fresh 0 s, left 10 98'],
  [
    ['alerts', 2, ['create and look', 'no-cache']],
    'createDashboard miss, listAlerts miss, left 10 97',
  ],
  [
    ['alerts', 5, ['alerts', 'max-age=5']],
    'age 5, stale 5, listAlerts stale 5 s, left 1 0',
    narrow,
  ],
  [
    ['alerts', 5, ['alerts', 'max-age=4']],
    'left 1 0, 0 of 1 in 15 s, rate_limited',
    { ...narrow, pacingWaitMs: 1000 },
  ],
  // What could not be read anew.
  [
    ['organization', 2, 'alerts', 4, 'organization alerts'],
    'age 6, stale 4, getOrganization fresh 6 s, listAlerts stale 4 s, left 0 0',
    narrow,
  ],
  [
    ['alerts', 4, 'alerts dashboards'],
    'age 4, stale 4, listAlerts stale 4 s, left 1 0, 1 of 2 in 16 s, rate_limited',
    { ...narrow, pacingWaitMs: 1000 },
  ],
  [['alerts', 60, 'alerts'], 'age 60, stale 60, listAlerts stale 60 s, left 10 0', slow],
  [['alerts', 60.001, 'alerts'], 'left 10 0, 0 of 1 in 40 s, rate_limited', slow],
  // A minute after it was fresh.
  [[...usedUp, 63, 'alerts'], 'age 63, stale 63, listAlerts stale 63 s, left 10 0', five],
  [[...usedUp, 63.001, 'alerts'], 'left 10 0, 0 of 1 in 37 s, rate_limited', five],
  // What is left: more again once a window is over.
  [['organization', 'alerts', 9, 'dashboards', 1, 'nothing'], 'left 10 98'],
  [['nothing'], 'left 10 null', { observabilityRate: undefined }],
];

const start = (config: Partial<Config> = {}, answering: Answering = observability) =>
  stackInTest({ management, observability: answering, config: { ...paced, ...config } });
const ask = (stack: Stack, asking: Asking, headers = {}) => {
  const [names, control = ''] = typeof asking === 'string' ? [asking] : asking;
  return stack.query(documentOf(names), {
    headers: { ...explained, 'cache-control': control, ...headers },
  });
};

describe('an answer tells where it is from, and so does its line in the log', () => {
  for (const [steps, told, config] of rows) {
    it(`${steps.join(', ')}: ${told}`, async () => {
      const stack = await start(config);
      let last: GraphQLAnswer | undefined;
      for (const step of steps) {
        if (typeof step === 'number') clock.advance(step * 1000);
        else last = await ask(stack, step);
      }
      if (!last) throw new Error('nothing was asked');
      expect(reportOf(last)).toBe(told);
      // No browser and no proxy is to keep it.
      expect(last.headers.get('cache-control')).toBe('no-store');
      const { upstream, budget } = last.body.extensions;
      const count = (cache: string) =>
        upstream.filter((call: Explained) => call.cache === cache).length;
      expect(stack.lines('operation').at(-1)).toMatchObject({
        ...{ upstreamCalls: count('miss'), callsLeft: budget, waitedMilliseconds: 0 },
        kept: { fresh: count('fresh'), stale: count('stale') },
      });
    });
  }

  it.each<[string, Readonly<Record<string, string>>, string]>([
    ['of the wrong scheme', { 'management-authorization': 'Bearer wrong' }, 'left null 99'],
    ['of another', { 'observability-authorization': 'Bearer other' }, 'left 10 99'],
    ['that is absent', { 'observability-authorization': '' }, 'left 10 null, unauthenticated'],
  ])('with a credential %s', async (_, headers, told) => {
    const stack = await start();
    await ask(stack, 'alerts');
    expect(reportOf(await ask(stack, 'alerts', headers))).toContain(told);
  });

  it('where nobody may ask for explanations, the line alone', async () => {
    const stack = await start({ explain: false });
    await ask(stack, 'alerts');
    const { body } = await ask(stack, 'alerts');
    expect(body.extensions).toBeUndefined();
    expect(stack.lines('operation').at(-1)).toMatchObject({
      ...{ upstreamCalls: 0, kept: { fresh: 1, stale: 0 }, waitedMilliseconds: 0 },
      callsLeft: { management: 10, observability: 99 },
    });
  });

  it('of a subscription, what all of its events come to', async () => {
    const stack = await start();
    await ask(stack, 'alerts');
    const stream = await subscribe(stack.url, 'subscription { alerts { name state } }');
    await stream.event(1);
    stream.leave();
    await clock.still(() => stack.lines('subscription').length === 1);
    expect(stack.lines('subscription')[0]).toMatchObject({
      ...{ events: 1, upstreamCalls: 0, kept: { fresh: 1, stale: 0 }, waitedMilliseconds: 0 },
      callsLeft: { management: 10, observability: 99 },
    });
  });
});

const anew = [
  ...['no-cache', 'NO-CACHE', 'max-age=60 , no-cache ,', 'no-cache=x', 'no-store', 'max-age=0'],
  ...['Max-Age=1', 'max-age="1"', 'max-age=60, max-age=1', 'max-age=1, max-age=60'],
  ...['max-age=abc', 'max-age', 'max-age=-1', 'max-age=60.5'],
];
const fromMemory = [
  ...['', 'max-age=2', 'max-age="60"', 'max-age=99999999999999999999', 'max-stale=60'],
  ...['not-no-cache', 'max-age2=1'],
];

it.each([...anew.map((each) => [each, null]), ...fromMemory.map((each) => [each, '2'])])(
  'two seconds after a read, with Cache-Control %j the Age is %j',
  async (control, age) => {
    const stack = await start();
    await ask(stack, 'alerts');
    clock.advance(2000);
    const { headers } = await ask(stack, 'alerts', { 'cache-control': control });
    expect([headers.get('age'), stack.calls.length]).toEqual([age, age ? 1 : 2]);
  },
);

it('a GET has an Age and takes a Cache-Control too, and a conditional one has a whole answer', async () => {
  const stack = await start();
  await ask(stack, 'alerts');
  const get = (headers: Readonly<Record<string, string>>) =>
    fetch(`${stack.url}?query=${encodeURIComponent(documentOf('alerts'))}`, {
      headers: { ...credentials, ...headers },
    });
  for (const [name, value, age] of [
    ['accept', 'application/graphql-response+json', '0'],
    ['cache-control', 'no-cache', null],
    // With these, fetch says no-cache too.
    ['if-none-match', '*', null],
    ['if-modified-since', new Date(Date.now() + 60_000).toUTCString(), null],
  ] as const) {
    clock.advance(1);
    const { status, headers } = await get({ [name]: value });
    expect([value, status, headers.get('age')]).toEqual([value, 200, age]);
    for (const each of ['etag', 'last-modified', 'expires']) expect(headers.has(each)).toBe(false);
  }
  // Nor has what is no operation an age.
  for (const document of ['{', '{ nothing }']) {
    expect((await stack.query(document)).headers.has('age')).toBe(false);
  }
});

it('what the upstream says is left counts where it is less, and no longer than it says', async () => {
  const headers = { 'ratelimit-remaining': '7', 'ratelimit-reset': '30' };
  const stack = await start({}, async (call) => ({ ...(await observability(call)), headers }));
  await ask(stack, 'alerts');
  expect(reportOf(await ask(stack, 'nothing'))).toBe('left 10 7');
  clock.advance(30_000);
  expect(reportOf(await ask(stack, 'nothing'))).toBe('left 10 99');
});

it('a read that is joined has no age, and counts from its answer afterwards', async () => {
  const gate = createGate();
  const stack = await start({}, gate.answering);
  const both = [
    await begin(stack, 'observability', 'alerts { name }', explained),
    await begin(stack, 'observability', 'alerts { name }', explained),
  ];
  const held = await gate.arrived(1);
  clock.advance(5000);
  held.answer(await observability(held.call));
  const told = (await Promise.all(both.map(({ answer }) => answer))).map(reportOf);
  expect(told).toEqual([
    'listAlerts miss, listOrganizations miss, left 9 99',
    'listAlerts shared shared, listOrganizations miss, left 9 99',
  ]);
  clock.advance(1000);
  expect(reportOf(await ask(stack, 'alerts'))).toBe('age 1, listAlerts fresh 1 s, left 10 99');
  expect(gate.calls).toHaveLength(1);
});

it('a read that has waited for its turn says how long, for each who waited', async () => {
  const stack = await start(narrow);
  await ask(stack, 'alert');
  const first = await begin(stack, 'observability', 'alerts { name }', explained);
  clock.advance(4000);
  const second = await begin(stack, 'observability', 'alerts { name }', explained);
  clock.advance(16_000);
  expect([reportOf(await first.answer), reportOf(await second.answer)]).toEqual([
    expect.stringContaining('listAlerts miss waited 20 s,'),
    expect.stringContaining('listAlerts shared shared waited 16 s,'),
  ]);
  const waited = stack.lines('operation').map(({ waitedMilliseconds }) => waitedMilliseconds);
  expect(waited.toSorted()).toEqual([0, 16_000, 20_000]);
});

it('a read of another request that was joined, and not waited for in the end, is not told of', async () => {
  const stack = await start(narrow);
  await ask(stack, 'alerts');
  clock.advance(7000);
  const anew = { ...explained, 'cache-control': 'no-cache' };
  const waiting = await begin(stack, 'observability', 'alerts { name }', anew);
  expect(reportOf(await ask(stack, 'alerts'))).toMatch(
    /^age 7, stale 7, listAlerts stale 7 s, left/,
  );
  clock.advance(13_000);
  expect(reportOf(await waiting.answer)).toMatch(/^listAlerts miss waited 13 s,/);
});

it('a call that was refused in the end, as a write took its turn, has its wait in the log', async () => {
  const stack = await start(narrow);
  await ask(stack, 'alert');
  const read = await begin(stack, 'observability', 'alerts { name }');
  clock.advance(3000);
  const write = ask(stack, 'create');
  await read.answer;
  expect(stack.lines('operation').at(-1)).toMatchObject({
    ...{ codes: ['RATE_LIMITED'], waitedMilliseconds: 3000 },
  });
  clock.advance(17_000);
  await write;
  expect(stack.lines('operation').at(-1)).toMatchObject({
    upstreamCalls: 1,
    waitedMilliseconds: 17_000,
  });
});

it('each time that a read was sent is told, and how long that waited', async () => {
  let calls = 0;
  const limited = { ...json({ message: 'slow down' }, 429), headers: { 'ratelimit-reset': '5' } };
  const stack = await start({}, (call) => {
    calls += 1;
    return calls === 1 ? limited : observability(call);
  });
  const report = reportOf(await clock.until(ask(stack, 'alerts')));
  expect(report).toMatch(/^listAlerts 429 miss, listAlerts miss waited (4|5)[\d.]* s, left 10 98$/);
});
