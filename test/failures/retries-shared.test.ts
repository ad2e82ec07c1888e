import { afterEach, describe, expect, it } from 'vitest';
import { type Arrived, drip, type Reaction } from '../support/faults/backend.ts';
import { createGate, leavable } from '../support/faults/gate.ts';
import { success } from '../support/faults/kinds.ts';
import {
  oneAfterTheOther,
  reads,
  startFaultStack,
  status,
  unexpected,
  well,
} from '../support/faults/stack.ts';
import { type Stack, startStack } from '../support/harness.ts';

let stack: Stack;
afterEach(() => stack.close());

const start = async (...options: Parameters<typeof startFaultStack>) => {
  const started = await startFaultStack(...options);
  stack = started;
  return started.backend;
};

describe('a read that', () => {
  const { document } = reads.observability;
  const as = (token: string) => ({ 'observability-authorization': `Bearer ${token}` });
  const settled = () => stack.query('{ __typename }');

  const startGate = async (config = {}) => {
    const gate = createGate();
    stack = await startStack({ management: unexpected, observability: gate.answering, config });
    return gate;
  };

  it('two fields share is sent again once for both', async () => {
    const { calls } = await start(
      'observability',
      oneAfterTheOther([status(503), well('observability')]),
    );
    const { body } = await stack.query(
      '{ a: alert(id: "a1") { name } b: alert(id: "a1") { name } }',
    );
    expect(body).toEqual({ data: { a: { name: 'well' }, b: { name: 'well' } } });
    expect(calls).toHaveLength(2);
  });

  it('two requests share is sent again once for both', async () => {
    const gate = await startGate();
    const answers = [stack.query(document), stack.query(document)];
    const { answer } = await gate.arrived(1);
    await settled();
    answer(status(503));
    (await gate.arrived(2)).answer(well('observability'));
    const bodies = (await Promise.all(answers)).map(({ body }) => body);
    expect(bodies).toEqual([
      { data: { alert: { name: 'well' } } },
      { data: { alert: { name: 'well' } } },
    ]);
    expect(gate.calls).toHaveLength(2);
  });

  it('waits to be sent again can be joined', async () => {
    const gate = await startGate();
    const first = stack.query(document);
    (await gate.arrived(1)).answer(status(429, { 'retry-after': '1' }));
    await settled();
    const second = stack.query(document);
    (await gate.arrived(2)).answer(well('observability'));
    for (const answer of [first, second]) {
      expect((await answer).body).toEqual({ data: { alert: { name: 'well' } } });
    }
    expect(gate.calls).toHaveLength(2);
  });

  it('nobody waits for any longer is not sent again', async () => {
    const gate = await startGate();
    const { leave } = leavable(stack.url, document, as('leaves'));
    const limited = status(429, { 'retry-after': '1' });
    (await gate.arrived(1)).answer(limited);
    await settled();
    await leave();
    // Told to wait as long, and later: when this one comes again, the other would have come before.
    const staying = stack.query('{ alert(id: "a2") { name } }', { headers: as('stays') });
    (await gate.arrived(2)).answer(limited);
    const { call, answer } = await gate.arrived(3);
    expect(call.path).toBe('/api/v2/alerts/a2');
    answer(well('observability'));
    expect((await staying).body.data.alert).toEqual({ name: 'well' });
    expect(gate.calls).toHaveLength(3);
  });

  it('one of two still waits for is sent again', async () => {
    const gate = await startGate();
    const { leave } = leavable(stack.url, document, as('one'));
    await gate.arrived(1);
    const staying = stack.query(document, { headers: as('one') });
    await settled();
    gate.calls[0]?.answer(status(429, { 'retry-after': '1' }));
    await settled();
    await leave();
    (await gate.arrived(2)).answer(well('observability'));
    expect((await staying).body.data.alert).toEqual({ name: 'well' });
  });

  it('would have to wait beyond the deadline is not sent again', async () => {
    const gate = await startGate({ operationTimeoutMs: 700 });
    const limited = status(429, { 'retry-after': '1.5' });
    const answer = stack.query(document);
    (await gate.arrived(1)).answer(limited);
    const { body } = await answer;
    expect(body.data).toEqual({ alert: null });
    expect(body.errors).toHaveLength(1);
    expect(['RATE_LIMITED', 'UPSTREAM_TIMEOUT']).toContain(body.errors[0].extensions.code);
    expect(gate.calls).toHaveLength(1);
  });
});

it('no read is sent again once the deadline has passed', async () => {
  const { calls } = await start('observability', () => drip, { operationTimeoutMs: 300 });
  const { body } = await stack.query(reads.observability.document);
  expect(body.errors).toMatchObject([{ extensions: { code: 'UPSTREAM_TIMEOUT' } }]);
  expect(calls).toHaveLength(1);
});

describe('retries count as upstream calls of the operation:', () => {
  const document = '{ alert(id: "a1") { name dashboard { name } } }';
  const failing = (times: number) => {
    let calls = 0;
    return ({ path }: Arrived): Reaction => {
      calls += 1;
      if (calls <= times) return status(503);
      const name = path.startsWith('/api/v2/alerts') ? 'the alert' : 'the dashboard';
      return success('observability', { id: 'x', name, dashboard: 'd1' });
    };
  };

  it('later calls of the operation have fewer left', async () => {
    const { calls } = await start('observability', failing(2), { maxUpstreamCalls: 3 });
    const { body } = await stack.query(document);
    expect(body.data).toEqual({ alert: { name: 'the alert', dashboard: null } });
    expect(body.errors).toMatchObject([
      { path: ['alert', 'dashboard'], extensions: { code: 'UPSTREAM_BUDGET_EXCEEDED' } },
    ]);
    expect(calls).toHaveLength(3);
  });

  it('a budget of as many as there are is enough', async () => {
    const { calls } = await start('observability', failing(2), { maxUpstreamCalls: 4 });
    const { body } = await stack.query(document);
    expect(body).toEqual({
      data: { alert: { name: 'the alert', dashboard: { name: 'the dashboard' } } },
    });
    expect(calls).toHaveLength(4);
  });

  it('none is made beyond it', async () => {
    const { calls } = await start('observability', () => status(503), { maxUpstreamCalls: 2 });
    const { body } = await stack.query(reads.observability.document);
    expect(body.data).toEqual({ alert: null });
    expect(body.errors).toHaveLength(1);
    expect(['UPSTREAM_UNAVAILABLE', 'UPSTREAM_BUDGET_EXCEEDED']).toContain(
      body.errors[0].extensions.code,
    );
    expect(calls).toHaveLength(2);
  });
});
