import { once } from 'node:events';
import { describe, expect, it, onTestFinished } from 'vitest';
import type { Config } from '../../src/config.ts';
import type { GatewayPlugin } from '../../src/plugins/plugin.ts';
import { createGate } from '../support/faults/gate.ts';
import { type Answering, json, paced, startStack } from '../support/harness.ts';
import { askInParts, events, multipart } from '../support/in-parts.ts';
import { stopTime } from '../support/pacing/time.ts';
import { until } from '../support/process/run-main.ts';
import { createBackend } from '../support/world/backend.ts';
import { withIds } from '../support/world/ids.ts';
import { numbers, worldOf } from '../support/world/worlds.ts';

const world = worldOf({
  organizations: 1,
  services: 3,
  pipesPerService: 1,
  dashboards: 1,
  tilesPerDashboard: 1,
  alerts: 1,
});
const backend = createBackend(world);

const start = async (config: Partial<Config> = {}, management: Answering = backend.management) => {
  const stack = await startStack({
    management,
    observability: backend.observability,
    config: { ...paced, ...config },
  });
  onTestFinished(() => stack.close());
  const lines = (): readonly Readonly<Record<string, unknown>>[] =>
    stack
      .log()
      .split('\n')
      .filter((line) => line.includes('"msg":"operation"'))
      .map((line) => JSON.parse(line));
  return { stack, lines };
};

const page = withIds(
  'query Page { organization(id: "organization-1") { name services { name ... @defer { pipes { name } } } } }',
);
const isPipes = ({ path }: { readonly path: string }): boolean => path.endsWith('/pipes');

/** Answers all pipes with that. */
const pipesFail =
  (answer: ReturnType<typeof json>): Answering =>
  (call) =>
    isPipes(call) ? answer : backend.management(call);

describe('the errors of later parts', () => {
  it('have path, code and request id, and no secret of the caller', async () => {
    const { stack } = await start(
      {},
      pipesFail(
        json({ status: 403, error: 'FORBIDDEN: not for key-secret', requestId: 'r1' }, 403),
      ),
    );
    const headers = { 'x-request-id': 'request-1' };
    const { ended, text } = askInParts(stack, page, { headers });
    const later = (await ended).flatMap(({ incremental = [] }) => incremental);
    expect(later).toHaveLength(3);
    for (const { data, path, errors } of later) {
      expect(data).toEqual({ pipes: null });
      expect(errors).toMatchObject([
        {
          path: [...path, 'pipes'],
          extensions: { code: 'FORBIDDEN', requestId: 'request-1', upstream: { requestId: 'r1' } },
        },
      ]);
    }
    expect(text()).not.toContain('key-secret');
  });

  it('are counted over all parts: a hundred are told, and how many more there are', async () => {
    const many = createBackend(
      worldOf({
        organizations: 1,
        services: 130,
        pipesPerService: 0,
        dashboards: 0,
        tilesPerDashboard: 0,
        alerts: 0,
      }),
    );
    const stack = await startStack({
      ...many,
      management: (call) => (isPipes(call) ? json({ error: 'no' }, 403) : many.management(call)),
      config: { maxUpstreamCalls: 500 },
    });
    onTestFinished(() => stack.close());
    const parts = await askInParts(stack, page).ended;
    const errors = parts
      .flatMap(({ incremental = [] }) => incremental)
      .flatMap((each) => each.errors ?? []);
    const leftOut = errors.flatMap(
      ({ message }) => /(\d+) more were left out/.exec(message)?.[1] ?? [],
    );
    expect(errors.length - leftOut.length).toBe(100);
    expect(leftOut.map(Number).reduce((sum, count) => sum + count)).toBe(30);
  });
});

describe('at the end of a response in parts', () => {
  it.each([multipart, events])(
    'comes what Sluice-Explain tells, of all calls (%s)',
    async (accept) => {
      const { stack } = await start();
      const headers = { 'sluice-explain': '1' };
      const parts = await askInParts(stack, page, { accept, headers }).ended;
      expect(parts.map(({ extensions }) => extensions?.upstream !== undefined)).toEqual([
        ...parts.slice(1).map(() => false),
        true,
      ]);
      const last = parts.at(-1);
      expect(last).toEqual({ hasNext: false, extensions: expect.anything() });
      expect(last?.extensions?.upstream).toHaveLength(5);
      expect(last?.extensions?.budget).toEqual({ management: 5, observability: 100 });
    },
  );

  it('`staleSeconds` comes in the last part, and there is no `Age` header', async () => {
    const clock = stopTime();
    const { stack } = await start({ managementRate: { calls: 6, windowMs: 60_000 } });
    await askInParts(stack, page).ended;
    clock.advance(12_000);
    const { ended, head } = askInParts(stack, page);
    const parts = await clock.until(ended);
    expect(parts[0]?.extensions).toEqual({ staleSeconds: 12 });
    expect(parts.at(-1)).toEqual({ hasNext: false, extensions: { staleSeconds: 12 } });
    expect(stack.calls).toHaveLength(5);
    expect(head().headers).not.toHaveProperty('age');
    expect(head().headers['cache-control']).toBe('no-store');
  });

  it('is one line of the log, with the calls and codes of all parts', async () => {
    const gate = createGate();
    const { stack, lines } = await start({}, (call) =>
      isPipes(call) ? gate.answering(call) : backend.management(call),
    );
    const { parts, ended } = askInParts(stack, page, { headers: { 'x-request-id': 'request-1' } });
    await until(() => parts.length === 1);
    expect(lines()).toEqual([]);
    (await gate.arrived(1)).answer(json({ error: 'no' }, 403));
    (await gate.arrived(2)).answer(await backend.management((await gate.arrived(2)).call));
    (await gate.arrived(3)).answer(json({ error: 'no' }, 403));
    await ended;
    expect(lines()).toMatchObject([
      {
        requestId: 'request-1',
        operationName: 'Page',
        operationType: 'query',
        upstreamCalls: 5,
        codes: ['FORBIDDEN'],
      },
    ]);
  });
});

describe('a caller who leaves', () => {
  it.each([multipart, events])(
    'has the calls cancelled that were not yet sent after the first part (%s)',
    async (accept) => {
      const clock = stopTime();
      const { stack, lines } = await start({ managementRate: { calls: 3, windowMs: 10_000 } });
      const { parts, leave } = askInParts(stack, page, { accept });
      await until(() => parts.flatMap(({ incremental = [] }) => incremental).length === 1);
      leave();
      await clock.still(() => lines().length === 1);
      expect(lines()).toMatchObject([{ upstreamCalls: 3 }]);
      clock.advance(60_000);
      // Another caller of the same credential finds all slots free.
      const { body } = await stack.query('{ organizations { name } }', {
        headers: { 'sluice-explain': '1' },
      });
      expect(body.extensions.budget.management).toBe(2);
      expect(stack.calls).toHaveLength(4);
    },
  );

  it('has nothing read if that is before the operation is executed', async () => {
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
    const stack = await startStack({ ...backend, gateway: { plugins: [slow] } });
    onTestFinished(() => stack.close());
    const { leave } = askInParts(stack, '{ __typename ... @defer { alerts { name } } }');
    await arrived.promise;
    leave();
    await executed.promise;
    await stack.query('{ dashboards { name } }');
    expect(stack.callList()).toEqual(['GET /api/v2/dashboards']);
  });

  it('closes the calls that were sent', async () => {
    const gate = createGate();
    const { stack } = await start({}, (call) =>
      isPipes(call) ? gate.answering(call) : backend.management(call),
    );
    const closed: string[] = [];
    const { parts, leave } = askInParts(stack, page);
    await until(() => parts.length === 1);
    for (const number of numbers(3)) {
      const { call } = await gate.arrived(number);
      call.onClose(() => closed.push(call.path));
    }
    leave();
    await until(() => closed.length === 3);
    expect(stack.calls).toHaveLength(5);
  });
});
