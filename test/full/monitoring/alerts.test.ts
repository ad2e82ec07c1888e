import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parse } from 'yaml';
import { createFolder, root, run } from '../../support/client/folder.ts';
import { read } from '../../support/docs/pages.ts';
import { promtoolPath } from '../../support/programs.ts';

const rulesPath = 'deploy/monitoring/alerts.yaml';
const alertRules: readonly { alert: string }[] = parse(read(rulesPath)).groups[0].rules;

/**
 * What Prometheus scrapes each minute, in the notation of promtool, and after `=>` the alerts that fire after an hour: these,
 * and no others. `@a1` are the labels of instance 1 of the installation a, `@a` those of the whole installation.
 */
const rows = `
two installations that work
both

one dead instance of three, and one of another program
both
dying @a2
alive @a3
up{job="other",instance="1"}: 0x60
=> ticket SluiceInstanceDown{@a2}

all instances of one installation of three are dead, and those of another are gone from the list of targets
dying @a1
sluice_streams_max{@c1}: 800x40 stale
busy
=> ticket SluiceInstanceDown{@a1}
=> page SluiceAbsent{@a}
=> page SluiceAbsent{@c}

a Prometheus that has never met a gateway
up{job="other"}: 1x60
=> page SluiceAbsent{}

a restart that takes less than two minutes
sluice_streams_max{@a1}: 800x58 stale
busy

a breaker that is open in one instance of two
both
sluice_breaker_state{@a1,upstream="management",state="closed"}: 1x60
sluice_breaker_state{@a2,upstream="management",state="closed"}: 1x50 0x10
sluice_breaker_openings_total{@a2,upstream="management"}: 0x50 0+5x10
=> page SluiceBreakerOpen{@a,upstream="management"}

a breaker that opened when the last caller of the evening had failed
both
sluice_breaker_state{@a1,upstream="management",state="closed"}: 1x56 0x4
sluice_breaker_openings_total{@a1,upstream="management"}: 0x56 2x4

two operations of an upstream that fail, in a process that has just restarted
both
failing @a1: 2x60
calls{@a1,operation="getPipe",status="5xx"}: 0+3x56 0+3x4
calls{@a1,operation="listPipes",status="failed"}: 0+3x60
calls{@a1,operation="listServices",status="2xx"}: 0+20x60
=> page SluiceUpstreamFailing{@a,upstream="management"}

one operation alone, which a caller asks for what always gives 500
both
calls{@a1,operation="getPipe",status="5xx"}: 0+50x60
calls{@a1,operation="listPipes",status="5xx"}: 0x55 1x5
sluice_operation_errors_total{@a1,code="UPSTREAM_ERROR"}: 0+50x60
sluice_operations_total{@a1}: 0+50x60
=> ticket SluiceSomeErrors{@a}

operations that fail seldom beside others that succeed
both
calls{@a1,operation="getPipe",status="5xx"}: 0+5x60
calls{@a1,operation="listPipes",status="5xx"}: 0+5x60
calls{@a1,operation="listServices",status="2xx"}: 0+50x60

one caller alone in the night, whose requests all fail
both
calls{@a1,operation="getPipe",status="5xx"}: 0+2x60
calls{@a1,operation="listPipes",status="5xx"}: 0+2x60
sluice_operation_errors_total{@a1,code="UPSTREAM_ERROR"}: 0+2x60
sluice_operations_total{@a1}: 0+2x60
=> ticket SluiceSomeErrors{@a}

a few requests in an hour, which all fail
both
sluice_operation_errors_total{@a1,code="UPSTREAM_ERROR"}: 0+0.3x60
sluice_operations_total{@a1}: 0+0.3x60

one credential, with which all fails, all night
both
failing @a1: 1x60
calls{@a1,operation="getPipe",status="5xx"}: 0+9x60
calls{@a1,operation="listPipes",status="failed"}: 0+9x60
sluice_operation_errors_total{@a1,code="UPSTREAM_TIMEOUT"}: 0+9x60
sluice_operations_total{@a1}: 0+9x60
=> ticket SluiceSomeErrors{@a}

most operations fail because of an upstream
both
failing @a1: 2x60
sluice_operation_errors_total{@a1,code="UPSTREAM_BAD_RESPONSE"}: 0+6x60
sluice_operations_total{@a1}: 0+10x60
=> page SluiceErrors{@a}
=> ticket SluiceSomeErrors{@a}

one caller among several has errors of an upstream
both
sluice_operation_errors_total{@a1,code="UPSTREAM_ERROR"}: 0+6x60
sluice_operations_total{@a1}: 0+100x60
=> ticket SluiceSomeErrors{@a}

all operations have errors of their callers, and counters begin anew with each restart
both
sluice_operation_errors_total{@a1,code="NOT_FOUND"}: 0+9x60
sluice_operation_errors_total{@a1,code="UPSTREAM_ERROR"}: 900x57 0x3
sluice_operation_errors_total{@a1,code="INTERNAL_SERVER_ERROR"}: 7x50 0x10
sluice_operations_total{@a1}: 0+9x57 0+9x3

an internal error, and an instance without Redis
both
sluice_operation_errors_total{@a1,code="INTERNAL_SERVER_ERROR"}: 0x50 1x10
sluice_redis_up{@a1}: 1x50 0x10
sluice_redis_up{@b1}: 1x60
=> ticket SluiceInternalErrors{@a1,code="INTERNAL_SERVER_ERROR"}
=> ticket SluiceRedisDown{@a1}

an upstream that answers 429, refused calls and slow queries
both
calls{@a1,status="429"}: 0+1x60
sluice_slot_refusals_total{@a1,upstream="management",priority="read"}: 0+5x60
sluice_slots_left_count{@a1,upstream="management"}: 0+10x60
sluice_operation_duration_seconds_count{@a1,type="query"}: 0+20x60
sluice_operation_duration_seconds_bucket{@a1,type="query",le="10"}: 0+18x60
sluice_operation_duration_seconds_bucket{@a1,type="query",le="20"}: 0+20x60
sluice_operation_duration_seconds_bucket{@a1,type="query",le="+Inf"}: 0+20x60
=> ticket SluiceUpstreamLimits{@a,upstream="management"}
=> ticket SluiceSlotRefusals{@a,upstream="management"}
=> ticket SluiceSlow{@a,type="query"}

a few of these, many refused polls, for which no caller waits, and a breaker that was open for a moment
both
calls{@a1,status="429"}: 0+0.4x60
sluice_slot_refusals_total{@a1,upstream="management",priority="read"}: 0+1.5x60
sluice_slot_refusals_total{@a1,upstream="management",priority="poll"}: 0+50x60
sluice_slots_left_count{@a1,upstream="management"}: 0+1x60
sluice_operation_duration_seconds_count{@a1,type="query"}: 0+1x60
sluice_operation_duration_seconds_bucket{@a1,type="query",le="10"}: 0x60
sluice_operation_duration_seconds_bucket{@a1,type="query",le="20"}: 0+1x60
sluice_operation_duration_seconds_bucket{@a1,type="query",le="+Inf"}: 0+1x60
sluice_breaker_state{@a1,upstream="management",state="closed"}: 1x59 0

a gateway without CPU and almost without places for streams, beside another program
both
nodejs_eventloop_lag_p99_seconds{@a1}: 0.6x60
nodejs_eventloop_lag_p99_seconds{@b1}: 0.1x60
nodejs_eventloop_lag_p99_seconds{job="other",instance="1"}: 3x60
sluice_streams{@a1}: 730x60
sluice_streams{@b1}: 700x60
=> ticket SluiceEventLoopLag{@a1}
=> ticket SluiceStreamsFull{@a1}

a Prometheus without the label namespace
alive job="sluice"
failing job="sluice": 2x60
calls{job="sluice",operation="getPipe",status="5xx"}: 0+9x60
calls{job="sluice",operation="listPipes",status="5xx"}: 0+9x60
sluice_operation_errors_total{job="sluice",code="UPSTREAM_TIMEOUT"}: 0+9x60
sluice_operations_total{job="sluice"}: 0+9x60
=> page SluiceUpstreamFailing{job="sluice",upstream="management"}
=> page SluiceErrors{job="sluice"}
=> ticket SluiceSomeErrors{job="sluice"}
`
  .trim()
  .split('\n\n')
  .map((row) => {
    const [title = '', ...lines] = row.split('\n');
    const fires = lines.flatMap((line) => (line.startsWith('=> ') ? [line.slice(3)] : []));
    return { title, fires, series: lines.filter((line) => !line.startsWith('=> ')) };
  });

/** An installation with much traffic that succeeds: beside it, no share of the other's failures would count. */
const busy = `alive @b1
sluice_operations_total{@b1}: 0+9000x60
sluice_operation_errors_total{@b1,code="UPSTREAM_ERROR"}: 0x60
calls{@b1,operation="getPipe",status="2xx"}: 0+9000x60
sluice_slots_left_count{@b1,upstream="management"}: 0+9000x60
sluice_operation_duration_seconds_count{@b1,type="query"}: 0+9000x60
sluice_operation_duration_seconds_bucket{@b1,type="query",le="10"}: 0+9000x60
sluice_operation_duration_seconds_bucket{@b1,type="query",le="+Inf"}: 0+9000x60`;

const written = (text: string): string =>
  text
    .replace(/^both$/m, 'alive @a1\nbusy')
    .replace(/^busy$/m, busy)
    .replaceAll(/^alive (.*)$/gm, 'up{$1}: 1x60\nsluice_streams_max{$1}: 800x60')
    .replaceAll(/^dying (.*)$/gm, 'up{$1}: 1x40 0x20\nsluice_streams_max{$1}: 800x40 stale')
    .replaceAll(/^failing (.*):/gm, 'sluice_failing_credentials{$1,upstream="management"}:')
    .replaceAll(/^calls\{(.*)\}/gm, 'sluice_upstream_calls_total{$1,upstream="management"}')
    .replaceAll(/@(\w)(\d)/g, '@$1,instance="$2"')
    .replaceAll(/@(\w)/g, 'job="sluice",namespace="$1"');

const sampleOf = (fires: string): string => {
  const [, severity, name, labels = ''] = /^(\w+) (\w+)\{(.*)\}$/.exec(written(fires)) ?? [];
  const own = `alertname="${name}",alertstate="firing",severity="${severity}"`;
  return `ALERTS{${[own, labels].filter(Boolean).join(',')}}`;
};

it.skipIf(promtoolPath === undefined).each(rows)('$title', async ({ series, fires }) => {
  const lines = written(series.join('\n')).split('\n');
  const input = lines.map((line) => line.split(': '));
  const test = {
    interval: '1m',
    input_series: input.map(([name, values]) => ({ series: name, values })),
    promql_expr_test: [
      {
        ...{ expr: 'ALERTS{alertstate="firing"}', eval_time: '1h' },
        exp_samples: fires.map((each) => ({ labels: sampleOf(each), value: 1 })),
      },
    ],
  };
  const tests = { rule_files: [join(root, rulesPath)], evaluation_interval: '1m', tests: [test] };
  const folder = await createFolder({ 'test.json': JSON.stringify(tests) }, []);
  const { stdout } = await run(promtoolPath ?? '', ['test', 'rules', 'test.json'], folder);
  expect(stdout).toContain('SUCCESS');
});

it.skipIf(promtoolPath === undefined)('each rule is valid, and fires in a row', async () => {
  const { stdout } = await run(promtoolPath ?? '', ['check', 'rules', rulesPath], root);
  expect(stdout).toContain(`SUCCESS: ${alertRules.length} rules found`);
  const fired = new Set(
    rows.flatMap(({ fires }) => fires.map((each) => /Sluice\w+/.exec(each)?.[0])),
  );
  expect([...fired].sort()).toEqual(alertRules.map(({ alert }) => alert).sort());
});
