import { expect, it, onTestFinished, vi } from 'vitest';
import type { Config } from '../../src/config.ts';
import {
  type AnswerError,
  type Answering,
  type Call,
  json,
  result,
  useStack,
} from '../support/harness.ts';
import { holdTime } from '../support/pacing/time.ts';
import { shortCall, withIds } from '../support/world/ids.ts';
import { cloud, startProfile } from './rows.ts';

const keeping = { readCacheBytes: 1024 * 1024, maxStaleMs: 0 };
const usageCost = 'usageCost(fromDate: "2026-11-01", toDate: "2026-11-20")';
const costCall = 'usageCost?from_date=2026-11-01&to_date=2026-11-20';
const backupsCall = 'services/service-1/backups';
const service = 'service(id: "service-1")';

let answering: Answering;
const shared = useStack({ management: (call) => answering(call), config: cloud });

/** The gateway before ClickHouse Cloud, asked for selections of an organization. */
const startCloud = async (management: Answering, config?: Partial<Config>) => {
  answering = management;
  const stack = config ? await startProfile({ management }, config) : shared;
  return {
    ask: async (selection: string) => {
      const document = withIds(
        `{ organization(organizationId: "organization-1") { ${selection} } }`,
      );
      const { body } = await stack.query(document);
      const errors: readonly AnswerError[] = body.errors ?? [];
      return {
        shown: body.data?.organization,
        errors,
        /** Path and code of each error. */
        failed: errors.map(({ path, extensions }) => `${path?.join('.')} ${extensions.code}`),
      };
    },
    /** The calls since the last time that this was asked. */
    calls: () => stack.calls.splice(0).map(shortCall).sort(),
  };
};

/** Answers once that many calls have come: if one of them waited for another, none would be answered. */
const together = (count: number, answering: Answering): Answering => {
  const all = Promise.withResolvers<void>();
  let come = 0;
  return async (call) => {
    come += 1;
    if (come === count) all.resolve();
    await all.promise;
    return answering(call);
  };
};

const [serviceId = '', pipeId = ''] = withIds('service-1 pipe-1').split(' ');
const first = '2026-11-01';
const costs = [
  { entityType: 'datawarehouse', entityId: 'w', serviceId, date: first, totalCHC: 1 },
  // Of a service, also without `serviceId`.
  { entityType: 'service', entityId: serviceId, serviceId: null, date: first, totalCHC: 2 },
  { entityType: 'clickpipe', entityId: pipeId, serviceId, date: first, totalCHC: 4 },
  // Neither of the service nor of the pipe that has the same identifier.
  { entityType: 'clickpipe', entityId: serviceId, serviceId: null, date: first, totalCHC: 16 },
  { entityType: 'service', entityId: pipeId, serviceId: null, date: first, totalCHC: 32 },
  // Of the same service.
  { entityType: 'clickpipe', entityId: 'p', serviceId: serviceId.toUpperCase(), totalCHC: 8 },
];

const fleet = ({ path }: Call) => {
  if (path.includes('/usageCost')) return result({ grandTotalCHC: 20, costs });
  if (path.endsWith('/services')) return result([{ id: serviceId }, { id: withIds('service-2') }]);
  return result(path.endsWith('/clickpipes') ? [{ id: pipeId }] : { id: 'o', name: 'Northwind' });
};

it('one call has the costs of all services and pipes, starts with the others, and is kept for ten minutes', async () => {
  const time = holdTime();
  onTestFinished(() => time.release());
  const { ask, calls } = await startCloud(together(3, fleet), keeping);
  const { shown } = await ask(`name ${usageCost} { totalChc }
    services { ${usageCost} { totalChc } pipes { ${usageCost} { totalChc days { date } } } }`);
  const pipes = [{ usageCost: { totalChc: 4, days: [{ date: first }] } }];
  expect(shown).toEqual({
    ...{ name: 'Northwind', usageCost: { totalChc: 20 } },
    services: [
      { usageCost: { totalChc: 14 }, pipes },
      // Not 0: nothing is known of it.
      { usageCost: { totalChc: null }, pipes },
    ],
  });
  const others = ['services', 'services/service-1/clickpipes', 'services/service-2/clickpipes'];
  expect(calls()).toEqual(['organizations/organization-1', ...others, costCall]);

  time.pass(599);
  const onePipe = `${service} { pipe(id: "pipe-1") { ${usageCost} { totalChc } } }`;
  expect((await ask(onePipe)).failed).toEqual([]);
  expect(calls()).toEqual([]);
  time.pass(2);
  await ask(onePipe);
  expect(calls()).toEqual([costCall]);
});

const ofPipe = (id: string, totalCHC: number, more = {}) => ({
  ...{ entityType: 'clickpipe', entityId: withIds(id), serviceId: null, date: first, totalCHC },
  ...more,
});
const ofServiceAlone = { entityType: 'service', entityId: serviceId, date: first, totalCHC: 100 };
const strayed = [
  { ...ofServiceAlone, serviceId, totalCHC: 198.7 },
  ofPipe('pipe-1', 82.6),
  ofPipe('pipe-2', 5),
];

it.each([
  ['is looked for in the list of pipes', strayed, 281.3, ['services/service-1/clickpipes']],
  [
    'is known from another day',
    [ofServiceAlone, ofPipe('pipe-2', 1, { serviceId, date: '2026-11-02' }), ofPipe('pipe-2', 2)],
    ...([103, []] as const),
  ],
])('a pipe whose cost names no service %s', async (_, rows, totalChc, further) => {
  const { ask, calls } = await startCloud((call) =>
    call.path.includes('/usageCost') ? result({ costs: rows }) : fleet(call),
  );
  const { shown, failed } = await ask(`${service} { ${usageCost} { totalChc } }`);
  expect([shown, failed]).toEqual([{ service: { usageCost: { totalChc } } }, []]);
  expect(calls()).toEqual([...further, costCall]);
});

it('what a service has cost with its pipes is not shown without them', async () => {
  const { ask } = await startCloud(({ path }) =>
    path.includes('/usageCost') ? result({ costs: strayed }) : { status: 424, body: '' },
  );
  const { shown, failed } = await ask(`${service} { ${usageCost} { totalChc } }`);
  expect(shown).toEqual({ service: { usageCost: null } });
  expect(failed).toEqual(['organization.service.usageCost SERVICE_NOT_RUNNING']);
});

it('the services that cost something are read with one call', async () => {
  const services = ['service-1', 'service-2'].map((id) => ({ id: withIds(id), name: id }));
  const rows = [
    { ...ofServiceAlone, serviceId: null },
    ofPipe('pipe-2', 2, { serviceId: withIds('service-2') }),
    { ...ofServiceAlone, entityType: 'datawarehouse', entityId: 'w', totalCHC: 1 },
  ];
  const { ask, calls } = await startCloud(({ path }) =>
    result(path.includes('/usageCost') ? { costs: rows } : services),
  );
  const { shown, failed } = await ask(`${usageCost} { byEntity { serviceId service { name } } }`);
  expect(shown.usageCost.byEntity).toEqual([
    ...services.map(({ id, name }) => ({ serviceId: id, service: { name } })),
    { serviceId: null, service: null },
  ]);
  expect(failed).toEqual([]);
  expect(calls()).toEqual(['services', costCall]);
});

const between = (from: string, to: string): string =>
  `usageCost(fromDate: "${from}", toDate: "${to}") { totalChc }`;

it.each([
  [between(first, '2026-10-31'), 'toDate must not be before fromDate.'],
  [
    'activities(from: "2026-11-02T00:00Z", to: "2026-11-01T00:00Z") { id }',
    'to must not be before from.',
  ],
  ...['', '2026-11-01T00:00', '2026-11-01T00:00:60Z'].map((text) => [
    `activities(from: "${text}") { id }`,
    `from must be a time with its zone, for example 2026-11-01T00:00:00Z, got "${text}".`,
  ]),
  [`${service} { backups(first: -1) { id } }`, 'first must be at least 0, got -1.'],
])('%s is refused with one error, before any call', async (selection, message) => {
  const { ask, calls } = await startCloud(() => result({ id: 'o' }));
  for (const more of ['', 'name ']) {
    const { errors } = await ask(more + selection);
    expect(errors).toMatchObject([{ message, extensions: { code: 'BAD_USER_INPUT' } }]);
    expect(calls().filter((call) => call !== 'organizations/organization-1')).toEqual([]);
  }
});

it('costs of as many days before cost one more call, for all together, and none unless they are selected', async () => {
  const perDays: Readonly<Record<string, number>> = { '2026-11-01': 20, '2026-10-12': 7 };
  const { ask, calls } = await startCloud(({ path }) => {
    const day = /from_date=([\d-]+)/.exec(path)?.[1] ?? '';
    const own = { entityType: 'service', entityId: serviceId, serviceId, date: day };
    return result({ costs: [{ ...own, totalCHC: perDays[day] }] });
  });
  const before = 'usageCost?from_date=2026-10-12&to_date=2026-10-31';
  const shown = await ask(`${usageCost} { totalChc previous { totalChc days { date } } }
    ${service} { ${usageCost} { previous { totalChc } } }
    pipe: ${service} { pipe(id: "pipe-1") { ${usageCost} { previous { totalChc } } } }`);
  expect(shown.shown).toEqual({
    usageCost: { totalChc: 20, previous: { totalChc: 7, days: [{ date: '2026-10-12' }] } },
    service: { usageCost: { previous: { totalChc: 7 } } },
    pipe: { pipe: { usageCost: { previous: { totalChc: null } } } },
  });
  expect([shown.failed, calls()]).toEqual([[], [before, costCall]]);
  await ask(`${usageCost} { totalChc }`);
  expect(calls()).toEqual([costCall]);
  await ask(
    'usageCost(fromDate: "2026-03-01", toDate: "2026-03-01") { previous { days { date } } }',
  );
  expect(calls()).toEqual([
    'usageCost?from_date=2026-02-28&to_date=2026-02-28',
    'usageCost?from_date=2026-03-01&to_date=2026-03-01',
  ]);
});

it('costs of the days before that cannot be read are an error of their own', async () => {
  const { ask } = await startCloud(({ path }) =>
    path.includes('2026-10') ? json({ status: 400, error: 'too early' }, 400) : result({ costs }),
  );
  const { shown, failed } = await ask(`${usageCost} { days { date } previous { totalChc } }`);
  expect([shown.usageCost.days.length, shown.usageCost.previous]).toEqual([
    expect.any(Number),
    null,
  ]);
  expect(failed).toEqual(['organization.usageCost.previous BAD_USER_INPUT']);
});

const parts = '{ totalChc byEntity { entityId totalChc metrics { storageChc } } days { date } }';
const bad = 'UPSTREAM_BAD_RESPONSE';
const of = (entityId: string, totalCHC: unknown, more = {}) => ({ entityId, totalCHC, ...more });
const entity = (entityId: string | null, totalChc: unknown, metrics: unknown = null) => ({
  ...{ entityId, totalChc, metrics },
});

const usage = (what: string, record: object, shown: object, ...failed: readonly string[]) => {
  return [what, record, shown, failed] as const;
};
/** The parts of usage that has these entities, on a day that is not known. */
const shows = (totalChc: number | null, ...byEntity: readonly object[]) => {
  return { totalChc, byEntity, days: [{ date: null }] };
};
const named = (entityName: string, totalCHC: number) => ({ entityName, totalCHC });
const typed = (entityType: string, totalCHC: number) => of('a', totalCHC, { entityType });
const storing = { date: first, metrics: { new: 1 } };

it.each([
  usage(
    'unknown costs',
    { grandTotalCHC: null, costs: [of('b', null), of('a', 0), of('c', 2), of('b', undefined)] },
    shows(2, entity('c', 2), entity('a', 0), entity('b', null)),
  ),
  usage(
    'entities of one identifier but two kinds, and some with a name alone',
    { costs: [typed('service', 8), typed('clickpipe', 4), named('one', 2), named('other', 1)] },
    shows(15, entity('a', 8), entity('a', 4), entity(null, 2), entity(null, 1)),
  ),
  usage(
    'no total, and odd rows',
    { costs: [of('a', 0.1), null, 'x', of('a', 0.2, storing)] },
    {
      ...shows(0.3, entity('a', 0.3, { storageChc: null })),
      days: [first, null].map((date) => ({ date })),
    },
  ),
  usage(
    'a cost that is a text',
    { grandTotalCHC: 1, costs: [of('a', '1')] },
    shows(1, entity('a', null)),
    `byEntity.0.totalChc ${bad}`,
  ),
  usage(
    'no list',
    { grandTotalCHC: 1, costs: 'x' },
    { totalChc: 1, byEntity: null, days: null },
    ...[`byEntity ${bad}`, `days ${bad}`],
  ),
])('usage that has %s', async (_, record, shown, failed) => {
  const { ask } = await startCloud(() => result(record));
  const answer = await ask(`${usageCost} ${parts}`);
  expect(answer.shown).toEqual({ usageCost: shown });
  expect(answer.failed).toEqual(failed.map((each) => `organization.usageCost.${each}`));
});

it('usage can be cut to the most expensive', async () => {
  const { ask } = await startCloud(() => result({ costs: [of('a', 1), of('b', 3), of('c', 2)] }));
  const { shown, failed } = await ask(
    `${usageCost} { two: byEntity(first: 2) { entityId } bad: byEntity(first: -1) { entityId } }`,
  );
  expect([shown.usageCost.two, failed]).toEqual([
    [{ entityId: 'b' }, { entityId: 'c' }],
    [expect.stringContaining('BAD_USER_INPUT')],
  ]);
});

it('activities of any type are found by their types with one call', async () => {
  const types = ['key_create', 'never_heard_of', null, undefined];
  const records = types.map((type, index) => ({ id: `a${index}`, type }));
  const { ask, calls } = await startCloud(() => result(records));
  const { shown, failed } = await ask(`activities { type }
    one: activities(typeIn: ["NEVER_heard_of", "key"]) { id }
    none: activities(typeIn: []) { id } all: activities(typeIn: null) { id }`);
  expect(failed).toEqual([]);
  expect(shown.activities).toEqual(types.map((type) => ({ type: type ?? null })));
  expect(shown).toMatchObject({
    one: [{ id: 'a1' }],
    none: [],
    all: records.map(({ id }) => ({ id })),
  });
  expect(calls()).toEqual(['activities']);
});

const inDays = (days: number): string =>
  new Date(Date.UTC(2026, 10, 20) + days * 86_400_000).toISOString();
const keys = [
  { id: 'past', expireAt: inDays(-40), state: 'Enabled' },
  { id: 'off', expireAt: inDays(1), state: 'disabled' },
  { id: 'last', expireAt: inDays(14), state: 'enabled' },
  { id: 'later', expireAt: inDays(14.01), state: 'enabled' },
  { id: 'offset', expireAt: '2026-11-21T01:00:00+01:00' },
  ...['', null, undefined, 'soon'].map((expireAt) => ({ id: 'never', expireAt, state: 'enabled' })),
];
const never = Array.from({ length: 4 }, () => 'never');

it.each([
  ['{ expiresWithinDays: 14 }', ['past', 'off', 'last', 'offset']],
  ['{ expiresWithinDays: 0 }', ['past']],
  ['{ expired: true }', ['past']],
  ['{ expiresWithinDays: 14, expired: false }', ['off', 'last', 'offset']],
  ['{ stateIn: ["ENABLED"], expiresWithinDays: 14 }', ['past', 'last']],
  ['{ stateIn: ["enabled", "disabled"] }', ['past', 'off', 'last', 'later', ...never]],
])('apiKeys(filter: %s) selects keys from the one list', async (filter, ids) => {
  vi.spyOn(Date, 'now').mockReturnValue(Date.UTC(2026, 10, 20));
  onTestFinished(() => void vi.restoreAllMocks());
  const { ask, calls } = await startCloud(() => result(keys));
  const { shown, failed } = await ask(`apiKeys(filter: ${filter}) { id } all: apiKeys { id }`);
  expect(failed).toEqual([]);
  expect(shown.apiKeys.map(({ id }: { id: string }) => id)).toEqual(ids);
  expect(shown.all).toHaveLength(keys.length);
  expect(calls()).toEqual(['keys']);
});

const size = 2 ** 53 - 1;
const backups = [
  { id: 'b3', sizeInBytes: size, bucket: null },
  { id: 'b2', sizeInBytes: 2 ** 53, bucket: 'x' },
  { id: 'b1', bucket: {} },
];

it('backups are shown down to the number asked for, and the last one with the same call', async () => {
  const { ask, calls } = await startCloud(() => result(backups));
  const of = '{ id sizeInBytes bucketProvider }';
  const { shown, failed } = await ask(`${service} { none: backups(first: 0) { id }
    backups(first: 2) ${of} lastBackup ${of} }`);
  const none = { sizeInBytes: null, bucketProvider: null };
  const lastBackup = { ...none, id: 'b3', sizeInBytes: size };
  const two = [lastBackup, { id: 'b2', ...none }];
  expect(shown.service).toEqual({ none: [], backups: two, lastBackup });
  const odd = ['sizeInBytes', 'bucketProvider'];
  expect(failed).toEqual(odd.map((name) => `organization.service.backups.1.${name} ${bad}`));
  expect(calls()).toEqual([backupsCall]);
});

const at = (id: string, startedAt?: unknown) => ({ id, startedAt });
const [one, two] = [at('b1', '2026-11-01T00:00:00Z'), at('b2', '2026-11-02T00:00:00Z')];

it.each([
  ['of those that tell when they began', [at('x'), one, two, at('b0', 'x')], { id: 'b2' }],
  ['null, where there are none', [], null],
])('the last backup is the one that began last: %s', async (_, listed, lastBackup) => {
  const { ask } = await startCloud(() => result(listed));
  const { shown, failed } = await ask(`${service} { lastBackup { id } }`);
  expect([shown, failed]).toEqual([{ service: { lastBackup } }, []]);
});
