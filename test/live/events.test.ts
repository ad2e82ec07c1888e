import { expect, it } from 'vitest';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { createGate } from '../support/faults/gate.ts';
import { json, result } from '../support/harness.ts';
import {
  openLive,
  pass,
  pipeIds,
  pipePath,
  pipeQuery,
  pipeSubscription,
  soon,
  stopPipe,
} from '../support/live-world.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';

const pipe = (name: string) => result({ id: pipeIds[0], name, state: 'Running' });

it('a poll that a query has joined is sent again after it has failed', async () => {
  const clock = stopTime();
  const polled = createGate();
  let reads = 0;
  const { open, query } = await openLive({
    config: { maxRetries: 1, explain: true },
    management: (call) => {
      reads += 1;
      return reads === 2 ? polled.answering(call) : pipe(`read ${reads}`);
    },
  });
  const stream = await open();
  await clock.until(stream.event(1));
  await pass(clock, 5100);
  const poll = await polled.arrived(1);
  const joined = query(pipeQuery, { headers: { 'sluice-explain': '1' } });
  await pass(clock, 200);
  poll.answer(json({ status: 502, error: 'down' }, 502));
  // The pause before that is not on the clock that stands still.
  await clock.still(() => reads === 3);
  expect((await clock.until(joined)).body).toMatchObject({
    data: { pipe: { name: 'read 3' } },
    extensions: { upstream: [{ cache: 'shared' }] },
  });
});

it('a stream ends after its lifetime, however long that is beside other times', async () => {
  const { open, gateway, lines } = await openLive({
    gateway: { ...soon.gateway, requestTimeoutMs: 400, stallMs: 400, streamLifetimeMs: 2000 },
    config: { managementRate: undefined, operationTimeoutMs: 400 },
  });
  const stream = await open();
  await stream.ended;
  expect([stream.isComplete, stream.events.length]).toEqual([true, 1]);
  await until(() => gateway.streams().streams === 0);
  expect(lines('subscription')).toMatchObject([{ ended: 'lifetime over', events: 1 }]);
});

it('a stream has a line in the log: what it was, its events, its calls, and why it ended', async () => {
  const { open, lines } = await openLive();
  const stream = await open(pipeSubscription().replace('{', 'Live {'));
  await stream.event(1);
  stream.leave();
  await until(() => lines('subscription').length === 1);
  const operation = { operationName: 'Live', operationType: 'subscription' };
  const counted = { events: 1, upstreamCalls: 1, codes: [], ended: 'client left' };
  expect(lines('subscription')).toMatchObject([{ ...operation, ...counted }]);
  expect(lines('operation')).toEqual([]);
});

it('subscribers with different credentials share nothing, and a poll has no trace of its subscriber', async () => {
  let round = 0;
  const { open, gateway, calls } = await openLive({
    ...soon,
    management: ({ headers }) => pipe(`${headers.authorization} ${round}`),
  });
  const ofRequest = {
    'x-request-id': 'of-the-subscriber',
    traceparent: '00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01',
    tracestate: 'vendor=value',
  };
  const keys = ['a:1', 'a:2', 'b:1'].map((key) => `Basic ${btoa(key)}`);
  const streams = await Promise.all(
    keys.map((key) => open(pipeSubscription(), { 'management-authorization': key, ...ofRequest })),
  );
  await Promise.all(streams.map((stream) => stream.event(1)));
  round = 1;
  await Promise.all(streams.map((stream) => stream.event(2)));
  expect(gateway.streams()).toEqual({ streams: 3, reads: 3, credentials: 3 });
  expect(streams.map(({ events }) => events.map(({ data }) => data.pipe.name))).toEqual(
    keys.map((key) => [`${key} 0`, `${key} 1`]),
  );
  const isPoll = ({ headers }: (typeof calls)[number]) =>
    headers['x-request-id'] !== 'of-the-subscriber';
  const polls = calls.filter(isPoll);
  expect(calls.filter((call) => !isPoll(call))).toMatchObject(
    Array(3).fill({ headers: ofRequest }),
  );
  for (const { headers } of polls)
    expect([headers.traceparent, headers.tracestate]).toEqual([undefined, undefined]);
  expect(new Set(polls.map(({ headers }) => headers['x-request-id'])).size).toBe(polls.length);
});

it('with the profile of ClickHouse Cloud a stream reads its pipe anew after a write of the gateway', async () => {
  const { open, query, callList } = await openLive({
    gateway: { pollMs: { management: 600_000, observability: 600_000 } },
    config: { managementProfile: 'clickhouse-cloud' },
  });
  const stream = await open();
  await stream.event(1);
  await query(stopPipe());
  const path = pipePath().replace('/pipes/', '/clickpipes/');
  await expect.poll(callList).toEqual([`GET ${path}`, `GET ${path}`, `PATCH ${path}/state`]);
  expect((await stream.event(2)).data.pipe.state).toBe('Stopping');
});

it('an event that fails by a fault of the gateway says no more than that, and leaves a line in the log', async () => {
  const get = () => {
    throw new Error('canary');
  };
  const broken: GatewayPlugin = {
    onSubscribe: ({ args }) =>
      void Object.defineProperty(args, 'rootValue', { get, enumerable: true }),
  };
  const { open, log, gateway } = await openLive({ gateway: { plugins: [broken] } });
  const stream = await open();
  await stream.ended;
  expect(stream.events).toMatchObject([
    { errors: [{ message: 'Unexpected error.', extensions: { code: 'INTERNAL_SERVER_ERROR' } }] },
  ]);
  expect(JSON.stringify(stream.events)).not.toContain('canary');
  expect(log()).toContain('"msg":"unexpected error"');
  await until(() => gateway.streams().streams === 0);
});
