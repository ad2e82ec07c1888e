import { execFile } from 'node:child_process';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createFolder, root } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { promtoolPath } from '../../support/programs.ts';

const rulesPath = 'deploy/monitoring/alerts.yaml';
type AlertRule = { readonly alert: string; readonly labels: { readonly severity: string } };
const alertRules: readonly AlertRule[] = parse(read(rulesPath)).groups[0].rules;

const of = (namespace: string, instance = '1') =>
  `job="sluice",namespace="${namespace}",instance="${instance}"`;

/** An instance that is scraped all the time. */
const alive = (labels: string): string => `
  up{${labels}}: 1x60
  sluice_streams_max{${labels}}: 800x60`;

/** An instance that ends after 40 minutes. */
const dying = (labels: string): string => `
  up{${labels}}: 1x40 0x20
  sluice_streams_max{${labels}}: 800x40 stale`;

/** Another installation, with much traffic that succeeds: its share of failures is not that of the first. */
const busy = `${alive(of('other'))}
  sluice_operations_total{${of('other')},type="query",outcome="ok"}: 0+900x60
  sluice_operation_errors_total{${of('other')},code="UPSTREAM_ERROR"}: 0x60
  sluice_upstream_calls_total{${of('other')},upstream="management",operation="getPipe",status="2xx"}: 0+900x60
  sluice_slots_left_count{${of('other')},upstream="management"}: 0+900x60
  sluice_operation_duration_seconds_count{${of('other')},type="query"}: 0+900x60
  sluice_operation_duration_seconds_bucket{${of('other')},type="query",le="10"}: 0+900x60
  sluice_operation_duration_seconds_bucket{${of('other')},type="query",le="+Inf"}: 0+900x60`;

const both = alive(of('a')) + busy;
const inA = 'job="sluice",namespace="a"';
const upstreamInA = `${inA},upstream="management"`;

const calls = (operation: string, status: string, values: string, labels = of('a')): string => `
  sluice_upstream_calls_total{${labels},upstream="management",operation="${operation}",status="${status}"}: ${values}`;

const errors = (code: string, values: string, all: string, labels = of('a')): string => `
  sluice_operation_errors_total{${labels},code="${code}"}: ${values}
  sluice_operations_total{${labels},type="query",outcome="failed"}: ${all}`;

const refusals = (priority: string, values: string): string => `
  sluice_slot_refusals_total{${of('a')},upstream="management",priority="${priority}"}: ${values}
  sluice_slots_left_count{${of('a')},upstream="management"}: 0+10x60`;

const breaker = (instance: string, closed: string): string => `
  sluice_breaker_state{${of('a', instance)},upstream="management",state="closed"}: ${closed}`;

const durations = (fast: string, all: string): string => `
  sluice_operation_duration_seconds_count{${of('a')},type="query"}: ${all}
  sluice_operation_duration_seconds_bucket{${of('a')},type="query",le="10"}: ${fast}
  sluice_operation_duration_seconds_bucket{${of('a')},type="query",le="20"}: ${all}
  sluice_operation_duration_seconds_bucket{${of('a')},type="query",le="+Inf"}: ${all}`;

/** What Prometheus scrapes each minute, and the alerts that fire after an hour: these, and no others. */
const rows: readonly (readonly [title: string, series: string, fires: readonly string[]])[] = [
  ['two installations that work', both, []],
  [
    'one dead instance of three',
    alive(of('a')) + dying(of('a', '2')) + alive(of('a', '3')) + busy,
    [`SluiceInstanceDown{${of('a', '2')}}`],
  ],
  ['a dead instance of another program', `${both}\n  up{job="other",instance="1"}: 0x60`, []],
  [
    'all instances of one installation of two are dead',
    dying(of('a')) + busy,
    [`SluiceInstanceDown{${of('a')}}`, `SluiceAbsent{${inA}}`],
  ],
  [
    'all instances of one installation of two are gone from the list of targets',
    `${busy}\n  sluice_streams_max{${of('a')}}: 800x40 stale`,
    [`SluiceAbsent{${inA}}`],
  ],
  ['a Prometheus that has never met a gateway', 'up{job="other"}: 1x60', ['SluiceAbsent{}']],
  ['a restart of a minute', `${busy}\n  sluice_streams_max{${of('a')}}: 800x58 stale 800`, []],
  [
    'an open breaker in one instance of two',
    both + breaker('1', '1x60') + breaker('2', '1x50 0x10'),
    [`SluiceBreakerOpen{${upstreamInA}}`],
  ],
  ['a breaker that was open for a moment', `${both}${breaker('1', '1x59 0 1')}`, []],
  [
    'two operations of an upstream that fail, in a process that has just restarted',
    both +
      calls('getPipe', '5xx', '0+3x56 0+3x4') +
      calls('listPipes', 'failed', '0+3x60') +
      calls('listServices', '2xx', '0+20x60'),
    [`SluiceUpstreamFailing{${upstreamInA}}`],
  ],
  [
    'one operation alone, which a caller asks for what always gives 500',
    both + calls('getPipe', '5xx', '0+50x60') + calls('listPipes', '5xx', '0x55 1x5'),
    [],
  ],
  [
    'two operations that fail seldom beside others that succeed',
    both +
      calls('getPipe', '5xx', '0+5x60') +
      calls('listPipes', '5xx', '0+5x60') +
      calls('listServices', '2xx', '0+50x60'),
    [],
  ],
  [
    'three requests of a night that all fail, with their repeated calls',
    both +
      calls('getPipe', '5xx', '0x56 9x4') +
      calls('listPipes', '5xx', '0x56 9x4') +
      errors('UPSTREAM_ERROR', '0x56 1 2 3 3', '0x56 1 2 3 3'),
    [],
  ],
  [
    'most operations fail because of an upstream',
    both + errors('UPSTREAM_BAD_RESPONSE', '0+6x60', '0+10x60'),
    [`SluiceErrors{${inA}}`, `SluiceSomeErrors{${inA}}`],
  ],
  [
    'one caller among several has errors of an upstream',
    both + errors('UPSTREAM_ERROR', '0+6x60', '0+100x60'),
    [`SluiceSomeErrors{${inA}}`],
  ],
  [
    'all operations have errors of their callers',
    both + errors('NOT_FOUND', '0+9x60', '0+9x60'),
    [],
  ],
  [
    'counters that begin anew with each of many restarts',
    both + errors('UPSTREAM_ERROR', '900 0 900 0x57', '90000 0 90000 0+90x57'),
    [],
  ],
  [
    'an internal error',
    both + errors('INTERNAL_SERVER_ERROR', '0x50 1x10', '0x60'),
    [`SluiceInternalErrors{${of('a')},code="INTERNAL_SERVER_ERROR"}`],
  ],
  [
    'an internal error of long ago, and a restart since',
    both + errors('INTERNAL_SERVER_ERROR', '0x20 1x30 0x10', '0x60'),
    [],
  ],
  [
    'Redis is down for one instance',
    `${both}
      sluice_redis_up{${of('a')}}: 1x50 0x10
      sluice_redis_up{${of('other')}}: 1x60`,
    [`SluiceRedisDown{${of('a')}}`],
  ],
  [
    'an upstream that answers 429 again and again',
    both + calls('getPipe', '429', '0+1x60'),
    [`SluiceUpstreamLimits{${upstreamInA}}`],
  ],
  ['five answers 429', both + calls('getPipe', '429', '0x50 5x10'), []],
  ['many refused calls', both + refusals('read', '0+5x60'), [`SluiceSlotRefusals{${upstreamInA}}`]],
  ['a few refused calls', both + refusals('read', '0x45 15x15'), []],
  ['many refused polls, which no caller waits for', both + refusals('poll', '0+50x60'), []],
  [
    'many slow queries',
    both + durations('0+18x60', '0+20x60'),
    [`SluiceSlow{${inA},type="query"}`],
  ],
  ['a few slow queries', both + durations('0x60', '0+1x60'), []],
  [
    'a gateway without CPU, and another program',
    `${both}
      nodejs_eventloop_lag_p99_seconds{${of('a')}}: 0.6x60
      nodejs_eventloop_lag_p99_seconds{${of('other')}}: 0.1x60
      nodejs_eventloop_lag_p99_seconds{job="other",instance="1"}: 3x60`,
    [`SluiceEventLoopLag{${of('a')}}`],
  ],
  [
    'almost as many streams as there may be, and fewer',
    `${both}
      sluice_streams{${of('a')}}: 730x60
      sluice_streams{${of('other')}}: 700x60`,
    [`SluiceStreamsFull{${of('a')}}`],
  ],
  [
    'a Prometheus without the label namespace',
    alive('job="sluice"') +
      calls('getPipe', '5xx', '0+9x60', 'job="sluice"') +
      calls('listPipes', '5xx', '0+9x60', 'job="sluice"') +
      errors('UPSTREAM_ERROR', '0+9x60', '0+9x60', 'job="sluice"'),
    [
      'SluiceUpstreamFailing{job="sluice",upstream="management"}',
      'SluiceErrors{job="sluice"}',
      'SluiceSomeErrors{job="sluice"}',
    ],
  ],
];

const promtool = (...args: readonly string[]) => promisify(execFile)(promtoolPath ?? '', args);

const sampleOf = (fires: string): string => {
  const [, name = '', labels = ''] = /^(\w+)\{(.*)\}$/.exec(fires) ?? [];
  const severity = alertRules.find(({ alert }) => alert === name)?.labels.severity;
  const own = `alertname="${name}",alertstate="firing",severity="${severity}"`;
  return `ALERTS{${[own, labels].filter(Boolean).join(',')}}`;
};

it.skipIf(promtoolPath === undefined).each(rows)('%s', async (_, series, fires) => {
  const input = series
    .trim()
    .split(/\n\s*/)
    .map((line) => {
      const [, name = '', values = ''] = /^(.*\}): (.*)$/.exec(line) ?? [];
      return { series: name, values };
    });
  const tests = {
    rule_files: [join(root, rulesPath)],
    evaluation_interval: '1m',
    tests: [
      {
        interval: '1m',
        input_series: input,
        promql_expr_test: [
          {
            expr: 'ALERTS{alertstate="firing"}',
            eval_time: '1h',
            exp_samples: fires.map((each) => ({ labels: sampleOf(each), value: 1 })),
          },
        ],
      },
    ],
  };
  const folder = await createFolder({ 'test.json': JSON.stringify(tests) }, []);
  const shown = await promtool('test', 'rules', join(folder, 'test.json')).catch(
    (error: { readonly stderr: string }) => ({ stdout: '', stderr: error.stderr }),
  );
  expect(shown.stderr).toBe('');
  expect(shown.stdout).toContain('SUCCESS');
});

it.skipIf(promtoolPath === undefined)(
  'each rule is one for promtool, and fires in a row',
  async () => {
    const { stdout } = await promtool('check', 'rules', join(root, rulesPath));
    expect(stdout).toContain(`SUCCESS: ${alertRules.length} rules found`);
    const fired = new Set(rows.flatMap(([, , fires]) => fires.map((each) => each.split('{')[0])));
    expect([...fired].sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
  },
);
