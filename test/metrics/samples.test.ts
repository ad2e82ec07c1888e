import { GraphQLError, print } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { createGate, leavable } from '../support/faults/gate.ts';
import { json, result } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import {
  alerts,
  as,
  dashboards,
  type Expected,
  pipes,
  startMetrics,
  stop,
  subscription,
} from '../support/metrics.ts';
import { stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';
import { withIds } from '../support/world/ids.ts';

/** Operations that contain `Free` fail with two codes that the gateway does not know. */
const refusing: GatewayPlugin = {
  onExecute: ({ args: { document }, setResultAndStopExecution }) => {
    const errors = ['FREE_CODE', 'FREE_CODE_2'].map(
      (code) => new GraphQLError('no', { extensions: { code } }),
    );
    if (print(document).includes('Free')) setResultAndStopExecution({ errors });
  },
};
/** Memory for some nine answers, of which a credential may have a quarter. */
const config = { managementRate: { calls: 3, windowMs: 60_000 }, readCacheBytes: 30_000 };

type Asked = readonly [caller: string, document: string];
const by = (caller: string, ...documents: readonly string[]): readonly Asked[] =>
  documents.map((document) => [caller, document]);

it.each<[title: string, asked: readonly Asked[], expected: Expected]>([
  [
    'calls are counted by operation, method and class of status; 429 is a class by itself',
    [
      ...by('reader', pipes(1, 2), stop),
      ...['429', '403', '500', 'flaky'].flatMap((caller) => by(caller, alerts)),
    ],
    {
      upstream_calls_total: {
        ...{ 'listPipes GET 2xx': 2, 'updatePipeState PATCH 2xx': 1, 'listAlerts 429': 1 },
        ...{ 'listAlerts 4xx': 1, 'listAlerts 5xx': 2, 'listAlerts 2xx': 1 },
      },
      upstream_call_duration_seconds_count: { listAlerts: 5 },
      upstream_retries_total: { listAlerts: 1 },
      failing_credentials: { observability: 2, management: 0 },
    },
  ],
  [
    'the state of each breaker, and how often it has opened',
    [...by('502-one', alerts), ...by('502-other', dashboards)],
    {
      breaker_state: {
        ...{ 'observability closed': 0, 'observability open': 1, 'observability half-open': 0 },
        ...{ 'management closed': 1, 'management open': 0, 'management half-open': 0 },
      },
      breaker_openings_total: { observability: 1, management: 0 },
    },
  ],
  [
    'refusals by priority, and how many slots were left',
    by('key-of-the-caller', pipes(1, 2, 3, 4), stop),
    {
      slot_refusals_total: { 'management read': 1, 'management write': 1 },
      slots_left_count: { management: 3, observability: 0 },
      slots_left_bucket: { 'management 2': 3 },
    },
  ],
  [
    'answers that are dropped from memory for want of room',
    by('reader', pipes(1, 2, 3)),
    { reads_dropped_total: { room: 1, changed: 0 } },
  ],
  [
    'what a write has changed is dropped when it is asked for next',
    by('other', pipes(1), stop, pipes(1)),
    { reads_dropped_total: { room: 0, changed: 1 } },
  ],
  [
    'operations by type and outcome, each once',
    [
      ...by('reader', pipes(1), '{ nothing }', '{ unfinished', stop),
      ...[...by('reader', 'query Named { __typename }'), ...by('500', alerts)],
    ],
    {
      operations_total: {
        ...{ 'query ok': 2, 'query partial': 1, 'query failed': 1, 'unknown failed': 1 },
        'mutation ok': 1,
      },
      operation_duration_seconds_count: { query: 4 },
    },
  ],
  [
    'for each code the operations that have it, however often, and unknown codes as OTHER',
    [
      ...by('500', '{ one: alerts { name } two: dashboards { name } }'),
      ...[...by('403', alerts), ...by('reader', 'query Free { alerts { name } }')],
    ],
    { operation_errors_total: { UPSTREAM_ERROR: 1, FORBIDDEN: 1, NOT_FOUND: 0, OTHER: 1 } },
  ],
])('metrics have %s', async (_, asked, expected) => {
  const { ask, scrape } = await startMetrics(config, { plugins: [refusing] });
  for (const each of asked) await ask(...each);
  const { like, text } = await scrape();
  expect(like(expected)).toEqual(expected);
  expect(text).not.toMatch(/key-of|a2V5LW9m|FREE_CODE|Named/);
});

it('the gateway counts each request that is refused a read that it shares', async () => {
  const { ask, expectSamples } = await startMetrics(config);
  await ask('caller', pipes(1, 2, 3));
  await Promise.all([ask('caller', pipes(4)), ask('caller', pipes(4))]);
  await expectSamples({ slot_refusals_total: { 'management read': 2 } });
});

it('the gateway counts calls that get no answer, and writes whose callers have left, but no error of these', async () => {
  const gate = createGate();
  const observabilityUrl = new URL('http://127.0.0.1:1');
  const { url, ask, scrape } = await startMetrics({ observabilityUrl }, {}, gate.answering);
  const rename =
    'mutation { updateOrganization(input: { @organization-1, name: "n" }) { userErrors { code } } }';
  const leaving = leavable(url, withIds(rename), as('leaving'));
  await gate.arrived(1);
  await leaving.leave();
  await ask('reader', alerts);
  const expected = {
    upstream_calls_total: { 'updateOrganization given-up': 1, 'listAlerts failed': 2 },
    operations_total: { 'mutation failed': 1 },
    operation_errors_total: { UPSTREAM_TIMEOUT: 0, UPSTREAM_UNAVAILABLE: 1 },
  };
  await expect.poll(async () => (await scrape()).like(expected)).toEqual(expected);
});

it('the gateway shows calls that wait for a slot, and how long they have waited', async () => {
  const clock = stopTime();
  const managementRate = { calls: 1, windowMs: 4000 };
  const { ask, scrape, expectSamples } = await startMetrics({
    managementRate,
    pacingWaitMs: 10_000,
  });
  await ask('caller', pipes(1));
  const waiting = ask('caller', pipes(2));
  await expect.poll(async () => (await scrape()).value('slots_waiting', 'management')).toBe(1);
  await clock.until(waiting);
  await expectSamples({
    slots_waiting: { management: 0 },
    slot_wait_seconds_bucket: { 'management 2.5': 1, 'management 5': 2 },
  });
});

it('the gateway counts reads by where their answers come from', async () => {
  const clock = stopTime();
  const gate = createGate();
  const managementRate = { calls: 2, windowMs: 60_000 };
  const { ask, expectSamples } = await startMetrics({ managementRate }, {}, gate.answering);
  const both = [ask('caller', pipes(1)), ask('caller', pipes(1, 1))];
  await expect.poll(() => gate.calls.length).toBe(1);
  await ask('caller', '{ __typename }');
  gate.calls[0]?.answer(result([]));
  await Promise.all(both);
  await ask('caller', pipes(1));
  const other = ask('caller', pipes(2));
  (await gate.arrived(2)).answer(result([]));
  await other;
  clock.advance(5000);
  await ask('caller', pipes(1));
  // Who was shown the older answer got no slot. What renews it goes on waiting for one.
  const shared = { 'management miss': 2, 'management shared': 1 };
  await expectSamples({
    reads_total: { ...shared, 'management fresh': 1, 'management stale': 1 },
    slot_refusals_total: { 'management refresh': 1 },
  });
});

it('the gateway counts a read once that begins before its field, and that a further field shares', async () => {
  const { query, expectSamples } = await startMetrics({}, {}, ({ path }) =>
    result(path.endsWith('/pipes') ? [] : { id: 'service-1', name: 'one' }),
  );
  const document =
    '{ service(@service-1) { name pipes { id } again: pipes { name } backupConfiguration { backupPeriodInHours } } }';
  const { body } = await query(withIds(document), { headers: as('caller') });
  expect(body.errors).toBeUndefined();
  await expectSamples({ reads_total: { 'management miss': 3, 'management shared': 0 } });
});

it('the gateway counts an operation whose response comes in parts once, with the errors of all parts and the time of the first', async () => {
  const clock = stopTime();
  const pipes = Promise.withResolvers<void>();
  const world = await startMetrics({}, {}, async ({ path }) => {
    if (!path.endsWith('/pipes')) return result({ id: 'service-1', name: 'one' });
    await pipes.promise;
    return json({ status: 500, error: 'no' }, 500);
  });
  const document = withIds('{ service(@service-1) { name ... @defer { pipes { id } } } }');
  const { parts, ended } = askInParts(world, document, { headers: as('reader') });
  await clock.still(() => parts.length === 1);
  clock.advance(20_000);
  pipes.resolve();
  await ended;
  await world.expectSamples({
    operations_total: { 'query partial': 1, 'query ok': 0 },
    operation_errors_total: { UPSTREAM_ERROR: 1 },
    operation_duration_seconds_count: { query: 1 },
    operation_duration_seconds_bucket: { 'query 5': 1 },
  });
});

it('the gateway counts subscriptions that are open, what is polled for them, and why they ended', async () => {
  const { url, gateway, expectSamples } = await startMetrics({ maxStreams: 2 });
  const open = async (name: string) => {
    const opened = await subscribe(url, subscription, { headers: as(name) });
    onTestFinished(opened.leave);
    return opened;
  };
  const first = await open('one');
  await first.event(1);
  await (await open('other')).event(1);
  await open('one');
  await expectSamples({
    operations_total: { 'subscription ok': 2, 'subscription failed': 1 },
    operation_errors_total: { LIMIT_EXCEEDED: 1 },
    ...{ streams: 2, streams_max: 2, polled_reads: 2, polled_credentials: 2 },
  });
  first.leave();
  await expect.poll(() => gateway.streams().streams).toBe(1);
  await expectSamples({ streams: 1, streams_ended_total: { 'client-left': 1 } });
});
