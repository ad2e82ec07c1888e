import { expect, it } from 'vitest';
import { createGate, leavable } from '../support/faults/gate.ts';
import { result } from '../support/harness.ts';
import { alerts, as, pipesOf, startMetrics, stopPipe } from '../support/metrics/world.ts';
import { stopTime } from '../support/pacing/time.ts';

const management = { upstream: 'management' } as const;
const observability = { upstream: 'observability' } as const;
const listPipes = { ...management, operation: 'listPipes', method: 'GET' } as const;
const listAlerts = { ...observability, operation: 'listAlerts', method: 'GET' } as const;

it('counts calls by operation, method and class of status, and those that are sent again', async () => {
  const { ask, scrape } = await startMetrics();
  await ask(pipesOf(1, 2), 'reader');
  await ask(stopPipe, 'reader');
  for (const name of ['429', '403', '500', 'flaky']) await ask(alerts, name);
  const { value } = await scrape();
  const calls = 'sluice_upstream_calls_total';
  expect(value(calls, { ...listPipes, status: '2xx' })).toBe(2);
  const write = { ...management, operation: 'updatePipeState', method: 'PATCH' };
  expect(value(calls, { ...write, status: '2xx' })).toBe(1);
  // 429 is a class by itself, and a read that is answered 503 is sent again.
  const classes = ['429', '4xx', '5xx', '2xx'];
  expect(classes.map((status) => value(calls, { ...listAlerts, status }))).toEqual([1, 1, 2, 1]);
  const durations = 'sluice_upstream_call_duration_seconds_count';
  const operation = { ...observability, operation: 'listAlerts' };
  expect(value(durations, operation)).toBe(5);
  expect(value('sluice_upstream_retries_total', operation)).toBe(1);
});

it('counts calls that get no answer, and writes whose callers have left', async () => {
  const gate = createGate();
  const { url, scrape } = await startMetrics(
    { observabilityUrl: new URL('http://127.0.0.1:1') },
    {},
    gate.answering,
  );
  const leaving = leavable(url, stopPipe, as('leaving'));
  await gate.arrived(1);
  await leaving.leave();
  await leavable(url, alerts, as('reader')).ended;
  await expect
    .poll(async () => {
      const { samples } = await scrape();
      return samples.flatMap(({ name, labels, value }) =>
        name === 'sluice_upstream_calls_total' ? [[labels.operation, labels.status, value]] : [],
      );
    })
    .toEqual([
      ['updatePipeState', 'given up', 1],
      ['listAlerts', 'failed', 2],
    ]);
});

it('tells the state of each breaker, and how often it has opened', async () => {
  const { ask, scrape } = await startMetrics();
  await ask(alerts, '502-one');
  await ask('{ dashboards { name } }', '502-other');
  const { value } = await scrape();
  for (const [upstream, states, openings] of [
    ['observability', [0, 1, 0], 1],
    ['management', [1, 0, 0], 0],
  ] as const) {
    const state = (name: string) => value('sluice_breaker_state', { upstream, state: name });
    expect(['closed', 'open', 'half-open'].map(state)).toEqual(states);
    expect(value('sluice_breaker_openings_total', { upstream })).toBe(openings);
  }
});

it('counts refusals by priority, and shows how many slots were left, without credentials', async () => {
  const { ask, scrape } = await startMetrics({ managementRate: { calls: 3, windowMs: 60_000 } });
  await ask(pipesOf(1, 2, 3, 4), 'key-of-the-caller');
  await ask(stopPipe, 'key-of-the-caller');
  const { value, text } = await scrape();
  const refusals = 'sluice_slot_refusals_total';
  expect(value(refusals, { ...management, priority: 'read' })).toBe(1);
  expect(value(refusals, { ...management, priority: 'write' })).toBe(1);
  expect(value('sluice_slots_left_count', management)).toBe(3);
  expect(value('sluice_slots_left_bucket', { le: '2', ...management })).toBe(3);
  expect(value('sluice_slots_left_count', observability)).toBe(0);
  expect(text).not.toMatch(/key-of|a2V5LW9m/);
});

it('counts each request that is refused a read that it shares', async () => {
  const { ask, scrape } = await startMetrics({ managementRate: { calls: 1, windowMs: 60_000 } });
  await ask(pipesOf(1), 'caller');
  await Promise.all([ask(pipesOf(2), 'caller'), ask(pipesOf(2), 'caller')]);
  const { value } = await scrape();
  expect(value('sluice_slot_refusals_total', { ...management, priority: 'read' })).toBe(2);
});

it('shows calls that wait for a slot, and how long they have waited', async () => {
  const clock = stopTime();
  const { ask, scrape } = await startMetrics({
    managementRate: { calls: 1, windowMs: 4000 },
    pacingWaitMs: 10_000,
  });
  await ask(pipesOf(1), 'caller');
  const waiting = ask(pipesOf(2), 'caller');
  await expect.poll(async () => (await scrape()).value('sluice_slots_waiting', management)).toBe(1);
  await clock.until(waiting);
  const { value } = await scrape();
  expect(value('sluice_slots_waiting', management)).toBe(0);
  const waits = 'sluice_slot_wait_seconds_bucket';
  expect(value(waits, { le: '2.5', ...management })).toBe(1);
  expect(value(waits, { le: '5', ...management })).toBe(2);
});

it('counts reads by where their answers come from', async () => {
  const clock = stopTime();
  const gate = createGate();
  const { ask, scrape } = await startMetrics(
    { managementRate: { calls: 2, windowMs: 60_000 } },
    {},
    gate.answering,
  );
  const both = [ask(pipesOf(1), 'caller'), ask(`${pipesOf(1)} `, 'caller')];
  await expect.poll(() => gate.calls.length).toBe(1);
  await ask('{ __typename }', 'caller');
  gate.calls[0]?.answer(result([]));
  await Promise.all(both);
  await ask(pipesOf(1), 'caller');
  const other = ask(pipesOf(2), 'caller');
  (await gate.arrived(2)).answer(result([]));
  await other;
  clock.advance(5000);
  await ask(pipesOf(1), 'caller');
  const { value } = await scrape();
  const reads = (from: string) => value('sluice_reads_total', { ...management, from });
  expect({
    miss: reads('miss'),
    shared: reads('shared'),
    fresh: reads('fresh'),
    stale: reads('stale'),
  }).toEqual({ miss: 2, shared: 1, fresh: 1, stale: 1 });
  // Who was shown the older answer got no slot. What renews it goes on waiting for one.
  expect(value('sluice_slot_refusals_total', { ...management, priority: 'refresh' })).toBe(1);
});

it('counts what writes drop from memory, and what others need the room of', async () => {
  // Some nine answers, of which a credential may have a quarter.
  const { ask, scrape } = await startMetrics({ readCacheBytes: 30_000 });
  await ask(pipesOf(1, 2, 3), 'reader');
  const before = await scrape();
  expect(before.value('sluice_reads_dropped_total', { reason: 'room' })).toBe(1);
  expect(before.value('sluice_reads_dropped_total', { reason: 'changed' })).toBe(0);
  await ask(pipesOf(1), 'other');
  await ask(stopPipe, 'other');
  // What a write has changed is dropped when it is asked for next.
  await ask(pipesOf(1), 'other');
  const { value } = await scrape();
  expect(value('sluice_reads_dropped_total', { reason: 'changed' })).toBe(1);
});
