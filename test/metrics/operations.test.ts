import { GraphQLError, print } from 'graphql';
import { expect, it, onTestFinished } from 'vitest';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { json, result } from '../support/harness.ts';
import { askInParts } from '../support/in-parts.ts';
import {
  alerts,
  as,
  pipesOf,
  startMetrics,
  stopPipe,
  subscription,
} from '../support/metrics/world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { subscribe } from '../support/subscribe.ts';
import { withIds } from '../support/world/ids.ts';

it('counts operations by type and outcome, each once', async () => {
  const { ask, scrape } = await startMetrics();
  await ask(pipesOf(1), 'reader');
  await ask(alerts, '500');
  await ask('{ nothing }', 'reader');
  await ask('{ unfinished', 'reader');
  await ask('query FreeName { __typename }', 'reader');
  await ask(stopPipe, 'reader');
  const { value, text } = await scrape();
  const operations = (type: string, outcome: string) =>
    value('sluice_operations_total', { type, outcome });
  expect([operations('query', 'ok'), operations('query', 'partial')]).toEqual([2, 1]);
  expect([operations('query', 'failed'), operations('unknown', 'failed')]).toEqual([1, 1]);
  expect(operations('mutation', 'ok')).toBe(1);
  expect(value('sluice_operation_duration_seconds_count', { type: 'query' })).toBe(4);
  expect(text).not.toContain('FreeName');
});

it('counts for each code the operations that have it, however often, and codes that it does not know as OTHER', async () => {
  const refusing: GatewayPlugin = {
    onExecute: ({ args: { document }, setResultAndStopExecution }) => {
      const error = new GraphQLError('no', { extensions: { code: 'FREE_CODE' } });
      if (print(document).includes('Free')) setResultAndStopExecution({ errors: [error] });
    },
  };
  const { ask, scrape } = await startMetrics({}, { plugins: [refusing] });
  await ask('{ one: alerts { name } two: dashboards { name } }', '500');
  await ask(alerts, '403');
  await ask('query Free { alerts { name } }', 'reader');
  const { value, text } = await scrape();
  const codes = ['UPSTREAM_ERROR', 'FORBIDDEN', 'NOT_FOUND', 'OTHER'];
  const counts = codes.map((code) => value('sluice_operation_errors_total', { code }));
  expect(counts).toEqual([1, 1, 0, 1]);
  expect(text).not.toContain('FREE_CODE');
});

it('counts an operation whose response comes in parts once, with the errors of all parts and the time of the first', async () => {
  const clock = stopTime();
  const pipes = Promise.withResolvers<void>();
  const world = await startMetrics({}, {}, async ({ path }) => {
    if (!path.endsWith('/pipes')) return result({ id: 'service-1', name: 'one' });
    await pipes.promise;
    return json({ status: 500, error: 'no' }, 500);
  });
  const document = withIds(
    '{ service(organizationId: "organization-1", serviceId: "service-1") { name ... @defer { pipes { id } } } }',
  );
  const { parts, ended } = askInParts(world, document, { headers: as('reader') });
  await clock.still(() => parts.length === 1);
  clock.advance(20_000);
  pipes.resolve();
  await ended;
  const { value } = await world.scrape();
  expect(value('sluice_operations_total', { type: 'query', outcome: 'partial' })).toBe(1);
  expect(value('sluice_operations_total', { type: 'query', outcome: 'ok' })).toBe(0);
  expect(value('sluice_operation_errors_total', { code: 'UPSTREAM_ERROR' })).toBe(1);
  const duration = 'sluice_operation_duration_seconds';
  expect(value(`${duration}_count`, { type: 'query' })).toBe(1);
  expect(value(`${duration}_bucket`, { le: '5', type: 'query' })).toBe(1);
});

it('counts subscriptions that are open, what is polled for them, and why they ended', async () => {
  const { url, gateway, scrape } = await startMetrics({ maxStreams: 2 });
  const open = async (name: string) => {
    const opened = await subscribe(url, subscription, { headers: as(name) });
    onTestFinished(opened.leave);
    return opened;
  };
  const first = await open('one');
  const second = await open('other');
  await first.event(1);
  await second.event(1);
  await open('one');
  const { value } = await scrape();
  const operations = (outcome: string) =>
    value('sluice_operations_total', { type: 'subscription', outcome });
  expect([operations('ok'), operations('failed')]).toEqual([2, 1]);
  expect(value('sluice_operation_errors_total', { code: 'LIMIT_EXCEEDED' })).toBe(1);
  expect([value('sluice_streams'), value('sluice_streams_max')]).toEqual([2, 2]);
  expect(value('sluice_polled_reads')).toBe(2);
  expect(value('sluice_polled_credentials')).toBe(2);
  first.leave();
  await expect.poll(() => gateway.streams().streams).toBe(1);
  const after = await scrape();
  expect(after.value('sluice_streams')).toBe(1);
  expect(after.value('sluice_streams_ended_total', { reason: 'client left' })).toBe(1);
});
