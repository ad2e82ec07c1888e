import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createFolder, root, run } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { promtoolPath } from '../../support/programs.ts';

const rulesPath = 'deploy/monitoring/alerts.yaml';
const alertRules: readonly { alert: string }[] = parse(read(rulesPath)).groups[0].rules;

/** What Prometheus scrapes each minute, with its values in the notation of promtool. */
interface Series {
  readonly series: string;
  readonly values: string;
}
type Labels = Readonly<Record<string, string>>;
const textOf = (labels: Labels): string =>
  Object.entries(labels)
    .map(([name, value]) => `${name}="${value}"`)
    .join();
const series = (name: string, labels: Labels, values: string): Series => ({
  ...{ series: `${name}{${textOf(labels)}}`, values },
});

const upstream = 'management';
const job = 'sluice';
const of = (namespace: string, instance: string) => ({ job, namespace, instance });
const [a, c]: readonly [Labels, Labels] = [
  { job, namespace: 'a' },
  { job, namespace: 'c' },
];
const [a1, a2, a3, b1, c1] = [
  of('a', '1'),
  of('a', '2'),
  of('a', '3'),
  of('b', '1'),
  of('c', '1'),
] as const;
const other = { job: 'other', instance: '1' };

const up = (of: Labels, values: string) => series('up', of, values);
const places = (of: Labels, values: string) => series('sluice_streams_max', of, values);
const alive = (of: Labels) => [up(of, '1x60'), places(of, '800x60')];
const dying = (of: Labels) => [up(of, '1x40 0x20'), places(of, '800x40 stale')];
const breaker = (of: Labels, values: string) =>
  series('sluice_breaker_state', { ...of, upstream, state: 'closed' }, values);
const openings = (of: Labels, values: string) =>
  series('sluice_breaker_openings_total', { ...of, upstream }, values);
const failing = (of: Labels, values: string) =>
  series('sluice_failing_credentials', { ...of, upstream }, values);
const calls = (of: Labels, status: string, values: string, operation = 'getPipe') =>
  series('sluice_upstream_calls_total', { ...of, operation, status, upstream }, values);
const errors = (of: Labels, code: string, values: string) =>
  series('sluice_operation_errors_total', { ...of, code }, values);
const operations = (of: Labels, values: string) => series('sluice_operations_total', of, values);
const refusals = (of: Labels, priority: string, values: string) =>
  series('sluice_slot_refusals_total', { ...of, upstream, priority }, values);
const slots = (of: Labels, values: string) =>
  series('sluice_slots_left_count', { ...of, upstream }, values);
/** All queries, and those within ten seconds. */
const queries = (of: Labels, all: string, within: string) => [
  series('sluice_operation_duration_seconds_count', { ...of, type: 'query' }, all),
  ...[
    ['10', within],
    ['20', all],
    ['+Inf', all],
  ].map(([le = '', values = '']) =>
    series('sluice_operation_duration_seconds_bucket', { ...of, type: 'query', le }, values),
  ),
];
const lag = (of: Labels, values: string) => series('nodejs_eventloop_lag_p99_seconds', of, values);
const streams = (of: Labels, values: string) => series('sluice_streams', of, values);

/** An installation with much traffic that succeeds: beside it, no share of the other's failures would count. */
const busy = [
  ...[...alive(b1), operations(b1, '0+9000x60'), errors(b1, 'UPSTREAM_ERROR', '0x60')],
  ...[calls(b1, '2xx', '0+9000x60'), slots(b1, '0+9000x60')],
  ...queries(b1, '0+9000x60', '0+9000x60'),
];
const both = [...alive(a1), ...busy];

interface Fired {
  readonly alertname: string;
  readonly severity: 'page' | 'ticket';
  readonly labels: Labels;
}
const page = (name: string, labels: Labels): Fired => ({
  ...{ alertname: `Sluice${name}`, severity: 'page', labels },
});
const ticket = (name: string, labels: Labels): Fired => ({
  ...page(name, labels),
  severity: 'ticket',
});
const some = ticket('SomeErrors', a);

/** The alerts that fire after an hour, and no others. */
type Row = [title: string, given: readonly Series[], ...fired: Fired[]];
const rows: readonly Row[] = [
  ['two installations that work', both],
  [
    'one dead instance of three, and one of another program',
    [...both, ...dying(a2), ...alive(a3), up(other, '0x60')],
    ticket('InstanceDown', a2),
  ],
  [
    'all instances of one installation are dead, and those of another are gone from the list of targets',
    [...dying(a1), places(c1, '800x40 stale'), ...busy],
    ...[ticket('InstanceDown', a1), page('Absent', a), page('Absent', c)],
  ],
  ['a Prometheus that has never met a gateway', [up({ job: 'other' }, '1x60')], page('Absent', {})],
  ['a restart that takes less than two minutes', [places(a1, '800x58 stale'), ...busy]],
  [
    'a breaker that is open in one instance of two',
    [...both, breaker(a1, '1x60'), breaker(a2, '1x50 0x10'), openings(a2, '0x50 0+5x10')],
    page('BreakerOpen', { ...a, upstream }),
  ],
  [
    'a breaker that opened when the last caller of the evening had failed',
    [...both, breaker(a1, '1x56 0x4'), openings(a1, '0x56 2x4')],
  ],
  [
    'two operations of an upstream that fail, in a process that has just restarted',
    [
      ...[...both, failing(a1, '2x60'), calls(a1, '5xx', '0+3x56 0+3x4')],
      ...[calls(a1, 'failed', '0+3x60', 'listPipes'), calls(a1, '2xx', '0+20x60', 'listServices')],
    ],
    page('UpstreamFailing', { ...a, upstream }),
  ],
  [
    'one operation alone, which a caller asks for what always gives 500',
    [
      ...[...both, calls(a1, '5xx', '0+50x60'), calls(a1, '5xx', '0x55 1x5', 'listPipes')],
      ...[errors(a1, 'UPSTREAM_ERROR', '0+50x60'), operations(a1, '0+50x60')],
    ],
    some,
  ],
  [
    'operations that fail seldom beside others that succeed',
    [
      ...[...both, calls(a1, '5xx', '0+5x60'), calls(a1, '5xx', '0+5x60', 'listPipes')],
      calls(a1, '2xx', '0+50x60', 'listServices'),
    ],
  ],
  [
    'one caller alone in the night, whose requests all fail',
    [
      ...[...both, calls(a1, '5xx', '0+2x60'), calls(a1, '5xx', '0+2x60', 'listPipes')],
      ...[errors(a1, 'UPSTREAM_ERROR', '0+2x60'), operations(a1, '0+2x60')],
    ],
    some,
  ],
  [
    'a few requests in an hour, which all fail',
    [...both, errors(a1, 'UPSTREAM_ERROR', '0+0.3x60'), operations(a1, '0+0.3x60')],
  ],
  [
    'one credential, with which all fails, all night',
    [
      ...[...both, failing(a1, '1x60'), calls(a1, '5xx', '0+9x60')],
      ...[calls(a1, 'failed', '0+9x60', 'listPipes'), errors(a1, 'UPSTREAM_TIMEOUT', '0+9x60')],
      operations(a1, '0+9x60'),
    ],
    some,
  ],
  [
    'most operations fail because of an upstream',
    [
      ...[...both, failing(a1, '2x60'), errors(a1, 'UPSTREAM_BAD_RESPONSE', '0+6x60')],
      operations(a1, '0+10x60'),
    ],
    ...[page('Errors', a), some],
  ],
  [
    'one caller among several has errors of an upstream',
    [...both, errors(a1, 'UPSTREAM_ERROR', '0+6x60'), operations(a1, '0+100x60')],
    some,
  ],
  [
    'all operations have errors of their callers, and counters begin anew with each restart',
    [
      ...[...both, errors(a1, 'NOT_FOUND', '0+9x60'), errors(a1, 'UPSTREAM_ERROR', '900x57 0x3')],
      ...[errors(a1, 'INTERNAL_SERVER_ERROR', '7x50 0x10'), operations(a1, '0+9x57 0+9x3')],
    ],
  ],
  [
    'an internal error, and an instance without Redis',
    [
      ...[...both, errors(a1, 'INTERNAL_SERVER_ERROR', '0x50 1x10')],
      ...[series('sluice_redis_up', a1, '1x50 0x10'), series('sluice_redis_up', b1, '1x60')],
    ],
    ticket('InternalErrors', { ...a1, code: 'INTERNAL_SERVER_ERROR' }),
    ticket('RedisDown', a1),
  ],
  [
    'an upstream that answers 429, refused calls and slow queries',
    [
      ...[...both, calls(a1, '429', '0+1x60'), refusals(a1, 'read', '0+5x60')],
      ...[slots(a1, '0+10x60'), ...queries(a1, '0+20x60', '0+18x60')],
    ],
    ...[ticket('UpstreamLimits', { ...a, upstream }), ticket('SlotRefusals', { ...a, upstream })],
    ticket('Slow', { ...a, type: 'query' }),
  ],
  [
    'a few of these, many refused polls, for which no caller waits, and a breaker that was open for a moment',
    [
      ...[...both, calls(a1, '429', '0+0.4x60'), refusals(a1, 'read', '0+1.5x60')],
      ...[refusals(a1, 'poll', '0+50x60'), slots(a1, '0+1x60')],
      ...[...queries(a1, '0+1x60', '0x60'), breaker(a1, '1x59 0')],
    ],
  ],
  [
    'a gateway without CPU and almost without places for streams, beside another program',
    [
      ...[...both, lag(a1, '0.6x60'), lag(b1, '0.1x60'), lag(other, '3x60')],
      ...[streams(a1, '730x60'), streams(b1, '700x60')],
    ],
    ...[ticket('EventLoopLag', a1), ticket('StreamsFull', a1)],
  ],
  [
    'a Prometheus without the label namespace',
    [
      ...[...alive({ job }), failing({ job }, '2x60'), calls({ job }, '5xx', '0+9x60')],
      ...[calls({ job }, '5xx', '0+9x60', 'listPipes'), operations({ job }, '0+9x60')],
      errors({ job }, 'UPSTREAM_TIMEOUT', '0+9x60'),
    ],
    ...[page('UpstreamFailing', { job, upstream }), page('Errors', { job })],
    ticket('SomeErrors', { job }),
  ],
];

it.skipIf(promtoolPath === undefined).each<Row>(rows)(
  'the rules fire as they should for %s',
  async (_, given, ...fired) => {
    const samples = fired.map(({ alertname, severity, labels }) => {
      const all = { alertname, alertstate: 'firing', severity, ...labels };
      return { labels: `ALERTS{${textOf(all)}}`, value: 1 };
    });
    const expected = { expr: 'ALERTS{alertstate="firing"}', eval_time: '1h', exp_samples: samples };
    const test = { interval: '1m', input_series: given, promql_expr_test: [expected] };
    const tests = { rule_files: [join(root, rulesPath)], evaluation_interval: '1m', tests: [test] };
    const folder = await createFolder({ 'test.json': JSON.stringify(tests) }, []);
    const { stdout } = await run(promtoolPath ?? '', ['test', 'rules', 'test.json'], folder);
    expect(stdout).toContain('SUCCESS');
  },
);

it.skipIf(promtoolPath === undefined)('each rule is valid, and fires in a row', async () => {
  const { stdout } = await run(promtoolPath ?? '', ['check', 'rules', rulesPath], root);
  expect(stdout).toContain(`SUCCESS: ${alertRules.length} rules found`);
  const fired = new Set(rows.flatMap(([, , ...each]) => each.map(({ alertname }) => alertname)));
  expect([...fired].sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
});
