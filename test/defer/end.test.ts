import { once } from 'node:events';
import { expect, it, onTestFinished } from 'vitest';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { createGate } from '../support/faults/gate.ts';
import {
  type Answering,
  json,
  paced,
  type StackOptions,
  startStack,
  unpaced,
} from '../support/harness.ts';
import { askInParts, events, multipart } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const page = withIds(
  'query Page { organization(id: "organization-1") { name services { name ... @defer { pipes { name } } } } }',
);
const forbidden = json(
  { status: 403, error: 'FORBIDDEN: not for key-secret', requestId: 'r1' },
  403,
);

/** @param pipes answers the reads of pipes */
const start = async (
  services: number,
  { pipes, ...options }: Partial<StackOptions> & { pipes?: Answering } = {},
) => {
  const backend = createBackend(worldOf({ services, dashboards: 1, alerts: 1 }));
  const stack = await startStack({
    ...{ ...backend, ...options, config: { ...paced, explain: true, ...options.config } },
    management: (call) =>
      pipes && call.path.endsWith('/pipes') ? pipes(call) : backend.management(call),
  });
  onTestFinished(() => stack.close());
  const lines = (): readonly object[] =>
    stack
      .log()
      .split('\n')
      .filter((line) => line.includes('"msg":"operation"'))
      .map((line) => JSON.parse(line));
  return { ...stack, stack, lines, backend };
};

it('the errors of later parts have path, code and request id, and no secret of the caller', async () => {
  const { stack } = await start(3, { pipes: () => forbidden });
  const { ended, text } = askInParts(stack, page, { headers: { 'x-request-id': 'request-1' } });
  const later = (await ended).flatMap(({ incremental = [] }) => incremental);
  expect(later).toHaveLength(3);
  for (const { data, path, errors } of later) {
    expect(data).toEqual({ pipes: null });
    const extensions = { code: 'FORBIDDEN', requestId: 'request-1', upstream: { requestId: 'r1' } };
    expect(errors).toMatchObject([{ path: [...path, 'pipes'], extensions }]);
  }
  expect(text()).not.toContain('key-secret');
});

it('errors are counted over all parts: a hundred are told, and how many more there are', async () => {
  const config = { maxUpstreamCalls: 500, managementRate: undefined };
  const { stack } = await start(130, { pipes: () => forbidden, config });
  const parts = await askInParts(stack, page).ended;
  const errors = parts.flatMap(({ incremental = [] }) =>
    incremental.flatMap((each) => each.errors ?? []),
  );
  const leftOut = errors.flatMap(
    ({ message }) => /(\d+) more were left out/.exec(message)?.[1] ?? [],
  );
  expect(errors.length - leftOut.length).toBe(100);
  expect(leftOut.map(Number).reduce((sum, count) => sum + count)).toBe(30);
});

it.each([multipart, events])(
  'at the end comes what Sluice-Explain tells, of all calls (%s)',
  async (accept) => {
    const { stack } = await start(3);
    const parts = await askInParts(stack, page, { accept, headers: { 'sluice-explain': '1' } })
      .ended;
    const last = parts.at(-1);
    for (const { extensions } of parts.slice(0, -1)) expect(extensions?.upstream).toBeUndefined();
    expect(last).toEqual({ hasNext: false, extensions: expect.anything() });
    expect(last?.extensions?.upstream).toHaveLength(5);
    expect(last?.extensions?.budget).toEqual({ management: 5, observability: 100 });
  },
);

it('at the end `staleSeconds` comes again, and there is no `Age` header', async () => {
  const clock = stopTime();
  const { stack, calls } = await start(3, {
    config: { managementRate: { calls: 6, windowMs: 60_000 } },
  });
  await askInParts(stack, page).ended;
  clock.advance(12_000);
  const { ended, head } = askInParts(stack, page);
  const parts = await clock.until(ended);
  expect(parts[0]?.extensions).toEqual({ staleSeconds: 12 });
  expect(parts.at(-1)).toEqual({ hasNext: false, extensions: { staleSeconds: 12 } });
  expect(calls).toHaveLength(5);
  expect(head().headers).not.toHaveProperty('age');
  expect(head().headers['cache-control']).toBe('no-store');
});

it('at the end is one line of the log, with the calls and codes of all parts', async () => {
  const gate = createGate();
  const { stack, lines, backend } = await start(3, { pipes: gate.answering });
  const { parts, ended } = askInParts(stack, page, { headers: { 'x-request-id': 'request-1' } });
  await until(() => parts.length === 1);
  expect(lines()).toEqual([]);
  for (const number of numbers(3)) {
    const { call, answer } = await gate.arrived(number);
    answer(number === 2 ? await backend.management(call) : forbidden);
  }
  await ended;
  const operation = { requestId: 'request-1', operationName: 'Page', operationType: 'query' };
  expect(lines()).toMatchObject([{ ...operation, upstreamCalls: 5, codes: ['FORBIDDEN'] }]);
});

it.each([multipart, events])(
  'a caller who leaves has the calls cancelled that were not yet sent (%s)',
  async (accept) => {
    const clock = stopTime();
    const { stack, lines, calls, query } = await start(3, {
      config: { managementRate: { calls: 3, windowMs: 10_000 } },
    });
    const { parts, leave } = askInParts(stack, page, { accept });
    await until(() => parts.flatMap(({ incremental = [] }) => incremental).length === 1);
    leave();
    await clock.still(() => lines().length === 1);
    expect(lines()).toMatchObject([{ upstreamCalls: 3 }]);
    clock.advance(60_000);
    // Another caller of the same credential finds all slots free.
    const headers = { 'sluice-explain': '1' };
    const { body } = await query('{ organizations { name } }', { headers });
    expect(body.extensions.budget.management).toBe(2);
    expect(calls).toHaveLength(4);
  },
);

it('a caller who leaves has the calls closed that were sent', async () => {
  const gate = createGate();
  const { stack, calls } = await start(3, { pipes: gate.answering });
  const closed: string[] = [];
  const { parts, leave } = askInParts(stack, page);
  await until(() => parts.length === 1);
  for (const number of numbers(3)) {
    const { call } = await gate.arrived(number);
    call.onClose(() => closed.push(call.path));
  }
  leave();
  await until(() => closed.length === 3);
  expect(calls).toHaveLength(5);
});

it('a caller who leaves before the operation is executed has nothing read', async () => {
  const arrived = Promise.withResolvers<void>();
  const executed = Promise.withResolvers<void>();
  const slow: GatewayPlugin = {
    onContextBuilding: async ({ context: { res, params } }) => {
      if (!params.query?.includes('@defer')) return;
      arrived.resolve();
      await once(res, 'close');
    },
    onExecute: () => ({ onExecuteDone: () => executed.resolve() }),
  };
  const { stack, query, callList } = await start(0, { gateway: { plugins: [slow] } });
  const { leave } = askInParts(stack, '{ __typename ... @defer { alerts { name } } }');
  await arrived.promise;
  leave();
  await executed.promise;
  await query('{ dashboards { name } }');
  expect(callList()).toEqual(['GET /api/v2/dashboards']);
});

it('20 responses in parts may be under way with the same credentials; a further one comes whole', async () => {
  const gate = createGate();
  const { stack } = await start(0, { observability: gate.answering, config: unpaced });
  const ask = (name: string) =>
    askInParts(stack, '{ organizations { id } ... @defer { dashboards { id } } }', {
      headers: { 'observability-authorization': `Bearer ${name}` },
    });
  const many = numbers(20).map(() => ask('one'));
  await expect.poll(() => many.every(({ parts }) => parts.length === 1)).toBe(true);
  const [further, other] = [ask('one'), ask('other')];
  await expect.poll(() => other.parts.length).toBe(1);
  // Equal reads are one call for each credential.
  await expect.poll(() => gate.calls.length).toBe(2);
  expect(further.parts).toEqual([]);
  for (const { answer } of gate.calls) answer(json({ data: [] }));
  expect(await further.ended).toEqual([
    { data: { organizations: [{ id: withIds('organization-1') }], dashboards: [] } },
  ]);
  await Promise.all([...many, other].map(({ ended }) => ended));
  // Those that have ended, or whose callers have left, leave their places.
  const again = ask('one');
  await expect.poll(() => again.parts.length).toBe(1);
  again.leave();
});

const commentsIn = (text: string): number =>
  text.split('\n\n').filter((each) => each === ':').length;

it('while the next part is waited for an empty one comes every 15 seconds, so that proxies keep the connection', async () => {
  const clock = stopTime();
  const gate = createGate();
  const { stack, query, backend } = await start(1, { pipes: gate.answering });
  const { parts, ended } = askInParts(stack, page);
  await clock.still(() => parts.length === 1);
  for (const [ms, came] of [
    [14_900, 1],
    [100, 2],
    [7500, 2],
  ] as const) {
    clock.advance(ms);
    await query('{ __typename }');
    await clock.still(() => parts.length >= came);
    expect(parts).toHaveLength(came);
  }
  // The read has 25 seconds in all.
  const { call, answer } = await gate.arrived(1);
  answer(await backend.management(call));
  const last = expect.objectContaining({ hasNext: false });
  expect((await ended).slice(1)).toEqual([{ hasNext: true }, last]);
});

it('on a stream of events comments do the same', async () => {
  const gate = createGate();
  const { stack, backend } = await start(1, { pipes: gate.answering });
  const { ended, text } = askInParts(stack, page, { accept: events });
  // Under test there is one every 300 milliseconds.
  await until(() => commentsIn(text()) > 2);
  const { call, answer } = await gate.arrived(1);
  answer(await backend.management(call));
  expect(await ended).toHaveLength(2);
});

it('a subscription has these comments alone, though its client takes parts too', async () => {
  const { stack } = await start(0, { gateway: { silenceMs: 50 } });
  const accept = 'text/event-stream, multipart/mixed';
  const { parts, text, leave } = askInParts(stack, 'subscription { alerts { id } }', { accept });
  await until(() => commentsIn(text()) > 2);
  leave();
  expect(parts).toEqual([{ data: { alerts: [{ id: 'alert-1' }] } }]);
});
